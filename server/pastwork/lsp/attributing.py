"""Keeps the attribution of open documents up to date: asked of the worker, landed in the session."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import msgspec

from pastwork.errors import PastworkError
from pastwork.lsp.authors import Placed
from pastwork.lsp.session import Session
from pastwork.lsp.worker_child import Worker
from pastwork.palace.lines import Authors
from pastwork.worker.questions import Lines

log = logging.getLogger("pastwork.lsp")

#: Seconds of quiet after a change before its lines are asked for.
TYPING = 0.25
#: Seconds before it is asked again, where git had not answered yet.
AGAIN = (1.0, 2.0, 5.0, 15.0)
#: Larger texts (characters) are not attributed.
LARGEST = 4_000_000


class Attributing:
    """One question a document at the most; a newer text takes the older question back."""

    def __init__(self, session: Session, worker: Worker, landed: Callable[[], None]) -> None:
        self._session = session
        self._worker = worker
        self._landed = landed
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def later(self, uri: str, at_once: bool = False) -> None:
        """The document, or what is known of its past, has changed."""
        self._cancel(uri)
        task = asyncio.ensure_future(self._attribute(uri, 0.0 if at_once else TYPING))
        self._tasks[uri] = task
        task.add_done_callback(lambda done: self._tasks.pop(uri, None) if self._tasks.get(uri) is done else None)

    def forget(self, uri: str) -> None:
        """The document is closed."""
        self._cancel(uri)
        self._session.placed.pop(uri, None)

    def stop(self) -> None:
        for uri in list(self._tasks):
            self._cancel(uri)

    def _cancel(self, uri: str) -> None:
        if (task := self._tasks.pop(uri, None)) is not None:
            task.cancel()

    async def _attribute(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        for rest in AGAIN:
            if await self._settled(uri):
                return
            await asyncio.sleep(rest)

    async def _settled(self, uri: str) -> bool:
        """Asks once; False where the worker says that a later answer may be better."""
        session, document = self._session, self._session.documents.get(uri)
        if document is None or document.path is None:
            return True
        if not session.works(uri) or len(document.text) > LARGEST:
            session.placed.pop(uri, None)
            return True
        folders = tuple(str(folder) for folder in session.folders)
        question = Lines(str(document.path), document.text, folders, session.config.lens.symbols)
        try:
            answer = await self._worker.ask(question)
        except PastworkError as error:
            log.info("lines stay unattributed: %s", error.code)
            return True
        authors = msgspec.json.decode(answer, type=Authors)
        session.placed[uri] = Placed(document.lines, authors)
        self._landed()
        return authors.settled
