"""The table of configurations."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from pastwork.errors import BadUsage
from pastwork.evaluate.grid import DEFAULT, PAPER, PARTS, Configuration, chosen, identity
from pastwork.search.modes import FUSIONS, KEYWORDS, VECTORS, parse


def test_as_many_as_the_paper_s() -> None:
    assert len(PAPER) >= 107


def test_no_two_are_alike() -> None:
    """Not by name, and not by what they do."""
    assert len(set(PAPER)) == len(PAPER)
    assert [mode for mode, count in Counter(identity(parse(name)) for name in PAPER).items() if count > 1] == []


def test_identity_ignores_what_a_fusion_ignores() -> None:
    assert identity(parse("cross:rrf")) == identity(parse("cross:rrf:minmax"))
    assert identity(parse("cross")) != identity(parse("cross:minmax"))
    assert identity(parse("cross:okapi+exact")) == identity(parse("cross:okapi+exact:combmnz:p95:core+context"))


def test_every_name_is_a_mode_that_a_user_can_give() -> None:
    for name in chain(PAPER, DEFAULT):
        assert parse(name).name == name


def test_every_lane_layer_and_fusion_is_there() -> None:
    found = chosen(["paper"])
    pure = {(c.layer, c.lanes) for c in found if c.kind == "pure"}
    assert pure == {(layer, lane) for layer in ("verbatim", "distilled") for lane in (*KEYWORDS, *VECTORS)}
    for kind, layers in (("hybrid", {"verbatim", "distilled"}), ("cross", {"both"})):
        those = [c for c in found if c.kind == kind]
        assert {c.layer for c in those} == layers
        assert {(c.lanes, c.mode.fusion) for c in those} == {
            (f"{k}+{v}", f) for k in KEYWORDS for v in VECTORS for f in FUSIONS
        }


def test_parts_are_told_apart() -> None:
    assert all(title and names for title, names in PARTS)
    assert sum(len(names) for _, names in PARTS) == len(PAPER)


@pytest.mark.parametrize(
    ("names", "want"),
    [
        (["default"], list(DEFAULT)),
        (["cross", "verbatim-okapi"], ["cross", "verbatim-okapi"]),
        (["cross", "cross:combmnz", "cross:p95"], ["cross"]),
        (["default", "verbatim-okapi", "cross:rrf"], [*DEFAULT, "cross:rrf"]),
    ],
)
def test_chosen(names: list[str], want: list[str]) -> None:
    assert [c.name for c in chosen(names)] == want


@pytest.mark.parametrize(("names", "says"), [([], "nothing to evaluate"), (["verbatim-magic"], "verbatim-magic")])
def test_what_can_not_be_chosen(names: list[str], says: str) -> None:
    with pytest.raises(BadUsage, match=says):
        chosen(names)


@pytest.mark.parametrize(
    ("name", "kind", "layer", "lanes", "fields", "fusion"),
    [
        ("verbatim-okapi", "pure", "verbatim", "okapi", "", ""),
        ("distilled-hnsw:core+files", "pure", "distilled", "hnsw", "core+files", ""),
        ("verbatim-hybrid:fts+exact:weighted", "hybrid", "verbatim", "fts+exact", "", "weighted:p95"),
        ("cross:fts+hnsw:minmax", "cross", "both", "fts+hnsw", "core+context", "combmnz:minmax"),
        ("cross:okapi+exact:rrf", "cross", "both", "okapi+exact", "core+context", "rrf"),
    ],
)
def test_columns(name: str, kind: str, layer: str, lanes: str, fields: str, fusion: str) -> None:
    found = Configuration(name, parse(name))
    assert (found.kind, found.layer, found.lanes, found.fields, found.fusion) == (kind, layer, lanes, fields, fusion)
