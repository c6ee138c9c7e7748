"""Retrieval figures of one ranked list; pure.

A ranking is a sequence of grades (0..3), best-placed first; what is not judged counts as 0. A hit is
*relevant* from grade 2 on. Definitions: MRR after Voorhees, "The TREC-8 Question Answering Track
Report" (1999); nDCG with gain 2^g - 1 and discount log2(rank + 1) after Burges et al., "Learning to
Rank using Gradient Descent" (2005).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Grades = Sequence[int]

RELEVANT = 2


def reciprocal_rank(grades: Grades, depth: int = 50) -> float:
    """1 / rank of the first relevant hit among the first ``depth``, else 0."""
    for rank, grade in enumerate(grades[:depth], start=1):
        if grade >= RELEVANT:
            return 1.0 / rank
    return 0.0


def precision_at_1(grades: Grades) -> float:
    """1 where the first hit is relevant."""
    return float(bool(grades) and grades[0] >= RELEVANT)


def hit_at(grades: Grades, k: int) -> float:
    """1 where a relevant hit is among the first ``k``."""
    return float(any(grade >= RELEVANT for grade in grades[:k]))


def mean_grade(grades: Grades, k: int = 10) -> float:
    """Mean grade of the first ``k`` places; empty places count as 0."""
    return sum(grades[:k]) / k


def dcg(grades: Grades, k: int) -> float:
    """Discounted cumulative gain of the first ``k`` places."""
    return sum((pow(2.0, grade) - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades[:k], start=1))


def ndcg(grades: Grades, judged: Grades, k: int = 10) -> float:
    """DCG over the DCG of the best order of all ``judged`` grades; 0 where nothing is relevant at all."""
    ideal = dcg(sorted(judged, reverse=True), k)
    return dcg(grades, k) / ideal if ideal else 0.0


def recall_at(grades: Grades, judged: Grades, k: int) -> float:
    """Share of all relevant items that are among the first ``k``."""
    total = sum(grade >= RELEVANT for grade in judged)
    return sum(grade >= RELEVANT for grade in grades[:k]) / total if total else 0.0


#: Name -> figure of one query from (ranked grades, all judged grades).
FIGURES: dict[str, Callable[[Grades, Grades], float]] = {
    "mrr": lambda grades, _: reciprocal_rank(grades),
    "ndcg@10": lambda grades, judged: ndcg(grades, judged, 10),
    "p@1": lambda grades, _: precision_at_1(grades),
    "hit@5": lambda grades, _: hit_at(grades, 5),
    "recall@10": lambda grades, judged: recall_at(grades, judged, 10),
    "mean_grade@10": lambda grades, _: mean_grade(grades, 10),
}
