"""The language server's sync child: the writer while it has the lock, else standing by.

One thread works (this one); one reads stdin, one or two watch files. Whatever takes long is cut into
steps of about half a second, after which the child looks whether it has to end, to hand the store
over to a command, or to take up what an agent just wrote.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pastwork.config import Config
from pastwork.errors import PastworkError, StoreUnusable
from pastwork.index.embed import threads
from pastwork.store.lock import WriterBusy, holder
from pastwork.store.reader import StoreReader
from pastwork.store.writer import StoreWriter
from pastwork.sync import handover
from pastwork.sync.embedding import MakeEmbedder
from pastwork.sync.run import Sync
from pastwork.sync.term import Term
from pastwork.sync.wire import Ended, Inbox, News, Projects, Reindex, Settings, Wire
from pastwork.transcripts.base import Env, Reader

log = logging.getLogger("pastwork.sync")

#: Seconds between two looks of a child that stands by.
STANDBY = 0.4
#: Seconds to wait after a failure of the store, growing.
PAUSES = (1.0, 2.0, 5.0, 15.0, 30.0)


class World(Struct, frozen=True):
    """What the child works with; all of it handed in. ``configure`` takes the client's own settings."""

    data: Path
    env: Env
    readers: Sequence[Reader]
    clock: Callable[[], datetime]
    configure: Callable[[dict[str, object]], Config]
    embedder: Callable[[Config], MakeEmbedder]
    #: What weakens everything from the start, to be said with each state.
    note: str = ""


class Child:
    """Runs until stdin ends."""

    def __init__(self, world: World, inbox: Inbox, wire: Wire) -> None:
        self._world = world
        self._inbox = inbox
        self._wire = wire
        self._client: dict[str, object] = {}
        self._projects: tuple[Path, ...] = world.env.projects
        self._full = self._ended = False
        self._failures = 0

    def run(self) -> None:
        """Until the parent is done with us.

        Raises:
            BrokenPipeError: nobody listens any more.
        """
        while not self._ended:
            try:
                self._stand_by()
            except BrokenPipeError:
                raise
            except (sqlite3.Error, OSError, PastworkError) as error:
                self._pause(error)

    def _stand_by(self) -> None:
        """Waits for the lock and serves; in between, tells what others commit."""
        while not self._ended:
            if not handover.wanted(self._world.data):
                try:
                    writer = StoreWriter.open(self._world.data)
                except WriterBusy:
                    self._wire.say("status", state="standby", writer=self._other(), note=self._world.note)
                else:
                    with writer:
                        self._serve(writer)
                    continue
            self._tell_changes()
            self._obey(self._inbox.get(STANDBY))

    def _serve(self, writer: StoreWriter) -> None:
        """The writer until the end, a hand-over, or a failure; each command begins a new term."""
        while not self._ended:
            config = self._world.configure(self._client)
            wanted = partial(handover.wanted, self._world.data)
            term = Term(self._maker(config), writer, self._inbox, self._wire, wanted, self._world.note)
            full, self._full = self._full, False
            news = term.run(full)
            self._failures = 0
            if news is None:
                return
            self._obey(news)

    def _maker(self, config: Config) -> Callable[[Callable[[], bool], StoreWriter], Sync]:
        world, env = self._world, replace(self._world.env, projects=self._projects)

        def make(stop: Callable[[], bool], writer: StoreWriter) -> Sync:
            embedder, spared = world.embedder(config), max(0, threads(spare=2) if threads(spare=0) > 2 else 0)
            return Sync(env, config, writer, world.readers, world.clock, embedder, stop, helpers=spared)

        return make

    def _obey(self, news: News | None) -> None:
        match news:
            case Ended():
                self._ended = True
            case Settings(settings=tree):
                self._client = tree
            case Projects(paths=paths):
                self._projects = tuple(Path(path) for path in paths)
            case Reindex(full=full):
                self._full = self._full or full
            case _:
                return

    def _tell_changes(self) -> None:
        try:
            with StoreReader.open(self._world.data) as reader:
                self._wire.say("changed", generation=reader.generation(), content=reader.content())
        except StoreUnusable:
            return

    def _pause(self, error: Exception) -> None:
        """One notice, not one a file; the next try comes by itself."""
        note = error.message if isinstance(error, PastworkError) else str(error)
        log.warning("the store can't be written for now: %s", note)
        self._wire.say("status", state="paused", writer=self._other(), note=note)
        wait = PAUSES[min(self._failures, len(PAUSES) - 1)]
        self._failures += 1
        self._obey(self._inbox.get(wait))

    def _other(self) -> int:
        found = holder(self._world.data)
        return found.pid if found and found.pid != os.getpid() else 0
