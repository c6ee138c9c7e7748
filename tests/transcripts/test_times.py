"""Times of every spelling, and those that are no times of agent work."""

from __future__ import annotations

import pytest

from pastwork.transcripts.times import utc

NOW = 1_772_600_000.0  # 2026-03-04


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05.6789Z", "2026-01-02T03:04:05.679Z"),
        ("2026-01-02T03:04:05+09:00", "2026-01-01T18:04:05.000Z"),
        ("2026-01-02 03:04:05", "2026-01-02T03:04:05.000Z"),
        (" 2026-01-02T03:04:05Z ", "2026-01-02T03:04:05.000Z"),
        (1_767_323_045, "2026-01-02T03:04:05.000Z"),
        (1_767_323_045.25, "2026-01-02T03:04:05.250Z"),
        (1_767_323_045_678, "2026-01-02T03:04:05.678Z"),
        ("2099-01-01T00:00:00.000Z", None),
        ("1970-01-01T00:00:00.000Z", None),
        ("2026-13-40T00:00:00.000Z", None),
        ("not-a-date", None),
        ("", None),
        (0, None),
        (10**300, None),
        (float("nan"), None),
        (None, None),
        (True, None),
    ],
)
def test_utc(value: str | float | None, expected: str | None) -> None:
    assert utc(value, NOW) == expected


def test_a_clock_that_is_hours_ahead_is_believed() -> None:
    assert utc(NOW + 3600, NOW) is not None
    assert utc(NOW + 2 * 86_400, NOW) is None
