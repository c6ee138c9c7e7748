"""Ranked exchanges with their best passages: the engine's ranking in the outside shape."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pastwork.config import Config
from pastwork.errors import BadUsage
from pastwork.index.base import RowSet
from pastwork.index.tokens import words
from pastwork.palace.embedder import make_embedder
from pastwork.palace.hits import hit
from pastwork.palace.passages import Passages, fields
from pastwork.palace.sessions import session_notes
from pastwork.palace.within import Within
from pastwork.search.engine import Engine, recent
from pastwork.search.filters import Filters, Query, named, narrowed, parse_query, shown, sound
from pastwork.search.lanes import StoreLanes
from pastwork.search.modes import Mode, parse
from pastwork.search.ranking import Ranking
from pastwork.shapes import Hit, SearchAnswer, Why
from pastwork.store import places
from pastwork.store.reader import StoreReader
from pastwork.store.records import RowFilter
from pastwork.store.vectors import recipe

DEFAULT_MODE = "cross"


class Typed(Struct, frozen=True):
    """What was typed, taken apart; ``filters`` hold the prefixes of the text too; ``notes`` what was not usable."""

    text: str
    query: Query
    mode: Mode
    filters: Filters
    notes: tuple[str, ...] = ()


def typed(text: str, filters: Filters, configured_mode: str, now: datetime) -> Typed:
    """Raises BadUsage for a mode there is none such; nothing in the text is an error."""
    text = sound(text)
    query = parse_query(text)
    filters, ignored = narrowed(filters, query, now)
    mode, notes = _mode(filters.mode, configured_mode)
    return Typed(text, query, mode, filters, (*notes, *ignored))


def _mode(asked: str | None, configured: str) -> tuple[Mode, tuple[str, ...]]:
    """The mode asked for, else the configured one if that makes sense, else the default."""
    if asked is not None:
        return parse(asked), ()
    try:
        return parse(configured), ()
    except BadUsage as error:
        return parse(DEFAULT_MODE), (f"settings: {error.message}; {DEFAULT_MODE} is used",)


class Searching:
    """The engine over one reader of the store, with what it keeps between two searches.

    Lanes, model and row sets are loaded when a search first needs them.
    """

    def __init__(self, store: StoreReader, config: Config, data: Path) -> None:
        self.store = store
        self._masking = config.redact.enabled
        self._passages = Passages(self._masking)
        self._allowed: tuple[int, RowFilter, RowSet | None] | None = None
        embedder = make_embedder(config, data, spare=0)
        self._lanes = StoreLanes(
            store, embedder, recipe, lambda row: fields(store, row, self._masking), data / places.DERIVED
        )
        self._engine = Engine(self._lanes, lambda row: self._passages.text(store, row))

    def rank(self, asked: Typed, where: RowFilter, limit: int) -> Ranking:
        """By relevance; without a single word, by time."""
        ranking = self._ranked(asked, where, limit)
        if ranking.total or not named(asked.filters):
            return ranking
        rows = self._rows(where)
        nothing = (f"no exchange is left by {named(asked.filters)}",) if rows is not None and not len(rows) else ()
        return replace(ranking, notes=(*ranking.notes, *nothing))

    def _ranked(self, asked: Typed, where: RowFilter, limit: int) -> Ranking:
        text = asked.query.words
        if next(words(text), None) is not None:
            return self._engine.search(asked.query, asked.mode, self._rows(where), limit)
        newest = self.store.recent(where, limit)
        total = len(newest) if len(newest) < limit else self.store.count(where)
        notes = (f"there is no word in {shown(text)}; this is the most recent work",) if text else ()
        return recent(newest, total, notes)

    def answer(self, asked: Typed, within: Within, limit: int, started: float) -> SearchAnswer:
        """``started`` is ``time.perf_counter`` of when the question came."""
        ranking = self.rank(asked, within.where, limit)
        hits = tuple(self._hits(ranking, limit))
        return SearchAnswer(
            query=asked.text,
            mode=asked.mode.name,
            scope=within.scope,
            took_ms=round((time.perf_counter() - started) * 1000, 1),
            total=ranking.total,
            notes=(*asked.notes, *within.notes, *ranking.notes),
            hits=hits,
        )

    def close(self) -> None:
        self._lanes.close()

    def _rows(self, where: RowFilter) -> RowSet | None:
        """The rows a filter allows (None: all), kept while neither the filter nor the store's content changes."""
        content = self.store.content()
        if self._allowed is None or self._allowed[:2] != (content, where):
            rows = self.store.rows(where)
            self._allowed = content, where, None if rows is None else RowSet.of(rows)
        return self._allowed[2]

    def _hits(self, ranking: Ranking, limit: int) -> Sequence[Hit]:
        found = ranking.found[:limit]
        kept = self.store.kept([each.row for each in found])
        shown = [each for each in found if each.row in kept]
        best = self._passages.best(self.store, [each.row for each in shown], ranking.weights, ranking.phrases)
        notes = session_notes(kept[each.row] for each in shown)
        return [
            hit(kept[each.row], each.score, Why(each.keyword, each.vector, each.terms), passage, note)
            for each, passage, note in zip(shown, best, notes, strict=True)
        ]
