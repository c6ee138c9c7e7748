"""Ranked exchanges with their best passages: the engine's ranking in the outside shape."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from pastwork.errors import BadUsage
from pastwork.index.base import RowSet
from pastwork.palace.hits import hit
from pastwork.palace.passages import Passages
from pastwork.palace.within import Within
from pastwork.search.engine import recent
from pastwork.search.filters import Query
from pastwork.search.modes import Mode, parse
from pastwork.search.ranking import Ranking
from pastwork.shapes import Hit, SearchAnswer, Why
from pastwork.store.reader import StoreReader
from pastwork.store.records import RowFilter

if TYPE_CHECKING:
    from pastwork.search.engine import Engine

DEFAULT_MODE = "cross"


class Allowed:
    """The rows a filter allows, kept while neither the filter nor the store's content changes."""

    def __init__(self) -> None:
        self._known: tuple[int, RowFilter] | None = None
        self._rows: RowSet | None = None

    def rows(self, store: StoreReader, where: RowFilter) -> RowSet | None:
        """None where everything is allowed."""
        wanted = store.content(), where
        if wanted != self._known:
            rows = store.rows(where)
            self._rows = None if rows is None else RowSet.of(rows)
            self._known = wanted
        return self._rows


class Asked(Struct, frozen=True):
    """A search understood: ``text`` as typed, ``query`` taken apart, ``notes`` on what of it was not usable."""

    text: str
    query: Query
    mode: Mode
    within: Within
    limit: int
    notes: tuple[str, ...] = ()


def chosen_mode(asked: str | None, configured: str) -> tuple[Mode, tuple[str, ...]]:
    """The mode asked for (raises BadUsage where there is none such), else the configured one if that makes sense."""
    if asked is not None:
        return parse(asked), ()
    try:
        return parse(configured), ()
    except BadUsage as error:
        return parse(DEFAULT_MODE), (f"settings: {error.message}; {DEFAULT_MODE} is used",)


def rank(store: StoreReader, engine: Engine, allowed: Allowed, asked: Asked) -> Ranking:
    """By relevance; without a single word, by time."""
    if not asked.query.words:
        rows = store.recent(asked.within.where, -1)
        return recent(rows)
    return engine.search(asked.query, asked.mode, allowed.rows(store, asked.within.where), asked.limit)


def search(
    store: StoreReader, engine: Engine, allowed: Allowed, passages: Passages, asked: Asked, started: float
) -> SearchAnswer:
    """``started`` is ``time.perf_counter`` of when the question came."""
    ranking = rank(store, engine, allowed, asked)
    hits = tuple(_hits(store, passages, ranking, asked.limit))
    return SearchAnswer(
        query=asked.text,
        mode=asked.mode.name,
        scope=asked.within.scope,
        took_ms=round((time.perf_counter() - started) * 1000, 1),
        total=ranking.total,
        notes=(*asked.notes, *asked.within.notes, *ranking.notes),
        hits=hits,
    )


def _hits(store: StoreReader, passages: Passages, ranking: Ranking, limit: int) -> Sequence[Hit]:
    found = ranking.found[:limit]
    kept = store.kept([each.row for each in found])
    return [
        hit(
            kept[each.row],
            each.score,
            Why(each.keyword, each.vector, each.terms),
            passages.best(store, each.row, ranking.weights, ranking.phrases),
        )
        for each in found
        if each.row in kept
    ]
