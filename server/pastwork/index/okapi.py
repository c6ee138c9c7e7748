"""The live keyword lane: BM25-Okapi over code-aware tokens, in the store's own tables.

In: the searchable fields of each exchange (masked), by row, within the store's transaction. Out: rows
by BM25 over weighted frequencies (S. Robertson, H. Zaragoza and M. Taylor, "Simple BM25 Extension to
Multiple Weighted Fields", 2004: weigh the frequencies, then score once).

A reader sees what was committed, at once and never half of it. ``postings.py`` keeps the words,
``bm25.py`` holds the formula, ``tokens.py`` the token rule.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from pastwork.index import scoring
from pastwork.index.base import Fields, Matches, RowSet, Scored
from pastwork.index.bm25 import K1, B
from pastwork.index.postings import KeywordsDamaged, Postings, fresh_number
from pastwork.index.segments import CAP, FLUSH, LARGEST, Bag, Posting, Segment, full_class, pack, unpack
from pastwork.index.tokens import tokens

#: Changes with the token rule or the tables: a store made under another recipe is indexed again.
RECIPE = 2
#: How often a token counts by the field it stands in, in halves (bench/quality/results).
WEIGHTS = {"prompt": 4, "prose": 2, "commands": 1, "errors": 1}
#: Larger merges wait for ``tidy``, so that no single exchange waits for them.
INLINE = 8192
#: Bytes of posting lists kept between searches of one generation: one types a query word by word.
KEPT = 24 << 20

P = ParamSpec("P")
R = TypeVar("R")


def _consistent(method: Callable[Concatenate[OkapiLane, P], R]) -> Callable[Concatenate[OkapiLane, P], R]:
    """Lets a method read one state of the tables, whatever is committed meanwhile."""

    @wraps(method)
    def inside(self: OkapiLane, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._postings.snapshot():
            return method(self, *args, **kwargs)

    return inside


class OkapiLane:
    """BM25 over the exchanges of one store; ``connection`` is the store's."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        analyse: Callable[[str], Sequence[str]] = tokens,
        k1: float = K1,
        b: float = B,
        weights: Mapping[str, int] = WEIGHTS,
    ) -> None:
        self._postings = Postings(connection)
        self._analyse = analyse
        self._k1, self._b, self._weights = k1, b, weights
        self._state: scoring.State | None = None
        self._known: dict[str, dict[int, Posting]] = {}
        self._size = 0
        self._segments: dict[int, Segment] = {}

    # --- writing (inside the caller's transaction)

    def prepare(self) -> bool:
        """Makes the tables; True when every exchange has to be added: none was yet, other rules, or damage."""
        if self._postings.meta("recipe") == RECIPE and self._is_readable():
            return False
        self._postings.drop()
        self._postings.create()
        self._postings.set_meta("recipe", RECIPE)
        self._postings.set_meta("birth", fresh_number())
        self._changed()
        return True

    def add(self, rows: Iterable[tuple[int, Fields | str]]) -> None:
        """Adds or replaces exchanges by their searchable fields; plain text counts as prose."""
        bags = {row: self._counted(text if isinstance(text, Fields) else Fields(prose=text)) for row, text in rows}
        if not bags:
            return
        self._bury(bags)
        items: list[tuple[int, Bag]] = list(bags.items())
        if len(items) < FLUSH:
            self._postings.put_pending(items)
            waiting = self._postings.pending()
            items = waiting if len(waiting) >= FLUSH else []
            if items:
                self._postings.clear_pending()
        for start in range(0, len(items), LARGEST):
            self._postings.write(items[start : start + LARGEST])
        self._changed()
        self._merge(INLINE)

    def remove(self, rows: Collection[int]) -> None:
        """Takes rows out; their words leave the tables for good with the next ``purge``."""
        if rows:
            self._bury(rows)
            self._changed()

    def purge(self) -> None:
        """Rewrites every segment with dead rows, so that nothing of a removed exchange is left."""
        for segment in self._live():
            if segment.dead:
                self._postings.merge([segment])
        self._postings.relearn()
        self._changed()

    def tidy(self) -> bool:
        """One larger merge, for idle moments; True while more may be left to do."""
        return self._merge(LARGEST)

    # --- reading

    def search(self, query: str, k: int, allowed: Collection[int] | None = None) -> list[Scored]:
        """The ``k`` best rows for the query's tokens."""
        return self.lookup(dict.fromkeys(self._analyse(query), 1.0), k, allowed).top

    @_consistent
    def lookup(
        self, terms: Mapping[str, float], k: int, allowed: Collection[int] | None = None, also: Collection[int] = ()
    ) -> Matches:
        """The ``k`` best rows for tokens with weights of their own, and the scores of the rows ``also``."""
        state = self._load()
        if state is None or not terms or k <= 0:
            return Matches([], 0, {})
        narrowed = None if allowed is None else RowSet.of(allowed)
        return scoring.best(state, self._lists(state, terms), terms, k, self._k1, narrowed, RowSet.of(also))

    @_consistent
    def holding(self, terms: Collection[str]) -> dict[str, int]:
        """How many exchanges hold each of the terms; unknown terms are left out."""
        state = self._load()
        return {} if state is None else scoring.holding(state, self._lists(state, terms))

    @_consistent
    def matched(self, terms: Collection[str], rows: Collection[int]) -> dict[int, list[str]]:
        """Which of the terms each of the rows holds, in the terms' order."""
        state = self._load()
        return {} if state is None else scoring.matched(state, self._lists(state, terms), list(rows))

    @_consistent
    def holders(self, terms: Collection[str]) -> RowSet:
        """The rows that hold every one of the terms; none for no terms."""
        state = self._load()
        return RowSet.of(()) if state is None else scoring.holders(state, self._lists(state, terms))

    @_consistent
    def known(self, terms: Collection[str]) -> set[str]:
        """Those of the terms that are in the vocabulary; cheap for hundreds."""
        return set() if self._load() is None else self._postings.known(terms)

    @_consistent
    def beginning(self, prefix: str, limit: int) -> list[str]:
        """Terms of the vocabulary that begin so, the shortest first."""
        return [] if self._load() is None else self._postings.beginning(prefix, limit)

    def birth(self) -> int:
        """A number that tells these tables from any made before or elsewhere; 0 before ``prepare``."""
        return self._postings.meta("birth") or 0

    @_consistent
    def rows(self) -> list[int]:
        """Every row that the lane holds."""
        state = self._load()
        return sorted(
            row for place in (state.places if state else ()) for row in place.segment.rows[place.segment.alive].tolist()
        )

    @_consistent
    def faults(self) -> list[str]:
        """What does not add up: a segment's frequencies must sum to its lengths, its places must exist."""
        if self._load() is None:
            return []
        return [fault for segment in self._live() for fault in self._postings.faults(segment)]

    # --- inside

    def _counted(self, fields: Fields) -> Bag:
        bag = Counter[str]()
        for field, weight in self._weights.items():
            if not weight:
                continue
            for term, count in Counter(self._analyse(getattr(fields, field))).items():
                bag[term] += weight * count
        return {term: min(count, CAP) for term, count in bag.items()}

    def _is_readable(self) -> bool:
        try:
            self._live()
            self._postings.pending()
        except KeywordsDamaged:
            return False
        return True

    def _changed(self) -> None:
        self._postings.set_meta("generation", fresh_number())

    def _live(self) -> list[Segment]:
        """The segments as they stand, read only where they are new or lost rows."""
        dead = self._postings.dead_counts()
        known, self._segments = self._segments, {}
        for segment_id in self._postings.segment_ids():
            old = known.get(segment_id)
            fresh = old is not None and old.dead == dead.get(segment_id, 0)
            self._segments[segment_id] = old if old is not None and fresh else self._postings.segment(segment_id)
        return list(self._segments.values())

    def _bury(self, rows: Collection[int]) -> None:
        """Makes the rows' present postings dead."""
        import numpy as np

        self._postings.drop_pending(rows)
        gone = RowSet.of(rows)
        for segment in self._live():
            places = np.flatnonzero(gone.has(segment.rows) & segment.alive)
            if len(places):
                self._postings.kill(segment.id, places.tolist())

    def _merge(self, largest: int) -> bool:
        """Merges the first full size class below ``largest`` documents, again and again; whether any was."""
        merged = False
        while group := full_class(self._live(), largest):
            self._postings.merge(group)
            self._changed()
            merged = True
            if largest > INLINE:
                break
        return merged

    def _load(self) -> scoring.State | None:
        """The state of the present generation; None before ``prepare``."""
        generation = self._postings.meta("generation")
        if generation is None:
            return None
        if self._state is None or self._state.generation != generation:
            segments: list[tuple[Segment, dict[str, bytes] | None]] = [(segment, None) for segment in self._live()]
            segments.append(pack(self._postings.pending()))
            self._state = scoring.state_of(generation, segments, self._k1, self._b)
            self._known, self._size = {}, 0
        return self._state

    def _lists(self, state: scoring.State, terms: Collection[str]) -> dict[str, dict[int, Posting]]:
        """The terms' posting lists, by segment; those of the last searches are still in memory."""
        if self._size > KEPT:
            self._known, self._size = {}, 0
        missing = [term for term in terms if term not in self._known]
        for term in missing:
            self._known[term] = {}
        for number, place in enumerate(state.places) if missing else ():
            for term, blob in self._blobs(place, missing):
                self._known[term][number] = unpack(blob)
                self._size += len(blob)
        return {term: self._known[term] for term in terms}

    def _blobs(self, place: scoring.Place, terms: Collection[str]) -> Iterable[tuple[str, bytes]]:
        if place.bags is not None:
            return [(term, place.bags[term]) for term in terms if term in place.bags]
        return self._postings.lookup(place.segment.id, terms)
