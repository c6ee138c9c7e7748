"""One object that gives every answer about past work.

Cheap to make: the store is opened at the first question and the search lanes and the model at the
first search. Thread-confined like the store's reader; one per process or worker is right. Answers
are structs of ``shapes.py``; what the user did wrong or what is missing is raised from
``errors.py``; what only weakens an answer is a sentence in its ``notes``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from pastwork import shapes
from pastwork.config import Config
from pastwork.palace.opening import Opening
from pastwork.palace.scope import Scope, workspace_of
from pastwork.store.reader import StoreReader
from pastwork.store.records import Kept

if TYPE_CHECKING:
    from pastwork.anchor.placer import Placer
    from pastwork.palace.context import Form, Packing, Tokenizer
    from pastwork.palace.history import Subject
    from pastwork.palace.lines import Authors
    from pastwork.palace.search import Searching
    from pastwork.palace.within import Recorded, Within
    from pastwork.search.filters import Filters

Clock = Callable[[], datetime]


class Palace:
    """``data`` is the data folder, ``home`` the user's home folder, ``clock`` gives UTC."""

    def __init__(
        self,
        data: Path,
        config: Config,
        home: Path,
        clock: Clock,
        aliases: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """``aliases`` are added to the settings' own; git is run with ``variables`` (by default the process's)."""
        self.data = data
        self.config = config
        self.home = home
        self.clock = clock
        self._aliases = {**config.workspace.aliases, **(aliases or {})}
        self._variables = variables
        self._opening = Opening(data)
        self._placer: Placer | None = None
        self._tokenizer: Tokenizer | None = None
        self._search: Searching | None = None
        self._scopes: dict[tuple[Path, ...], Scope] = {}
        self._recorded: Recorded | None = None

    def search(self, query: str, filters: Filters, folders: Sequence[Path] = ()) -> shapes.SearchAnswer:
        """Ranked exchanges; an empty query gives the newest. Raises BadUsage for a filter that makes no sense."""
        from pastwork.palace.search import typed

        started = time.perf_counter()
        asked = typed(query, filters, self.config.search.mode, self.clock())
        settled = self._settled(asked.filters)
        within = self._within(settled, folders)
        answer = self._searching().answer(asked, within, settled.limit or 0, started)
        return replace(answer, notes=(*self._notes(), *answer.notes))

    def history(
        self, file: Path, line: int | None = None, text: str | None = None, folders: Sequence[Path] = ()
    ) -> shapes.HistoryAnswer:
        """Past work on a file or a line. ``text`` is the unsaved buffer; None reads the file. Raises BadUsage."""
        from pastwork.palace.history import history

        store = self._store()
        answer = history(store, self._placing(), self._subject(file, text, folders), line)
        return replace(answer, notes=(*self._notes(), *answer.notes))

    def blame(self, file: Path, text: str | None = None, folders: Sequence[Path] = ()) -> shapes.BlameAnswer:
        """Line -> exchange, only where the tier is ``line``."""
        from pastwork.palace.history import blame

        return blame(self._store(), self._placing(), self._subject(file, text, folders))

    def lines(self, file: Path, text: str, folders: Sequence[Path] = (), with_pieces: bool = False) -> Authors:
        """Who wrote which line of a text that is open in an editor; waits for git only as long as ``patience``."""
        from pastwork.palace.history import place
        from pastwork.palace.lines import authors

        asked = self._subject(file, text, folders)
        placed = place(self._store(), self._placing(), asked)
        return authors(self._store(), placed, str(file), text, with_pieces)

    def written(
        self, exchange_id: str, file: Path, text: str | None = None, folders: Sequence[Path] = ()
    ) -> shapes.WrittenAnswer:
        """The text of a file with what one exchange wrote put back, to be compared with it. Raises NotFound."""
        from pastwork.palace.written import written

        return written(self._store(), self._placing(), self._subject(file, text, folders), exchange_id)

    def show(self, exchange_id: str) -> shapes.ShowAnswer:
        """The verbatim. Raises NotFound."""
        from pastwork.palace.show import show

        return show(self._store(), exchange_id)

    def touched(self, exchange_id: str, folders: Sequence[Path] = ()) -> shapes.TouchedAnswer:
        """The files of an exchange, each with where it is today in ``folders``. Raises NotFound."""
        from pastwork.palace.touched import touched

        variables = dict(os.environ) if self._variables is None else self._variables
        return touched(self._store(), exchange_id, self._scope(folders).places, folders, variables)

    def whole_id(self, exchange_id: str, filters: Filters, folders: Sequence[Path] = ()) -> str:
        """The whole id of the exchange within the filters whose id begins so; others' ids tell nothing.

        Raises NotFound, and BadUsage where several begin so.
        """
        from pastwork.palace.show import find

        store = self._store()
        asked = self._within(self._settled(filters), folders)
        widened = asked.scope != (filters.scope or self.config.search.scope)
        return find(store, exchange_id, () if widened else store.rows(asked.where)).id

    def short(self, ids: Collection[str]) -> dict[str, str]:
        """The ids' shortest beginnings that stand for them."""
        return self._store().short(ids)

    def tokenizer(self) -> Tokenizer:
        """What counts tokens, loaded once."""
        if self._tokenizer is None:
            from pastwork.palace.tokenizer import tokenizer

            self._tokenizer = tokenizer(self.config, self.data)
        return self._tokenizer

    def rooms(self, filters: Filters, folders: Sequence[Path] = ()) -> shapes.RoomsAnswer:
        """Rooms with counts, fullest first."""
        from pastwork.palace.rooms import rooms

        filters = self._settled(filters)
        asked = self._within(filters, folders)
        return rooms(self._store(), asked.where, filters.limit or 0, (*self._notes(), *asked.notes))

    def room(self, name: str, filters: Filters, folders: Sequence[Path] = ()) -> shapes.RoomAnswer:
        """The exchanges of ``type:key``, a key or a label, newest first. Raises NotFound."""
        from pastwork.palace.rooms import room

        filters = self._settled(filters)
        asked = self._within(filters, folders)
        return room(self._store(), name, asked.where, filters.limit or 0, (*self._notes(), *asked.notes))

    def context(
        self,
        filters: Filters,
        budget: int,
        query: str | None = None,
        folders: Sequence[Path] = (),
        ids: Sequence[str] = (),
        form: Form = "text",
    ) -> shapes.ContextAnswer:
        """Palace objects packed into ``budget`` tokens, the most useful first: those of ``ids``, else the best of
        ``query``, else by file or room, else the newest. Raises BadUsage, and NotFound for an id.
        """
        from pastwork.palace.context import MANY, Packing, likely, named, rest

        if ids:
            return self._packed(named(self._store(), ids), 0, Packing(budget, form, "more"), self._notes())
        from pastwork.palace.search import typed
        from pastwork.palace.useful import sorted_for

        asked = typed(query or "", filters, self.config.search.mode, self.clock())
        limit = filters.limit or MANY
        most = min(limit, likely(budget))
        within = self._within(self._settled(replace(asked.filters, limit=limit)), folders)
        ranking = self._searching().rank(asked, within.where, most)
        sorts = not asked.query.words and (asked.filters.file or asked.filters.room)
        rows = [found.row for found in ranking.found[: MANY if sorts else most]]
        kept = self._store().kept(rows)
        found = [kept[row] for row in rows if row in kept]
        best = sorted_for(found, asked.filters)[:most] if sorts else found
        beyond = max(0, min(ranking.total, filters.limit or ranking.total) - len(best))
        notes = (*self._notes(), *asked.notes, *within.notes, *ranking.notes)
        return self._packed(best, beyond, Packing(budget, form, rest(asked)), notes)

    def status(self) -> shapes.StatusAnswer:
        """What is indexed, what was skipped, what is pending."""
        from pastwork.palace.status import status

        return status(self._store(), self.config, self.clock(), self._notes())

    def close(self) -> None:
        """Closes the store and drops the model; the next question opens them again."""
        self._close_searching()
        self._recorded = None
        self._opening.close()
        if self._placer is not None:
            self._placer.close()
            self._placer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _packed(
        self, found: Sequence[Kept], beyond: int, packing: Packing, notes: tuple[str, ...]
    ) -> shapes.ContextAnswer:
        """``beyond`` more exchanges were not even looked at."""
        from pastwork.palace.context import pack

        wanted = replace(packing, nonce=token_hex(8), masking=self.config.redact.enabled)
        if found:
            wanted = replace(wanted, tokenizer=self.tokenizer())
        return pack(found, self.short([kept.id for kept in found]), wanted, beyond, notes)

    def _store(self) -> StoreReader:
        return self._opening.reader()

    def _notes(self) -> tuple[str, ...]:
        return (self._opening.note,) if self._opening.note else ()

    def _searching(self) -> Searching:
        """The lanes belong to one reader of the store and go with it."""
        store = self._store()
        if self._search is None or self._search.store is not store:
            from pastwork.palace.search import Searching

            self._close_searching()
            self._search = Searching(store, self.config, self.data)
        return self._search

    def _close_searching(self) -> None:
        if self._search is not None:
            self._search.close()
            self._search = None

    def _settled(self, filters: Filters) -> Filters:
        from pastwork.palace.within import settled

        wanted = self.config.search
        return settled(filters, wanted.scope, wanted.limit, self.clock())

    def _within(self, filters: Filters, folders: Sequence[Path]) -> Within:
        from pastwork.palace.within import Recorded, within

        if self._recorded is None:
            self._recorded = Recorded()
        return within(self._store(), filters, folders, self._scope(folders), self._recorded)

    def _subject(self, file: Path, text: str | None, folders: Sequence[Path]) -> Subject:
        from pastwork.palace.history import subject

        holding = [folder for folder in folders if file.is_relative_to(folder)]
        return subject(file, self._scope(holding or [workspace_of(file.parent)]).places, text)

    def _placing(self) -> Placer:
        if self._placer is None:
            from pastwork.anchor.placer import Placer

            self._placer = Placer(dict(os.environ) if self._variables is None else self._variables)
        return self._placer

    def _scope(self, folders: Sequence[Path]) -> Scope:
        wanted = tuple(folders)
        if wanted not in self._scopes:
            self._scopes[wanted] = Scope.of(wanted, self.home, self._aliases)
        return self._scopes[wanted]
