"""Questions in, answers out: the worker's side of the pipe, without the pipe."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import traceback
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from pastwork.config import Config
from pastwork.errors import BadUsage, NotFound, PastworkError
from pastwork.markdown import exchange_document
from pastwork.palace import Palace
from pastwork.search.filters import Filters
from pastwork.shapes import (
    ContextAnswer,
    ErrorBody,
    ForgetAnswer,
    HistoryAnswer,
    IndexAnswer,
    RoomAnswer,
    RoomsAnswer,
    SearchAnswer,
)
from pastwork.worker import questions as ask
from pastwork.worker.cache import Cache
from pastwork.worker.page import history_page

Clock = Callable[[], datetime]

#: Searches nothing but SQLite.
CAREFUL_MODE = "verbatim-okapi"
CAREFUL_NOTE = "the search process ended unexpectedly several times; for now search is by keyword only"


class Answers:
    """``data`` is the data folder, ``home`` the user's home folder, ``clock`` gives UTC."""

    def __init__(self, data: Path, config: Config, home: Path, clock: Clock) -> None:
        self._data = data
        self._config = config
        self._home = home
        self._clock = clock
        self._careful = False
        self._cache = Cache(data)
        self._palace = Palace(data, config, home, clock)

    @property
    def idle_seconds(self) -> float:
        return self._config.embedding.idle_minutes * 60

    def configure(self, config: Config, careful: bool = False) -> None:
        """Other settings from now on; ``careful`` searches by keyword unless a mode is asked for."""
        self._palace.close()
        self._careful = careful
        self._config = config
        self._palace = Palace(self._data, config, self._home, self._clock)

    def rest(self) -> None:
        """Lets go of store and model until they are needed again."""
        self._palace.close()

    def answered(self, number: int, question: ask.Question) -> ask.Answered:
        """The line to send back; whatever goes wrong is an error of this one question."""
        try:
            result = msgspec.Raw(msgspec.json.encode(self.answer(question)))
        except PastworkError as error:
            body = ErrorBody(error.code, error.message, error.remedy)
            return ask.Answered(number, error=body, usage=isinstance(error, BadUsage))
        except sqlite3.Error as error:
            self._palace.close()
            body = ErrorBody("store_unusable", f"the store can't be read: {error}", "Run `pastwork doctor`.")
            return ask.Answered(number, error=body)
        except Exception as error:  # noqa: BLE001 - the request boundary: a fault is logged and answered, whatever it is
            where = "; ".join(f"{at.filename}:{at.lineno}" for at in traceback.extract_tb(error.__traceback__))
            sys.stderr.write(f"pastwork.worker: {type(error).__name__} at {where}\n")
            return ask.Answered(number, error=ErrorBody("failed", "internal error; the server's log says where", ""))
        return ask.Answered(number, result)

    def answer(self, question: ask.Question) -> Struct:
        """Raises what the palace raises."""
        match question:
            case ask.Search():
                return self._search(question)
            case ask.Rooms():
                return self._rooms(question)
            case ask.Show():
                return self._show(question.id)
            case ask.Touched():
                return self._palace.touched(question.id, _paths(question.folders))
            case ask.Context():
                return self._context(question)
            case ask.Forget():
                return self._forget(question.id)
            case ask.Reindex():
                return self._reindex(question)
            case ask.Documents():
                return self._documents(question.ids)
            case ask.Page():
                return self._page(question.history)
            case ask.History() | ask.Blame() | ask.Written() | ask.Lines():
                return self._of_file(question)

    def _of_file(self, question: ask.History | ask.Blame | ask.Written | ask.Lines) -> Struct:
        file, folders = Path(question.file), _paths(question.folders)
        match question:
            case ask.History():
                return self._history(question)
            case ask.Blame():
                return self._palace.blame(file, question.text, folders)
            case ask.Written():
                return self._palace.written(question.id, file, question.text, folders)
            case ask.Lines():
                return self._palace.lines(file, question.text, folders, question.pieces)

    def _search(self, question: ask.Search) -> SearchAnswer:
        filters = _filters(question)
        weaker: tuple[str, ...] = ()
        if self._careful and filters.mode is None:
            filters, weaker = structs.replace(filters, mode=CAREFUL_MODE), (CAREFUL_NOTE,)
        answer = self._palace.search(question.query, filters, _paths(question.folders))
        return structs.replace(answer, notes=(*weaker, *answer.notes))

    def _rooms(self, question: ask.Rooms) -> RoomsAnswer | RoomAnswer:
        folders = _paths(question.folders)
        if question.room is None:
            return self._palace.rooms(_filters(question), folders)
        return self._palace.room(question.room, structs.replace(_filters(question), room=None), folders)

    def _history(self, question: ask.History) -> HistoryAnswer:
        return self._palace.history(Path(question.file), question.line, question.text, _paths(question.folders))

    def _context(self, question: ask.Context) -> ContextAnswer:
        folders = _paths(question.folders)
        return self._palace.context(_filters(question), question.budget, question.query, folders, question.ids)

    def _show(self, exchange_id: str) -> ask.ExchangeAnswer:
        shown = self._palace.show(exchange_id)
        return ask.ExchangeAnswer(**structs.asdict(shown), markdown=exchange_document(shown, str(self._home)))

    def _forget(self, exchange_id: str) -> ForgetAnswer:
        from pastwork.store.forget import Forgetting
        from pastwork.sync.forget import forget

        self._palace.close()
        return forget(self._data, Forgetting(exchange_id=exchange_id))

    def _reindex(self, question: ask.Reindex) -> IndexAnswer:
        from pastwork.palace.embedder import make_embedder
        from pastwork.sync.handover import borrow
        from pastwork.sync.run import Sync
        from pastwork.transcripts.base import Env
        from pastwork.transcripts.registry import READERS

        env = Env(self._home, dict(os.environ), tuple(_paths(question.folders)))
        with borrow(self._data) as writer:
            embedder = make_embedder(self._config, self._data, spare=1)
            return Sync(env, self._config, writer, READERS, self._clock, embedder).run_once(question.full)

    def _documents(self, ids: tuple[str, ...]) -> ask.Put:
        files = {}
        for exchange_id in ids:
            try:
                shown = self._palace.show(exchange_id)
            except NotFound:
                continue
            files[exchange_id] = str(self._cache.put(shown.id, exchange_document(shown, str(self._home))))
        return ask.Put(files)

    def _page(self, question: ask.History) -> ask.Put:
        """The verbatim of each exchange is put beside it, so that the page's links open in any editor."""
        answer = self._history(question)
        files = self._documents(tuple(match.hit.id for match in answer.matches)).files
        name = hashlib.sha256(f"{answer.file}\0{answer.line}".encode(errors="replace")).hexdigest()[:16]
        page = self._cache.put(f"history-{name}", history_page(answer, files, self._clock()))
        return ask.Put({**files, "history": str(page)})


def _filters(question: ask.Search | ask.Rooms | ask.Context) -> Filters:
    return Filters(
        mode=question.mode if isinstance(question, ask.Search) else None,
        scope=question.scope,
        limit=question.limit,
        agent=question.agent,
        file=question.file,
        room=question.room,
        since=question.since,
        until=question.until,
        branch=question.branch,
        fixes=question.fixes,
    )


def _paths(folders: tuple[str, ...]) -> list[Path]:
    return [Path(folder) for folder in folders]
