"""What ``--mode`` takes, and what it says of what it doesn't."""

from __future__ import annotations

import pytest

from pastwork.errors import BadUsage
from pastwork.search.modes import CORE, KeywordLane, Mode, VectorsLane, names, parse, subsets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cross", Mode("cross", KeywordLane("verbatim", "okapi"), VectorsLane("distilled", "auto", CORE))),
        (" Cross ", Mode("cross", KeywordLane("verbatim", "okapi"), VectorsLane("distilled", "auto", CORE))),
        (
            "cross:okapi+hnsw:rrf",
            Mode(
                "cross:okapi+hnsw:rrf", KeywordLane("verbatim", "okapi"), VectorsLane("distilled", "hnsw", CORE), "rrf"
            ),
        ),
        (
            "cross:rrf:fts",
            Mode("cross:rrf:fts", KeywordLane("verbatim", "fts"), VectorsLane("distilled", "auto", CORE), "rrf"),
        ),
        (
            "cross:weighted:minmax:rooms+core",
            Mode(
                "cross:weighted:minmax:rooms+core",
                KeywordLane("verbatim", "okapi"),
                VectorsLane("distilled", "auto", ("core", "rooms")),
                "weighted",
                "minmax",
            ),
        ),
        ("verbatim-okapi", Mode("verbatim-okapi", KeywordLane("verbatim", "okapi"), None)),
        ("verbatim-hnsw", Mode("verbatim-hnsw", None, VectorsLane("verbatim", "hnsw"))),
        ("distilled-fts:files", Mode("distilled-fts:files", KeywordLane("distilled", "fts", ("files",)), None)),
        (
            "distilled-hybrid:core",
            Mode(
                "distilled-hybrid:core",
                KeywordLane("distilled", "okapi", ("core",)),
                VectorsLane("distilled", "auto", ("core",)),
            ),
        ),
    ],
)
def test_parse(text: str, expected: Mode) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "crossed",
        "verbatim",
        "verbatim-bm25",
        "distilled-exact:rrf",
        "cross:okapi+fts",
        "cross:exact+hnsw",
        "cross:",
        "cross:core+okapi",
        "verbatim-okapi:core",
        "distilled-okapi:exact",
        "cross:rrf:banana",
    ],
)
def test_what_is_no_mode_is_told_with_the_modes_there_are(text: str) -> None:
    with pytest.raises(BadUsage) as caught:
        parse(text)
    assert repr(text) in caught.value.message
    assert "cross" in caught.value.remedy


def test_every_name_of_the_grid_parses_and_none_means_the_same_as_another() -> None:
    grid = list(names())
    parsed = [parse(name) for name in grid]
    assert len(grid) > 107
    assert len({(m.keyword, m.vector, m.fusion, m.normal) for m in parsed}) == len(grid)


def test_every_set_of_fields_is_there() -> None:
    assert len(set(subsets())) == 15
    assert CORE in set(subsets())
