"""What is required of attributions, on replayed sessions of the transcript corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.quality.anchoring import measure
from bench.quality.anchoring.labelled import Counts, Labelled, labelled
from bench.quality.anchoring.score import Score

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def cases(corpus_home: Path) -> list[Labelled]:
    return list(labelled(corpus_home, Counts()))


def test_enough_is_replayed(cases: list[Labelled]) -> None:
    agents = {case.agent for case in cases}
    assert {"claude-code", "codex", "aider", "specstory"} <= agents
    assert len(cases) > 200
    assert sum(line.author is not None for case in cases for line in case.lines) > 20_000


def test_replayed(cases: list[Labelled]) -> None:
    total = sum(measure.replayed(cases).values(), Score())
    assert total.unique_precision == 1
    assert total.precision >= 0.97
    assert total.coverage >= 0.95
    assert total.false_untouched == 0


def test_altered(cases: list[Labelled]) -> None:
    total = measure.changed(cases)
    assert total.precision >= 0.97
    assert total.coverage >= 0.85


def test_committed_among_the_work_of_others(cases: list[Labelled]) -> None:
    found = measure.committed(cases, limit=8)
    assert found.with_git.precision >= 0.99
    assert found.with_git.false_rate <= 0.01
    assert found.with_git.coverage >= 0.75
    assert found.without_git.false_rate <= 0.05
