"""Figures against hand-made values and against an independent library."""

from __future__ import annotations

import math
import random

import pytest

from pastwork.evaluate import metrics

LOG3 = math.log2(3)


@pytest.mark.parametrize(
    ("grades", "want"),
    [
        ([], 0.0),
        ([3], 1.0),
        ([1, 2], 0.5),
        ([0, 1, 0, 3], 0.25),
        ([1, 1, 1], 0.0),
        ([0] * 50 + [3], 0.0),
        ([0] * 49 + [3], 1 / 50),
    ],
)
def test_reciprocal_rank(grades: list[int], want: float) -> None:
    assert metrics.reciprocal_rank(grades) == pytest.approx(want)


@pytest.mark.parametrize(
    ("grades", "judged", "want"),
    [
        ([3], [3], 1.0),
        ([0, 3], [3], 1 / LOG3),
        ([2, 3], [3, 2], (3 + 7 / LOG3) / (7 + 3 / LOG3)),
        ([], [3], 0.0),
        ([0, 0], [], 0.0),
        ([0] * 10 + [3], [3], 0.0),
    ],
)
def test_ndcg(grades: list[int], judged: list[int], want: float) -> None:
    assert metrics.ndcg(grades, judged, 10) == pytest.approx(want)


@pytest.mark.parametrize(
    ("grades", "p1", "hit5", "mean10"),
    [
        ([], 0, 0, 0.0),
        ([2, 1], 1, 1, 0.3),
        ([1, 0, 0, 0, 2], 0, 1, 0.3),
        ([1, 0, 0, 0, 0, 3], 0, 0, 0.4),
        ([3] * 12, 1, 1, 3.0),
    ],
)
def test_first_places(grades: list[int], p1: int, hit5: int, mean10: float) -> None:
    assert metrics.precision_at_1(grades) == p1
    assert metrics.hit_at(grades, 5) == hit5
    assert metrics.mean_grade(grades) == pytest.approx(mean10)


@pytest.mark.parametrize(
    ("grades", "judged", "want"), [([2, 0, 3], [2, 3, 3], 2 / 3), ([0], [], 0.0), ([1], [1, 2], 0.0)]
)
def test_recall(grades: list[int], judged: list[int], want: float) -> None:
    assert metrics.recall_at(grades, judged, 10) == pytest.approx(want)


def test_agrees_with_an_independent_library() -> None:
    """trec_eval on random runs, to 1e-6; its nDCG takes gains as they are, so it is given 2^g - 1."""
    trec = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed (extra [dev])")
    chance = random.Random(7)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(60):
        documents = [f"d{place:02}" for place in range(80)]
        chance.shuffle(documents)
        qrels[f"q{number}"] = {name: chance.choice((1, 2, 2, 3)) for name in chance.sample(documents, 12)}
        run[f"q{number}"] = {name: 100.0 - place for place, name in enumerate(documents[:50])}
    gains = {query: {name: 2**grade - 1 for name, grade in judged.items()} for query, judged in qrels.items()}
    ranked = trec.RelevanceEvaluator(
        qrels, {"recip_rank", "success.5", "P.1", "recall.10"}, relevance_level=metrics.RELEVANT
    )
    theirs = ranked.evaluate(run)
    ndcg = trec.RelevanceEvaluator(gains, {"ndcg_cut.10"}).evaluate(run)
    for query, scores in run.items():
        grades = [qrels[query].get(name, 0) for name in sorted(scores, key=scores.__getitem__, reverse=True)]
        judged = list(qrels[query].values())
        assert metrics.reciprocal_rank(grades) == pytest.approx(theirs[query]["recip_rank"], abs=1e-6)
        assert metrics.hit_at(grades, 5) == pytest.approx(theirs[query]["success_5"], abs=1e-6)
        assert metrics.precision_at_1(grades) == pytest.approx(theirs[query]["P_1"], abs=1e-6)
        assert metrics.recall_at(grades, judged, 10) == pytest.approx(theirs[query]["recall_10"], abs=1e-6)
        assert metrics.ndcg(grades, judged, 10) == pytest.approx(ndcg[query]["ndcg_cut_10"], abs=1e-6)
