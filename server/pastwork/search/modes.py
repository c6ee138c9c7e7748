"""What ``--mode`` may say.

A mode is a name and, after colons, its variations in any order::

    cross                       verbatim keywords + distilled vectors, CombMNZ (the default)
    cross:fts+hnsw:rrf          other lanes, another fusion (combmnz, weighted, rrf)
    cross:minmax                another normalisation (p95, minmax)
    verbatim-okapi              one layer, one lane: okapi, fts, exact, hnsw
    distilled-exact:core+rooms  one layer, over some of its fields: core, context, rooms, files
    distilled-hybrid:fts+exact  one layer, its keyword and its vector lane fused

Names that don't exist raise ``BadUsage`` with those that do.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pastwork.errors import BadUsage

Layer = Literal["verbatim", "distilled"]
Keyword = Literal["okapi", "fts"]
Near = Literal["auto", "exact", "hnsw"]
Fusion = Literal["combmnz", "weighted", "rrf"]
Normal = Literal["p95", "minmax"]
Field = Literal["core", "context", "rooms", "files"]

KEYWORDS: tuple[Keyword, ...] = ("okapi", "fts")
VECTORS: tuple[Near, ...] = ("exact", "hnsw")
FUSIONS: tuple[Fusion, ...] = ("combmnz", "weighted", "rrf")
NORMALS: tuple[Normal, ...] = ("p95", "minmax")
FIELDS: tuple[Field, ...] = ("core", "context", "rooms", "files")
LAYERS: tuple[Layer, ...] = ("verbatim", "distilled")
#: The text of the live vectors.
CORE: tuple[Field, ...] = ("core", "context")


class KeywordLane(Struct, frozen=True):
    """Words of a layer; ``fields`` only of the distilled one."""

    layer: Layer
    kind: Keyword
    fields: tuple[Field, ...] = ()


class VectorsLane(Struct, frozen=True):
    """Meaning of a layer; ``auto`` is exact search while that is fast, else HNSW."""

    layer: Layer
    kind: Near
    fields: tuple[Field, ...] = ()


class Mode(Struct, frozen=True):
    """One way to search: a keyword lane, a vector lane, or both and how they are fused."""

    name: str
    keyword: KeywordLane | None
    vector: VectorsLane | None
    fusion: Fusion = "combmnz"
    normal: Normal = "p95"

    @property
    def fused(self) -> bool:
        return self.keyword is not None and self.vector is not None


def parse(text: str) -> Mode:
    """The mode that the text names. Raises ``BadUsage``."""
    name, *variations = text.strip().lower().split(":")
    mode = _named(name, text)
    for variation in variations:
        mode = _varied(mode, variation, text)
    return replace(mode, name=text.strip().lower())


def names() -> Iterator[str]:
    """Every pure and hybrid mode over each set of fields, and every cross-layer one: the grid of an evaluation."""
    pure = [*KEYWORDS, *VECTORS]
    hybrids = [f"hybrid:{k}+{v}:{f}" for k in KEYWORDS for v in VECTORS for f in FUSIONS]
    yield from (f"verbatim-{lane}" for lane in chain(pure, hybrids))
    for fields in subsets():
        yield from (f"distilled-{lane}:{'+'.join(fields)}" for lane in pure)
    for fields in (CORE, ("core", "context", "rooms"), FIELDS):
        yield from (f"distilled-{hybrid}:{'+'.join(fields)}" for hybrid in hybrids)
    for k, v, f in ((k, v, f) for k in KEYWORDS for v in VECTORS for f in FUSIONS):
        yield f"cross:{k}+{v}:{f}"
        yield f"cross:{k}+{v}:{f}:core+context+rooms"


def subsets() -> Iterator[tuple[Field, ...]]:
    """Each non-empty set of distilled fields, smaller ones first."""
    return (chosen for size in range(1, len(FIELDS) + 1) for chosen in combinations(FIELDS, size))


def _named(name: str, text: str) -> Mode:
    if name == "cross":
        return Mode(name, KeywordLane("verbatim", "okapi"), VectorsLane("distilled", "auto", CORE))
    for layer in LAYERS:
        fields = CORE if layer == "distilled" else ()
        if name == f"{layer}-hybrid":
            return Mode(name, KeywordLane(layer, "okapi", fields), VectorsLane(layer, "auto", fields))
        for kind in KEYWORDS:
            if name == f"{layer}-{kind}":
                return Mode(name, KeywordLane(layer, kind, fields), None)
        for near in VECTORS:
            if name == f"{layer}-{near}":
                return Mode(name, None, VectorsLane(layer, near, fields))
    raise _unknown(text, f"there is no mode {name!r}")


def _varied(mode: Mode, variation: str, text: str) -> Mode:
    parts = variation.split("+")
    for fusion in FUSIONS:
        if variation == fusion and mode.fused:
            return replace(mode, fusion=fusion)
    for normal in NORMALS:
        if variation == normal and mode.fused:
            return replace(mode, normal=normal)
    if set(parts) <= {*KEYWORDS, *VECTORS} and mode.fused:
        return _with_lanes(mode, parts, text)
    fields = tuple(field for field in FIELDS if field in parts)
    if parts and set(parts) == set(fields) and "distilled" in _layers(mode):
        return _with_fields(mode, fields)
    raise _unknown(text, f"{variation!r} does not fit {mode.name}")


def _with_lanes(mode: Mode, parts: list[str], text: str) -> Mode:
    keyword, vector = mode.keyword, mode.vector
    kinds = [kind for kind in KEYWORDS if kind in parts]
    nears = [near for near in VECTORS if near in parts]
    if keyword is None or vector is None or len(kinds) > 1 or len(nears) > 1:
        raise _unknown(text, "a mode has one keyword and one vector lane")
    return replace(
        mode,
        keyword=replace(keyword, kind=kinds[0]) if kinds else keyword,
        vector=replace(vector, kind=nears[0]) if nears else vector,
    )


def _with_fields(mode: Mode, fields: tuple[Field, ...]) -> Mode:
    """The fields for those of the mode's lanes that search the distilled layer."""
    keyword, vector = mode.keyword, mode.vector
    if keyword is not None and keyword.layer == "distilled":
        keyword = replace(keyword, fields=fields)
    if vector is not None and vector.layer == "distilled":
        vector = replace(vector, fields=fields)
    return replace(mode, keyword=keyword, vector=vector)


def _layers(mode: Mode) -> set[Layer]:
    return {lane.layer for lane in (mode.keyword, mode.vector) if lane is not None}


def _unknown(text: str, why: str) -> BadUsage:
    return BadUsage(
        f"mode {text!r}: {why}",
        "use cross, <layer>-<lane> or <layer>-hybrid with layer verbatim or distilled and lane okapi, fts, exact or "
        "hnsw; after colons: lanes (okapi+hnsw), fields (core+rooms), combmnz, weighted, rrf, p95, minmax",
    )
