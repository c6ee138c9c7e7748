"""One configuration asked all queries: the rows it ranks.

Pure but for the lanes. What is kept of a configuration is its rankings; every figure is made from them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from pastwork.evaluate.documents import Document
from pastwork.evaluate.labels import Query
from pastwork.index.base import RowSet
from pastwork.search.engine import Engine
from pastwork.search.filters import Query as Parsed
from pastwork.search.filters import parse_query
from pastwork.search.modes import Mode
from pastwork.search.ranking import Lanes

#: Rows of one query, best first.
Ranking = list[int]


class Ranked(Struct, frozen=True):
    """A configuration's name and one ranking a query, in the queries' order."""

    name: str
    rankings: list[Ranking]


class Searcher:
    """Asks an engine as ``pastwork search`` does; a query's group narrows it."""

    def __init__(self, lanes: Lanes, documents: Sequence[Document], limit: int) -> None:
        self._engine = Engine(lanes, lambda row: documents[row].verbatim)
        self._limit = limit
        members: dict[str, list[int]] = defaultdict(list)
        for row, document in enumerate(documents):
            if document.group is not None:
                members[document.group].append(row)
        self._groups = {name: RowSet.of(rows) for name, rows in members.items()}
        self._parsed: dict[str, Parsed] = {}

    def rank(self, name: str, mode: Mode, queries: Sequence[Query]) -> Ranked:
        """All queries under one mode."""
        return Ranked(name, [self.ask(query, mode) for query in queries])

    def ask(self, query: Query, mode: Mode) -> Ranking:
        """One query: at most ``limit`` rows."""
        if query.query not in self._parsed:
            self._parsed[query.query] = parse_query(query.query)
        allowed = self._groups[query.group] if query.group is not None else None
        answer = self._engine.search(self._parsed[query.query], mode, allowed, self._limit)
        return [hit.row for hit in answer.found]
