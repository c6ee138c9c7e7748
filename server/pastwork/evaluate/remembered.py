"""Lanes that answer a question once: what configurations have in common is computed once for all.

Answers are those of the lane itself. A keyword lane is asked for everything that matches, which holds
the answer to every smaller question; a vector lane for what was asked, each time of another depth anew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from pastwork.index.base import Matches, RowSet, Scored
from pastwork.search.ranking import Near, Words

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

#: A narrowed search as a key: the allowed rows are few objects, made once a group.
Allowed = Collection[int] | None


class RememberedWords:
    """``size`` is how many documents the lane holds."""

    def __init__(self, lane: Words, size: int) -> None:
        self._lane, self._size = lane, size
        self._answers: dict[tuple[object, ...], tuple[Matches, dict[int, float]]] = {}
        self._kept: list[Allowed] = []
        self._holding: dict[tuple[str, ...], dict[str, int]] = {}
        self._known: dict[frozenset[str], set[str]] = {}
        self._beginning: dict[tuple[str, int], list[str]] = {}

    def lookup(
        self, terms: Mapping[str, float], k: int, allowed: Allowed = None, also: Collection[int] = ()
    ) -> Matches:
        key = (*terms.items(), id(allowed))
        if key not in self._answers:
            self._kept.append(allowed)  # so that its id stays its own
            whole = self._lane.lookup(terms, max(1, self._size), allowed)
            self._answers[key] = whole, {hit.row: hit.score for hit in whole.top}
        whole, scores = self._answers[key]
        return Matches(whole.top[: max(0, k)], whole.total, {row: scores[row] for row in also if row in scores})

    def holding(self, terms: Collection[str]) -> dict[str, int]:
        key = tuple(terms)
        if key not in self._holding:
            self._holding[key] = self._lane.holding(key)
        return self._holding[key]

    def holders(self, terms: Collection[str]) -> RowSet:
        return self._lane.holders(terms)

    def known(self, terms: Collection[str]) -> set[str]:
        key = frozenset(terms)
        if key not in self._known:
            self._known[key] = self._lane.known(terms)
        return self._known[key]

    def beginning(self, prefix: str, limit: int) -> list[str]:
        if (prefix, limit) not in self._beginning:
            self._beginning[prefix, limit] = self._lane.beginning(prefix, limit)
        return self._beginning[prefix, limit]

    def matched(self, terms: Collection[str], rows: Collection[int]) -> dict[int, list[str]]:
        """Which words a hit holds is told to people; no figure looks at it."""
        return {}


class RememberedNear:
    """A vector lane; scores of single rows are cheap and asked for anew."""

    def __init__(self, lane: Near) -> None:
        self._lane = lane
        self._answers: dict[tuple[bytes, int, int], list[Scored]] = {}
        self._kept: list[Allowed] = []

    def __len__(self) -> int:
        return len(self._lane)

    def search(self, query: NDArray[float32], k: int, allowed: Allowed = None) -> list[Scored]:
        key = query.tobytes(), k, id(allowed)
        if key not in self._answers:
            self._kept.append(allowed)
            self._answers[key] = self._lane.search(query, k, allowed)
        return self._answers[key]

    def similar(self, query: NDArray[float32], rows: Collection[int]) -> dict[int, float]:
        return self._lane.similar(query, rows)
