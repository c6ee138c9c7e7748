"""What a search gives and what it needs: plain data and the two protocols of its lanes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from pastwork.index.base import Matches, RowSet, Scored
from pastwork.search.modes import KeywordLane, VectorsLane

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class Found(Struct, frozen=True):
    """One ranked exchange. ``score``, ``keyword`` and ``vector`` are 0..1, 1 being the best there could be
    or the lane's own best; ranks count from 1; ``terms`` are words of the query as typed."""

    row: int
    score: float
    keyword: float | None = None
    vector: float | None = None
    keyword_rank: int | None = None
    vector_rank: int | None = None
    terms: tuple[str, ...] = ()


class Ranking(Struct, frozen=True):
    """``total`` counts the exchanges that any lane found; ``weights`` are the searched tokens, for snippets."""

    found: tuple[Found, ...] = ()
    total: int = 0
    notes: tuple[str, ...] = ()
    weights: Mapping[str, float] = {}
    phrases: tuple[str, ...] = ()


class Words(Protocol):
    """A keyword lane as the engine uses it."""

    def lookup(
        self, terms: Mapping[str, float], k: int, allowed: Collection[int] | None = None, also: Collection[int] = ()
    ) -> Matches: ...

    def holding(self, terms: Collection[str]) -> dict[str, int]: ...

    def matched(self, terms: Collection[str], rows: Collection[int]) -> dict[int, list[str]]: ...

    def holders(self, terms: Collection[str]) -> RowSet: ...

    def known(self, terms: Collection[str]) -> set[str]: ...

    def beginning(self, prefix: str, limit: int) -> list[str]: ...


class Near(Protocol):
    """A vector lane as the engine uses it."""

    def __len__(self) -> int: ...

    def search(self, query: NDArray[float32], k: int, allowed: Collection[int] | None = None) -> list[Scored]: ...

    def similar(self, query: NDArray[float32], rows: Collection[int]) -> dict[int, float]: ...


class Lanes(Protocol):
    """Gives the lanes of a mode, made at first use and fresh with the store.

    ``vectors`` is None, with a note, where there are none or no model to ask with; ``words`` gives another
    lane, with a note, where the wanted one can't be made.
    """

    def words(self, lane: KeywordLane, notes: list[str]) -> Words: ...

    def vectors(self, lane: VectorsLane, notes: list[str]) -> Near | None: ...

    def embed(self, text: str, notes: list[str]) -> NDArray[float32] | None: ...


def terms_of(
    rows: Collection[int], held: Mapping[int, Sequence[str]], typed: Mapping[str, str]
) -> dict[int, list[str]]:
    """Matched tokens as the words they were typed as, each once, in the query's order."""
    return {row: list(dict.fromkeys(typed[token] for token in held.get(row, ()) if token in typed)) for row in rows}
