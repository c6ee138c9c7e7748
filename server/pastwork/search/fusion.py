"""Several ranked lists -> one.

Pure arithmetic. In: for each lane its results, best first. Out: one list of ``Fused``, best first;
equal scores keep the greater row (the later exchange) first. Sources by each formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor

from msgspec import Struct

from pastwork.index.base import Scored

#: A lane's results, best first.
Ranked = Sequence[Scored]
#: Row -> score on a scale that lanes share.
Normal = dict[int, float]
#: Below this many results the greatest score is the yardstick, from it on the 95th percentile.
ENOUGH = 10
#: Reciprocal rank fusion's constant, as in its paper.
RRF_K = 60


class Fused(Struct, frozen=True):
    """One result: ``parts`` and ``ranks`` have one place a lane, None where the lane did not find it."""

    row: int
    score: float
    parts: tuple[float | None, ...]
    ranks: tuple[int | None, ...]


def p95_or_max(ranked: Ranked) -> Normal:
    """Scores over their 95th percentile when there are 10 or more, else over their maximum.

    The normalisation of arXiv 2603.13017; results above the percentile stay above 1. Scores that are
    not positive count 0.
    """
    positive = [max(0.0, result.score) for result in ranked]
    yardstick = percentile(positive, 0.95) if len(positive) >= ENOUGH else max(positive, default=0.0)
    return {result.row: score / yardstick if yardstick else 0.0 for result, score in zip(ranked, positive, strict=True)}


def minmax(ranked: Ranked) -> Normal:
    """Scores stretched onto 0..1 (E. A. Fox and J. A. Shaw, "Combination of Multiple Searches", 1994)."""
    if not ranked:
        return {}
    low, high = min(r.score for r in ranked), max(r.score for r in ranked)
    return {r.row: (r.score - low) / (high - low) if high > low else 1.0 for r in ranked}


def percentile(values: Sequence[float], share: float) -> float:
    """With linear interpolation between neighbours (R. J. Hyndman and Y. Fan, 1996, definition 7)."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * share
    low = floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def combmnz(lanes: Sequence[Ranked], weights: Sequence[float], normal: Callable[[Ranked], Normal]) -> list[Fused]:
    """(Weighted sum of normalised scores) x (number of lanes that found the row); Fox and Shaw, 1994."""
    return _fused(lanes, [normal(lane) for lane in lanes], weights, lambda found: found)


def weighted(lanes: Sequence[Ranked], weights: Sequence[float], normal: Callable[[Ranked], Normal]) -> list[Fused]:
    """The weighted sum of normalised scores; a lane that did not find a row gives it nothing."""
    return _fused(lanes, [normal(lane) for lane in lanes], weights, lambda found: 1)


def rrf(lanes: Sequence[Ranked], weights: Sequence[float], normal: Callable[[Ranked], Normal]) -> list[Fused]:
    """Sum of weight / (60 + rank); G. V. Cormack, C. L. A. Clarke and S. Büttcher, 2009. Scores don't count."""
    reciprocal = [{r.row: 1 / (RRF_K + rank) for rank, r in enumerate(lane, 1)} for lane in lanes]
    return _fused(lanes, reciprocal, weights, lambda found: 1)


def _fused(
    lanes: Sequence[Ranked], scores: Sequence[Normal], weights: Sequence[float], factor: Callable[[int], int]
) -> list[Fused]:
    """Every row that any lane found, by (weighted sum) x ``factor`` of the number of lanes that found it."""
    ranks = [{result.row: rank for rank, result in enumerate(lane, 1)} for lane in lanes]
    out = []
    for row in {row for lane in scores for row in lane}:
        parts = tuple(lane.get(row) for lane in scores)
        found = [(weight, part) for weight, part in zip(weights, parts, strict=True) if part is not None]
        total = sum(weight * part for weight, part in found) * factor(len(found))
        out.append(Fused(row, total, parts, tuple(lane.get(row) for lane in ranks)))
    out.sort(key=lambda fused: (-fused.score, -fused.row))
    return out


#: What fuses, by the name a mode gives it.
FUSIONS = {"combmnz": combmnz, "weighted": weighted, "rrf": rrf}
NORMALS = {"p95": p95_or_max, "minmax": minmax}
