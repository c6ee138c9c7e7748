"""Statistics against scipy, scikit-learn and values worked out by hand."""

from __future__ import annotations

import math
import random

import pytest

from pastwork.evaluate import agreement, statistics

stats = pytest.importorskip("scipy.stats", reason="scipy is not installed (extra [eval])")


def sample(seed: int, shift: float = 0.0, count: int = 80) -> list[float]:
    chance = random.Random(seed)
    return [chance.random() + shift for _ in range(count)]


def test_compare_agrees_with_scipy() -> None:
    a, b = sample(1, 0.1), sample(2)
    got = statistics.compare(a, b)
    assert got.t_p == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=1e-12)
    assert got.wilcoxon_p == pytest.approx(
        stats.wilcoxon([x - y for x, y in zip(a, b, strict=True)], mode="approx").pvalue, abs=1e-12
    )
    assert got.difference.low < got.difference.mean < got.difference.high


def test_compare_of_equal_sides_finds_nothing() -> None:
    a = sample(3)
    assert statistics.compare(a, a) == statistics.Comparison(statistics.Interval(0.0, 0.0, 0.0), 0.0, 1.0, 1.0)


def test_bootstrap_is_reproducible_and_close_to_the_normal_interval() -> None:
    values = sample(4, count=400)
    once, again = statistics.bootstrap(values, seed=5), statistics.bootstrap(values, seed=5)
    assert once == again
    half = 1.96 * stats.tstd(values) / math.sqrt(len(values))
    assert once.high - once.low == pytest.approx(2 * half, rel=0.1)


@pytest.mark.parametrize(
    ("a", "b", "want"),
    [
        ([1.0, 2.0, 3.0], [0.0, 0.0, 3.0], 1.0),
        ([1.0], [0.0], 0.0),
        ([1.0, 1.0], [1.0, 1.0], 0.0),
        ([2.0, 2.0], [1.0, 1.0], math.inf),
    ],
)
def test_cohens_d(a: list[float], b: list[float], want: float) -> None:
    assert statistics.cohens_d(a, b) == pytest.approx(want)


def test_corrections() -> None:
    p = [0.01, 0.04, 0.03, 0.005]
    assert statistics.bonferroni(p) == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert statistics.holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert statistics.bonferroni([0.9, 0.9]) == [1.0, 1.0]


def ratings(seed: int, graders: int = 4, items: int = 120) -> list[list[int | None]]:
    chance = random.Random(seed)
    table: list[list[int | None]] = []
    for _ in range(items):
        true = chance.randrange(4)
        table.append([true if chance.random() < 0.6 else chance.randrange(4) for _ in range(graders)])
    return table


def test_cohen_kappa_agrees_with_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed (extra [dev])")
    table = ratings(6)
    for (i, j), kappa in agreement.pairwise_cohen(table).items():
        theirs = sklearn.cohen_kappa_score([row[i] for row in table], [row[j] for row in table])
        assert kappa == pytest.approx(theirs, abs=1e-12)


def test_fleiss_kappa_of_the_published_example() -> None:
    """The worked example of Fleiss' definition: 10 items, 14 raters, 5 categories, kappa .210."""
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    table = [[grade for grade, n in enumerate(row) for _ in range(n)] for row in counts]
    assert agreement.fleiss_kappa(table) == pytest.approx(0.2099, abs=1e-4)


def test_krippendorff_alpha_of_the_published_example() -> None:
    """Krippendorff's example with missing values (4 observers, 12 units): ordinal alpha .815."""
    rows = ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."]
    columns = [[None if cell == "." else int(cell) for cell in row.split()] for row in rows]
    table = [list(unit) for unit in zip(*columns, strict=True)]
    assert agreement.krippendorff_alpha(table) == pytest.approx(0.815, abs=5e-4)


@pytest.mark.parametrize("measure", [agreement.fleiss_kappa, agreement.krippendorff_alpha])
def test_perfect_and_single_grade_agreement(measure: object) -> None:
    assert callable(measure)
    assert measure([[1, 1], [3, 3], [0, 0]]) == pytest.approx(1.0)
    assert measure([[2, 2], [2, 2]]) == 1.0


@pytest.mark.parametrize(
    ("grades", "breaker", "want"),
    [
        ([3, 3, 1], None, 3),
        ([3, 1], None, None),
        ([3, 1], 1, 1),
        ([3, 1], 2, None),
        ([], 3, None),
        ([0, 0, 2, 2, 1], 2, 2),
    ],
)
def test_majority(grades: list[int], breaker: int | None, want: int | None) -> None:
    assert agreement.majority(grades, breaker) == want
