"""How far graders agree; pure.

``ratings`` is a table: one row an item, one column a grader, None where a grader gave nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Ratings = Sequence[Sequence[int | None]]


def fleiss_kappa(ratings: Ratings) -> float:
    """Fleiss, "Measuring nominal scale agreement among many raters" (1971).

    Items that not every grader rated are left out. 1 is perfect, 0 what chance gives; 1 too where
    only one grade was ever used.
    """
    complete = [[grade for grade in row if grade is not None] for row in ratings if None not in row]
    if not complete or len(complete[0]) < 2:
        return 1.0
    raters = len(complete[0])
    counts = [Counter(row) for row in complete]
    observed = sum((sum(n * n for n in count.values()) - raters) / (raters * (raters - 1)) for count in counts) / len(
        counts
    )
    shares = Counter(grade for row in complete for grade in row)
    total = raters * len(complete)
    expected = sum((n / total) ** 2 for n in shares.values())
    return 1.0 if expected == 1.0 else (observed - expected) / (1 - expected)


def cohen_kappa(a: Sequence[int | None], b: Sequence[int | None]) -> float:
    """Cohen, "A coefficient of agreement for nominal scales" (1960), over the items both rated."""
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    if not pairs:
        return 1.0
    observed = sum(x == y for x, y in pairs) / len(pairs)
    left, right = Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    expected = sum(left[grade] * right[grade] for grade in left) / len(pairs) ** 2
    return 1.0 if expected == 1.0 else (observed - expected) / (1 - expected)


def pairwise_cohen(ratings: Ratings) -> dict[tuple[int, int], float]:
    """Cohen's kappa of each pair of columns."""
    columns = list(zip(*ratings, strict=True))
    return {(i, j): cohen_kappa(columns[i], columns[j]) for i, j in combinations(range(len(columns)), 2)}


def krippendorff_alpha(ratings: Ratings) -> float:
    """Krippendorff's alpha for ordinal grades, missing ones allowed.

    "Computing Krippendorff's Alpha-Reliability" (2011): 1 - observed / expected disagreement over the
    coincidence matrix, with the ordinal difference function.
    """
    units = [[grade for grade in row if grade is not None] for row in ratings]
    units = [unit for unit in units if len(unit) > 1]
    totals = Counter(grade for unit in units for grade in unit)
    count = sum(totals.values())
    if count < 2 or len(totals) < 2:
        return 1.0
    grades = sorted(totals)
    distance = {(a, b): _ordinal(a, b, grades, totals) for a in grades for b in grades}
    observed = 0.0
    for unit in units:
        seen = Counter(unit)
        pairs = sum(seen[a] * seen[b] * distance[a, b] for a in seen for b in seen)
        observed += pairs / (len(unit) - 1)
    expected = sum(totals[a] * totals[b] * distance[a, b] for a in grades for b in grades) / (count - 1)
    return 1.0 - observed / expected


def _ordinal(a: int, b: int, grades: list[int], totals: Counter[int]) -> float:
    """Squared number of ratings between two grades, the ends counted half."""
    low, high = min(a, b), max(a, b)
    between = sum(totals[grade] for grade in grades if low <= grade <= high)
    return (between - (totals[low] + totals[high]) / 2) ** 2


def majority(grades: Sequence[int], tie_breaker: int | None = None) -> int | None:
    """The grade most graders gave; on a tie the tie-breaker's where it is among the tied, else None."""
    if not grades:
        return None
    counts = Counter(grades).most_common()
    tied = [grade for grade, n in counts if n == counts[0][1]]
    if len(tied) == 1:
        return tied[0]
    return tie_breaker if tie_breaker in tied else None
