"""The configurations an evaluation compares, listed.

The paper tested 107; its own list is not public. This one holds every pure mode over every set of the
object's fields, every hybrid of a layer's two lanes, and every cross-layer mode: each differs from all
others in something that ``--mode`` can say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal

from msgspec import Struct

from pastwork.errors import BadUsage
from pastwork.search.modes import CORE, FUSIONS, KEYWORDS, VECTORS, Field, Mode, parse, subsets

Kind = Literal["pure", "hybrid", "cross"]

#: Field sets that hybrids are built over: what the live vectors hold, with rooms as in the paper, and everything.
HYBRID_FIELDS: tuple[tuple[Field, ...], ...] = (
    CORE,
    ("core", "context", "rooms"),
    ("core", "context", "rooms", "files"),
)
#: Field sets whose vectors cross-layer modes use.
CROSS_FIELDS: tuple[tuple[Field, ...], ...] = (CORE, ("core", "context", "rooms"))
#: What a reader wants to know first: each layer's lanes, their hybrids, and the default mode.
DEFAULT = (
    "verbatim-okapi",
    "verbatim-exact",
    "verbatim-hybrid:okapi+exact",
    "distilled-okapi",
    "distilled-exact",
    "distilled-exact:core+context+rooms",
    "distilled-hybrid:okapi+exact",
    "cross",
)


class Configuration(Struct, frozen=True):
    """One row of the grid; ``mode`` is what ``--mode`` takes."""

    name: str
    mode: Mode

    @property
    def kind(self) -> Kind:
        keyword, vector = self.mode.keyword, self.mode.vector
        if keyword is None or vector is None:
            return "pure"
        return "hybrid" if keyword.layer == vector.layer else "cross"

    @property
    def layer(self) -> str:
        """``verbatim``, ``distilled``, or ``both``."""
        layers = {lane.layer for lane in (self.mode.keyword, self.mode.vector) if lane is not None}
        return "both" if len(layers) > 1 else layers.pop()

    @property
    def fields(self) -> str:
        """The distilled fields that are searched, or nothing."""
        for lane in (self.mode.keyword, self.mode.vector):
            if lane is not None and lane.layer == "distilled":
                return "+".join(lane.fields)
        return ""

    @property
    def lanes(self) -> str:
        """``okapi``, ``hnsw``, ``fts+exact`` ..."""
        return "+".join(lane.kind for lane in (self.mode.keyword, self.mode.vector) if lane is not None)

    @property
    def fusion(self) -> str:
        return (
            f"{self.mode.fusion}:{self.mode.normal}"
            if self.mode.fused and self.mode.fusion != "rrf"
            else ("rrf" if self.mode.fused else "")
        )


#: The grid, part by part: (what it is, the modes).
PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("one lane of the verbatim", tuple(f"verbatim-{lane}" for lane in (*KEYWORDS, *VECTORS))),
    (
        "one lane of the distilled text, over each set of its fields",
        tuple(f"distilled-{lane}:{'+'.join(fields)}" for lane in (*KEYWORDS, *VECTORS) for fields in subsets()),
    ),
    (
        "both lanes of the verbatim, fused",
        tuple(f"verbatim-hybrid:{k}+{v}:{f}" for k, v, f in product(KEYWORDS, VECTORS, FUSIONS)),
    ),
    (
        "both lanes of the distilled text, fused",
        tuple(
            f"distilled-hybrid:{k}+{v}:{f}:{'+'.join(fields)}"
            for fields in HYBRID_FIELDS
            for k, v, f in product(KEYWORDS, VECTORS, FUSIONS)
        ),
    ),
    (
        "keywords of the verbatim with vectors of the distilled text",
        tuple(
            f"cross:{k}+{v}:{f}:{'+'.join(fields)}"
            for fields in CROSS_FIELDS
            for k, v, f in product(KEYWORDS, VECTORS, FUSIONS)
        ),
    ),
    (
        "the same, scores normalised from least to greatest",
        tuple(f"cross:{k}+{v}:{f}:minmax" for k, v, f in product(KEYWORDS, VECTORS, ("combmnz", "weighted"))),
    ),
)
PAPER: tuple[str, ...] = tuple(name for _, names in PARTS for name in names)


def chosen(names: Sequence[str]) -> list[Configuration]:
    """The configurations of ``paper``, ``default`` or modes by name, each once. Raises ``BadUsage``."""
    wanted: dict[str, None] = {}
    for name in names:
        wanted.update(dict.fromkeys({"paper": PAPER, "default": DEFAULT}.get(name, (name,))))
    if not wanted:
        raise BadUsage("nothing to evaluate", "Give --grid paper, --grid default or a search mode.")
    return list(_distinct(wanted))


def _distinct(names: Sequence[str] | dict[str, None]) -> Iterator[Configuration]:
    """Each once; of two names for one mode the first."""
    seen: set[tuple[object, ...]] = set()
    for name in names:
        mode = parse(name)
        if identity(mode) not in seen:
            seen.add(identity(mode))
            yield Configuration(name, mode)


def identity(mode: Mode) -> tuple[object, ...]:
    """What a mode does, whatever it is called."""
    if not mode.fused:
        return mode.keyword, mode.vector
    return mode.keyword, mode.vector, mode.fusion, None if mode.fusion == "rrf" else mode.normal
