"""Several ranked lists -> one.

Pure arithmetic. In: for each lane its results, best first, and its scores of rows that other lanes
found (``also``), where it can tell them. Out: one list of ``Fused``, best first; equal scores keep the
greater row (the later exchange) first. Each formula names its source.

Why ``also``: a lane cut at a depth says nothing about a row below it, and CombMNZ would take that for
"not found". Completed lists make the fused order independent of the depth (bench/quality/results).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import floor

from msgspec import Struct

from pastwork.index.base import Scored

#: Below this many results the greatest score is the yardstick, from it on the 95th percentile.
ENOUGH = 10
#: Reciprocal rank fusion's constant, as in its paper.
RRF_K = 60

#: A lane's score on a scale that lanes share.
Scale = Callable[[float], float]


class Ranked(Struct, frozen=True):
    """One lane's answer: its best results, and what it gives to rows that only others found."""

    top: Sequence[Scored]
    also: Mapping[int, float] = {}


class Fused(Struct, frozen=True):
    """One result: ``parts`` and ``ranks`` have one place a lane, None where the lane did not find it."""

    row: int
    score: float
    parts: tuple[float | None, ...]
    ranks: tuple[int | None, ...]


def p95_or_max(scores: Sequence[float]) -> Scale:
    """Scores over their 95th percentile when there are 10 or more, else over their maximum.

    The normalisation of arXiv 2603.13017; results above the percentile stay above 1.
    """
    positive = [max(0.0, score) for score in scores]
    yardstick = percentile(positive, 0.95) if len(positive) >= ENOUGH else max(positive, default=0.0)
    return lambda score: max(0.0, score) / yardstick if yardstick else 0.0


def minmax(scores: Sequence[float]) -> Scale:
    """Scores stretched onto 0..1 (E. A. Fox and J. A. Shaw, "Combination of Multiple Searches", 1994)."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return lambda score: max(0.0, (score - low) / (high - low)) if high > low else float(score >= high)


def percentile(values: Sequence[float], share: float) -> float:
    """With linear interpolation between neighbours (R. J. Hyndman and Y. Fan, 1996, definition 7)."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * share
    low = floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def combmnz(lanes: Sequence[Ranked], weights: Sequence[float], normal: Normal, most: int | None = None) -> list[Fused]:
    """(Weighted sum of normalised scores) x (number of lanes that found the row); Fox and Shaw, 1994."""
    scores = [_normalised(lane, normal) for lane in lanes]
    total, found = _sums(scores, weights)
    return _told(lanes, scores, {row: score * found[row] for row, score in total.items()}, most)


def weighted(lanes: Sequence[Ranked], weights: Sequence[float], normal: Normal, most: int | None = None) -> list[Fused]:
    """The weighted sum of normalised scores; a lane that did not find a row gives it nothing."""
    scores = [_normalised(lane, normal) for lane in lanes]
    return _told(lanes, scores, _sums(scores, weights)[0], most)


def rrf(lanes: Sequence[Ranked], weights: Sequence[float], normal: Normal, most: int | None = None) -> list[Fused]:
    """Sum of weight / (60 + rank); G. V. Cormack, C. L. A. Clarke and S. Büttcher, 2009. Scores don't count."""
    scores = [{r.row: 1 / (RRF_K + rank) for rank, r in enumerate(lane.top, 1)} for lane in lanes]
    return _told(lanes, scores, _sums(scores, weights)[0], most)


def _normalised(lane: Ranked, normal: Normal) -> Scores:
    """Row -> score on the shared scale, which the lane's own results alone decide."""
    scale = normal([result.score for result in lane.top])
    scores = {row: scale(score) for row, score in lane.also.items()}
    for result in lane.top:
        scores[result.row] = scale(result.score)
    return scores


def _sums(scores: Sequence[Scores], weights: Sequence[float]) -> tuple[Scores, dict[int, int]]:
    """For every row that any lane found: the weighted sum of its scores, and how many lanes found it."""
    total: Scores = {}
    found: dict[int, int] = {}
    for lane, weight in zip(scores, weights, strict=True):
        for row, score in lane.items():
            total[row] = total.get(row, 0.0) + weight * score
            found[row] = found.get(row, 0) + 1
    return total, found


def _told(lanes: Sequence[Ranked], scores: Sequence[Scores], total: Scores, most: int | None) -> list[Fused]:
    """The best rows with what each lane said of them."""
    ranks = [{result.row: rank for rank, result in enumerate(lane.top, 1)} for lane in lanes]
    best = sorted(total, key=lambda row: (-total[row], -row))[:most]
    return [
        Fused(row, total[row], tuple([lane.get(row) for lane in scores]), tuple([lane.get(row) for lane in ranks]))
        for row in best
    ]


Scores = dict[int, float]
Normal = Callable[[Sequence[float]], Scale]
#: What fuses and what normalises, by the name a mode gives it.
FUSIONS = {"combmnz": combmnz, "weighted": weighted, "rrf": rrf}
NORMALS = {"p95": p95_or_max, "minmax": minmax}
