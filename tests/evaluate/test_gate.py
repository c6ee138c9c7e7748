"""The gate on the default mode's quality."""

from __future__ import annotations

import pytest
from bench.quality.gate import __main__ as gate


@pytest.mark.parametrize(
    ("now", "faults"),
    [
        ({"extractive": 0.80, "reference": 0.82}, 0),
        ({"extractive": 0.90, "reference": 0.90}, 0),
        ({"extractive": 0.791, "reference": 0.811}, 0),
        ({"extractive": 0.789, "reference": 0.82}, 1),
        ({"extractive": 0.70, "reference": 0.70}, 2),
    ],
)
def test_what_counts_as_fallen(now: dict[str, float], faults: int) -> None:
    best = {"extractive": 0.80, "reference": 0.82}
    assert len(gate.fallen(best, now)) == faults


def test_a_record_only_rises() -> None:
    assert gate.raised({"a": 0.8, "b": 0.7}, {"a": 0.75, "b": 0.71}) == {"a": 0.8, "b": 0.71}
    assert gate.raised({}, {"a": 0.5}) == {"a": 0.5}


def test_a_best_is_recorded() -> None:
    import msgspec

    best = msgspec.json.decode(gate.RECORD.read_bytes(), type=gate.Best)
    assert set(best.mrr) == {"extractive", "reference"}
    assert all(0.7 < value < 1 for value in best.mrr.values())
