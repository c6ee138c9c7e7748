"""The parts of one connection put together, and how they follow what happens.

Made just after ``initialize`` is answered. The store watch brings maps, the worker brings who wrote
which line, the sync child brings news of the indexing; each lands in the session's memory and, where
something shown has changed, in a refresh of the client's lenses.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import msgspec
from lsprotocol import types as lsp
from msgspec import Raw, Struct, structs

from pastwork.config import config_path, load, session_home
from pastwork.errors import PastworkError, StoreUnusable
from pastwork.lsp import symbols
from pastwork.lsp.attributing import Attributing
from pastwork.lsp.documents import Document
from pastwork.lsp.editor import Editor
from pastwork.lsp.mapper import Interest, Look, Mapper
from pastwork.lsp.news import News
from pastwork.lsp.session import Session
from pastwork.lsp.settings import Abilities, Tree
from pastwork.lsp.sync_child import Changed, Event, State, SyncChild
from pastwork.lsp.watch import StoreWatch
from pastwork.lsp.worker_child import Worker
from pastwork.markdown import document_address
from pastwork.shapes import IndexStatus, StatusAnswer, StoreStatus, VectorStatus, WriterStatus
from pastwork.worker.cache import documents_folder
from pastwork.worker.questions import Documents, Put, Question

log = logging.getLogger("pastwork")

#: Seconds that the first lens of a session may wait for the first map.
FIRST_MAP = 1.0


#: What our own sync child says of itself counts before what the store remembers.
_INDEX_STATES = {"indexing": "running", "paused": "paused"}


class Places(Struct, frozen=True):
    """Where the data, the user's home and the settings file are."""

    data: Path
    home: Path
    config: Path

    @classmethod
    def of_process(cls) -> Places:
        return cls(session_home(), Path.home(), config_path())


def utc_now() -> datetime:
    return datetime.now(UTC)


class Connection:
    """``start`` begins all background work, ``stop`` ends it and the children."""

    def __init__(self, editor: Editor, places: Places, clock: Callable[[], datetime] = utc_now) -> None:
        self.editor = editor
        self.session = Session(places.home, documents_folder(places.data), clock)
        self.worker = Worker(lambda: self.session.config)
        self.sync = SyncChild(self._heard)
        self.watch = StoreWatch(Mapper(places.data, places.home, clock), self._interest, self._looked)
        self.news = News(editor, self.status)
        self.attributing = Attributing(self.session, self.worker, self._refresh)
        self._places = places
        self._tree: Tree = {}
        self._notes: tuple[str, ...] = ()
        self._trouble = ""
        self._state = State("standby")
        self._shown: dict[str, object] = {}
        self._first_map = asyncio.Event()
        self._preparing: asyncio.Task[None] | None = None

    # --- life -------------------------------------------------------------------------------------------

    def start(self, abilities: Abilities, tree: Tree, folders: Iterable[Path]) -> None:
        self.session.abilities = self.editor.abilities = abilities
        self.session.folders = tuple(folders)
        self.configure(tree)
        self.watch.start()
        self.sync.start()

    async def stop(self) -> None:
        self.news.stop()
        self.attributing.stop()
        await asyncio.gather(self.watch.stop(), self.worker.stop(), self.sync.stop())

    async def deputy(self, question: Question) -> Raw:
        """An answer that takes long, from a process of its own that ends with it."""
        deputy = Worker(lambda: self.session.config)
        try:
            return await deputy.ask(question)
        finally:
            await deputy.stop()

    # --- answers that need more than the session ----------------------------------------------------------

    def hover(self, uri: str, position: lsp.Position) -> lsp.Hover | None:
        found = self.session.hover_at(uri, position)
        if found is None:
            return None
        abilities = self.session.abilities
        if abilities.reads_markdown and not abilities.shows_exchanges:
            self.prepare_documents(found.ids)
        kind = lsp.MarkupKind.Markdown if abilities.reads_markdown else lsp.MarkupKind.PlainText
        return lsp.Hover(lsp.MarkupContent(kind, found.text))

    async def symbols(self, query: str) -> list[lsp.WorkspaceSymbol]:
        """Exchanges whose core or rooms hold the words of the query, newest first."""
        found = list(islice(symbols.matching(self.session.map.works, query), symbols.MOST))
        if self.session.abilities.shows_exchanges:
            return [symbols.symbol(work, document_address(work.id)) for work in found]
        files = await self._documents([work.id for work in found])
        return [symbols.symbol(work, Path(files[work.id]).as_uri()) for work in found if work.id in files]

    async def _documents(self, ids: Iterable[str]) -> dict[str, str]:
        """Files with the verbatim of these exchanges, for clients that show no documents of ours."""
        return msgspec.json.decode(await self.worker.ask(Documents(tuple(ids))), type=Put).files

    # --- what the client says ---------------------------------------------------------------------------

    def configure(self, tree: Tree) -> None:
        """The client's settings, whole."""
        self._tree = tree
        loaded = load(self._places.config, tree)
        self.session.config, self._notes = loaded.config, loaded.notes
        log.setLevel(loaded.config.log.level.upper())
        for note in loaded.notes:
            self.editor.tell_once(note)
        self.worker.configure()
        self._follow()

    def refold(self, added: Iterable[Path], removed: Iterable[Path]) -> None:
        """Folders came or went."""
        gone = set(removed)
        kept = [folder for folder in self.session.folders if folder not in gone]
        self.session.folders = tuple(dict.fromkeys([*kept, *added]))
        self._follow()

    def opened(self, document: Document) -> None:
        """A document as it is now, whether just opened or changed."""
        fresh = self.session.documents.get(document.uri) is None
        self.session.documents.put(document)
        self.attributing.later(document.uri, at_once=fresh)
        if fresh and document.path is not None:
            self.watch.nudge()

    def closed(self, uri: str) -> None:
        self.session.documents.close(uri)
        self.attributing.forget(uri)
        self._shown.pop(uri, None)

    async def first_map(self) -> None:
        """Waits a moment for the first map, once: a client that can't refresh lenses asks only once."""
        if not self._first_map.is_set():
            try:
                await asyncio.wait_for(self._first_map.wait(), FIRST_MAP)
            except TimeoutError:
                self._first_map.set()

    def prepare_documents(self, ids: Iterable[str]) -> None:
        """Has the verbatim of these exchanges put where links of plain clients lead, in the background."""
        wanted = tuple(ids)
        if wanted and (self._preparing is None or self._preparing.done()):
            self._preparing = asyncio.ensure_future(self._prepare(wanted))

    async def _prepare(self, ids: tuple[str, ...]) -> None:
        try:
            await self._documents(ids)
        except PastworkError as error:
            log.info("no documents for links: %s", error.code)

    # --- what the others say ----------------------------------------------------------------------------

    async def status(self) -> StatusAnswer:
        """The store's own status with what only this process knows."""
        config = self.session.config
        try:
            found = await self.watch.run(lambda mapper: mapper.status(config))
        except (StoreUnusable, sqlite3.Error) as error:
            found = _unusable(self._places.data, error)
        notes = dict.fromkeys((*self._notes, self._trouble, self._state.note, *found.notes))
        writer = structs.replace(found.writer, mine=found.writer.pid != 0 and found.writer.pid == self.sync.pid)
        index = structs.replace(found.index, state=_INDEX_STATES.get(self._state.state, found.index.state))
        return structs.replace(found, index=index, writer=writer, notes=tuple(note for note in notes if note))

    def _interest(self) -> Interest:
        session = self.session
        return Interest(session.folders, session.config.workspace.aliases, session.singles())

    def _follow(self) -> None:
        """Folders or settings have changed."""
        self.sync.tell(self._tree, self.session.folders)
        self.watch.nudge()
        self.news.stir()
        self._refresh()

    def _looked(self, look: Look) -> None:
        before = {document.uri: self.session.works(document.uri) for document in self.session.documents}
        self.session.map, self.session.scope = look.map or self.session.map, look.scope or self.session.scope
        self._trouble = look.trouble
        self.editor.tell_once(look.trouble)
        for uri, works in before.items():
            if self.session.works(uri) != works:
                self.attributing.later(uri, at_once=True)
        self._first_map.set()
        self._refresh()
        self.news.stir()

    def _heard(self, event: Event) -> None:
        if isinstance(event, State):
            self._state = event
            if event.state != "idle":
                # What only makes answers weaker (no model yet) stands in the status; it is no reason to interrupt.
                self.editor.tell_once(event.note, lsp.MessageType.Info)
        if isinstance(event, Changed):
            self.watch.nudge()
        self.news.stir()

    def _refresh(self) -> None:
        """Has the client ask for its lenses anew, where one of them would say something else."""
        session = self.session
        shown = {document.uri: session.lens_facts(document.uri) for document in session.documents}
        if any(facts != self._shown.get(uri, ((), (), True)) for uri, facts in shown.items()):
            self.editor.refresh_lenses()
        self._shown = shown


def _unusable(data: Path, error: StoreUnusable | sqlite3.Error) -> StatusAnswer:
    notes = (str(error), error.remedy) if isinstance(error, StoreUnusable) else (f"the store can't be read: {error}",)
    return StatusAnswer(
        {}, VectorStatus(0, 0), IndexStatus("paused"), StoreStatus(str(data), 0, 0), WriterStatus(0, False), notes
    )
