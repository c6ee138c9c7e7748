"""From rankings to figures and comparisons."""

from __future__ import annotations

import pytest

from pastwork.evaluate import figures
from pastwork.evaluate.figures import Measured
from pastwork.evaluate.grid import Configuration
from pastwork.evaluate.labels import Query
from pastwork.evaluate.ranked import Ranked
from pastwork.search.modes import parse

QUERIES = [
    Query("a", "phrase", {"k0": 3, "k1": 1}),
    Query("b", "conceptual", {"k1": 2}),
    Query("c", "phrase", {"k3": 3}),
]
KEYS = ["k0", "k1", None, "k3"]


def configuration(name: str) -> Configuration:
    return Configuration(name, parse(name))


def measured(name: str, rankings: list[list[int]]) -> Measured:
    return figures.measured(configuration(name), Ranked(name, rankings), QUERIES, KEYS)


def test_hits_without_a_key_are_dropped_and_counted() -> None:
    found = measured("verbatim-okapi", [[2, 1, 0], [2, 1], [0, 1]])
    assert found.values["mrr"] == [1 / 2, 1.0, 0.0]
    assert found.values["mrr_all"] == [1 / 3, 1 / 2, 0.0]
    assert found.values["p@1"] == [0.0, 1.0, 0.0]
    assert found.values["hit@5"] == [1.0, 1.0, 0.0]
    assert found.values["mean_grade@10"] == [0.4, 0.2, 0.0]
    assert found.values["recall@10"] == [1.0, 1.0, 0.0]
    assert found.mean() == pytest.approx(0.5)


def test_types() -> None:
    found = measured("verbatim-okapi", [[0], [1], [0, 3]])
    outcome = figures.outcome([found], QUERIES, 1)
    assert outcome.types == {"conceptual": [1], "phrase": [0, 2]}
    assert figures.by_type(found, outcome.types) == {"conceptual": 1.0, "phrase": 0.75}


def test_baseline_is_the_best_single_lane_of_the_verbatim() -> None:
    good, bad = [[0], [1], [3]], [[1], [0], [3]]
    ran = {
        "cross": good,
        "verbatim-exact": bad,
        "verbatim-okapi": [[0], [1], [0, 3]],
        "verbatim-hybrid:weighted": good,
        "distilled-okapi": [[1], [0], [0]],
    }
    outcome = figures.outcome([measured(name, rankings) for name, rankings in ran.items()], QUERIES, 1)
    assert [m.name for m in outcome.measured] == [
        "cross",
        "verbatim-hybrid:weighted",
        "verbatim-okapi",
        "verbatim-exact",
        "distilled-okapi",
    ]
    assert outcome.baseline == "verbatim-okapi"
    assert set(outcome.compared) == set(ran) - {"verbatim-okapi"}
    assert outcome.compared["cross"].comparison.difference.mean == pytest.approx(1 / 6)
    best = outcome.best("pure", "distilled")
    assert best is not None
    assert best.name == "distilled-okapi"
    assert outcome.best("hybrid", "distilled") is None


def test_corrections_count_the_comparisons() -> None:
    one, other = measured("cross", [[0], [1], [3]]), measured("verbatim-okapi", [[1], [0], [0, 3]])
    alone = figures.paired([("x", one, other)], 1)["x"]
    assert alone.bonferroni_t == alone.comparison.t_p == alone.holm_t
    many = figures.paired([(str(n), one, other) for n in range(4)], 1)["0"]
    assert many.bonferroni_t == pytest.approx(min(1.0, 4 * alone.comparison.t_p))
    assert many.bonferroni_wilcoxon == pytest.approx(min(1.0, 4 * alone.comparison.wilcoxon_p))


def test_without_a_verbatim_lane_nothing_is_compared() -> None:
    outcome = figures.outcome([measured("cross", [[0], [1], [3]])], QUERIES, 1)
    assert outcome.baseline is None
    assert outcome.compared == {}
    assert outcome.intervals["cross"].mean == 1.0
