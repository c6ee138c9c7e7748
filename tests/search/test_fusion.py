"""Fusion against arithmetic done by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.index.base import Scored
from pastwork.search.fusion import FUSIONS, NORMALS, Ranked, combmnz, minmax, p95_or_max, percentile, rrf, weighted


def ranked(scores: dict[int, float], also: dict[int, float] | None = None) -> Ranked:
    top = [Scored(row, score) for row, score in sorted(scores.items(), key=lambda pair: -pair[1])]
    return Ranked(top, also or {})


def scores_of(fused: list) -> dict[int, float]:  # type: ignore[type-arg]
    return {hit.row: pytest.approx(hit.score) for hit in fused}


KEYWORD = ranked({1: 10.0, 2: 5.0, 3: 2.5})
VECTOR = ranked({2: 0.8, 4: 0.4})


def test_combmnz_multiplies_the_sum_by_the_number_of_lanes() -> None:
    fused = combmnz([KEYWORD, VECTOR], (0.6, 0.4), p95_or_max)
    assert scores_of(fused) == {1: 0.6, 2: 2 * (0.3 + 0.4), 3: 0.15, 4: 0.2}
    assert [hit.row for hit in fused] == [2, 1, 4, 3]
    assert fused[0].parts == (0.5, 1.0)
    assert fused[0].ranks == (2, 1)
    assert fused[1].parts == (1.0, None)
    assert fused[1].ranks == (1, None)


def test_weighted_is_the_sum_alone() -> None:
    assert scores_of(weighted([KEYWORD, VECTOR], (0.6, 0.4), p95_or_max)) == {1: 0.6, 2: 0.7, 3: 0.15, 4: 0.2}


def test_rrf_looks_at_ranks_alone() -> None:
    fused = rrf([KEYWORD, VECTOR], (1.0, 1.0), p95_or_max)
    assert scores_of(fused) == {1: 1 / 61, 2: 1 / 62 + 1 / 61, 3: 1 / 63, 4: 1 / 62}


def test_what_a_lane_tells_of_others_rows_counts_on_its_own_scale() -> None:
    completed = [ranked({1: 10.0, 2: 5.0}, {4: 1.0}), ranked({2: 0.8, 4: 0.4}, {1: 0.2, 5: 0.0})]
    fused = combmnz(completed, (1.0, 1.0), p95_or_max)
    assert scores_of(fused) == {1: 2 * (1 + 0.25), 2: 2 * (0.5 + 1), 4: 2 * (0.1 + 0.5), 5: 0.0}
    assert next(hit for hit in fused if hit.row == 4).ranks == (None, 2)


def test_ten_results_are_measured_by_their_95th_percentile() -> None:
    scale = p95_or_max([float(n) for n in range(1, 21)])
    assert scale(19.05) == pytest.approx(1.0)
    assert scale(20.0) > 1.0
    assert p95_or_max([3.0, 1.0])(3.0) == 1.0
    assert p95_or_max([])(1.0) == 0.0
    assert p95_or_max([0.0] * 12)(1.0) == 0.0
    assert p95_or_max([-0.5, 0.5])(-0.5) == 0.0


def test_minmax_stretches_onto_the_unit_interval() -> None:
    scale = minmax([2.0, 4.0, 6.0])
    assert [scale(x) for x in (2.0, 4.0, 6.0, 1.0)] == [0.0, 0.5, 1.0, 0.0]
    assert minmax([3.0, 3.0])(3.0) == 1.0


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1.0), (0.5, 2.5), (0.95, 3.85), (1.0, 4.0)])
def test_percentile_interpolates(share: float, expected: float) -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], share) == pytest.approx(expected)


def test_equal_scores_keep_the_later_row_first() -> None:
    assert [hit.row for hit in weighted([ranked({1: 1.0}), ranked({9: 1.0})], (0.5, 0.5), p95_or_max)] == [9, 1]


scored = st.dictionaries(st.integers(0, 40), st.floats(-1, 50), max_size=30)


@given(scored, scored, st.sampled_from(sorted(FUSIONS)), st.sampled_from(sorted(NORMALS)))
def test_every_fusion_keeps_every_row_once_in_order(
    a: dict[int, float], b: dict[int, float], fusion: str, normal: str
) -> None:
    fused = FUSIONS[fusion]([ranked(a), ranked(b)], (0.6, 0.4), NORMALS[normal])
    assert sorted(hit.row for hit in fused) == sorted(a.keys() | b.keys())
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)
