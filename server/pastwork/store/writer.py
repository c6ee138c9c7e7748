"""The only writer of the store.

One process at a time: ``open`` takes the writer lock. Every change happens within ``transaction``,
which raises the generation together with the change; what a transaction committed survives the
death of the process.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pastwork.index.base import Fields
from pastwork.model import Exchange, PalaceObject, Problem, Room, Session
from pastwork.store import codec, connect, contents, places, sources, vectors
from pastwork.store.lock import WriterLock
from pastwork.store.reader import StoreReader
from pastwork.store.records import Digest, Put, SourceState

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Reach(IntEnum):
    """Who has to look again after a change."""

    NOBODY = 0
    STATUS = 1
    CONTENT = 2


class StoreWriter(StoreReader):
    """A reader that may also write."""

    def __init__(self, connection: sqlite3.Connection, home: Path | None, held: WriterLock | None = None) -> None:
        super().__init__(connection, home)
        self._held = held
        self._news = Reach.NOBODY

    @classmethod
    def open(cls, home: Path, wait: float = 0.0, held: WriterLock | None = None) -> Self:
        """Takes the writer lock (trying for ``wait`` seconds) unless it is ``held``, makes or migrates the store.

        Raises:
            WriterBusy: another process is the writer.
            StoreUnusable: the store can't be written, or is newer than this program.
        """
        places.prepare(home)
        with ExitStack() as undone:
            held = undone.enter_context(held or WriterLock.acquire(home, wait))
            writer = cls(connect.read_write(home), home, held)
            undone.pop_all()
            return writer

    @classmethod
    def empty(cls) -> Self:
        """A store in memory, for tests and for a machine where nothing can be written."""
        return cls(connect.in_memory(), None)

    def forget_pages(self) -> None:
        """Gives back the memory of pages, of which a long pass fills megabytes; what is needed is read again."""
        self.connection.execute("PRAGMA shrink_memory")

    @property
    def pid(self) -> int:
        """Of the process that writes: this one."""
        return os.getpid()

    def close(self) -> None:
        super().close()
        if self._held:
            self._held.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; within another transaction, part of that one."""
        if self.connection.in_transaction:
            yield
            return
        self._news = Reach.NOBODY
        with self.connection:  # commits in the end, or rolls back
            self.connection.execute("BEGIN IMMEDIATE")
            yield
            self._raise_generation()

    @contextmanager
    def _change(self, reach: Reach) -> Iterator[None]:
        """A transaction (or a part of one); when it changed something, ``reach`` says who has to look again."""
        with self.transaction():
            before = self.connection.total_changes
            yield
            if self.connection.total_changes != before:
                self._news = max(self._news, reach)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """A part of a transaction that is undone by itself where it fails."""
        self.connection.execute("SAVEPOINT whole")
        done = False
        try:
            yield
            done = True
        finally:
            if self.connection.in_transaction:  # after a full disk there is none any more
                if not done:
                    self.connection.execute("ROLLBACK TO whole")
                self.connection.execute("RELEASE whole")

    def put(self, exchange: Exchange, digest: Digest, source_id: int) -> Put:
        """Keeps an exchange found in a source; see ``carriers`` for which copy is shown."""
        with self.transaction(), self._whole():
            put = contents.put(self.connection, exchange, digest, source_id)
            if put.outcome in ("new", "updated"):
                self._news = Reach.CONTENT
            return put

    def weigh(self, exchange: Exchange, source_id: int) -> Put | None:
        """What ``put`` would do where it needs no digest (the find is noted), else None."""
        with self._change(Reach.STATUS):
            return contents.weigh(self.connection, exchange, source_id)

    def stale(self, recipe: str, limit: int = -1) -> list[int]:
        """Rows whose digest was made by other rules."""
        found = self.connection.execute(
            "SELECT row FROM exchange WHERE recipe < ?1 OR recipe > ?1 ORDER BY row LIMIT ?2", (recipe, limit)
        )
        return [row for (row,) in found]

    def mark_stale(self) -> None:
        """Has every transcript read and every exchange distilled again, in steps that may be interrupted."""
        with self.transaction():
            self.connection.execute("UPDATE exchange SET recipe = ''")
            sources.read_again(self.connection, [state.id for state in self.sources()])

    def refill(self, row: int, exchange: Exchange, digest: Digest) -> None:
        """Replaces what is derived of a kept exchange; an object by a language model stays."""
        with self._change(Reach.CONTENT):
            contents.refill(self.connection, row, exchange, digest)

    def keep_digest(self, row: int, recipe: str) -> None:
        """Says that a digest is as good as it gets, though other rules made it."""
        with self._change(Reach.NOBODY):
            self.connection.execute("UPDATE exchange SET recipe = ? WHERE row = ?", (recipe, row))

    def put_session(self, session: Session) -> None:
        """``title`` has to be masked already; empty fields leave what is known."""
        with self._change(Reach.CONTENT):
            contents.put_session(self.connection, session)

    def set_tried(self, row: int, distiller: str) -> None:
        """Notes that a distiller could make no object of this row, so that it is not asked again."""
        with self._change(Reach.STATUS):
            self.connection.execute("UPDATE object SET tried = ? WHERE row = ?", (distiller, row))

    def set_object(self, row: int, palace_object: PalaceObject, tokens_distilled: int) -> None:
        """Replaces the distilled object (not its rooms when it has none); a new text's vectors become pending."""
        with self._change(Reach.CONTENT):
            contents.set_object(self.connection, row, palace_object, tokens_distilled)

    def source(self, agent: str, path: Path) -> SourceState:
        """The state of a transcript, noted as new where it is."""
        with self._change(Reach.NOBODY):
            return sources.ensure(self.connection, agent, path)

    def set_source(self, state: SourceState) -> None:
        with self._change(Reach.NOBODY):
            sources.save(self.connection, state)

    def mark_gone(self, source_ids: Collection[int], when: str | None) -> None:
        """Notes that transcripts vanished (``when``: ISO time) or came back (None). Nothing is dropped."""
        with self._change(Reach.STATUS):
            sources.mark_gone(self.connection, source_ids, when)

    def set_problems(self, source_id: int, problems: Collection[Problem], since: int = 0) -> None:
        """Replaces what was skipped in a source's main file from offset ``since`` on, and in its parts."""
        with self._change(Reach.STATUS):
            sources.set_problems(self.connection, source_id, problems, since)

    def set_agent(self, agent: str, roots: Sequence[str], proof: str, keep_days: int | None) -> None:
        """What ``status`` tells of an agent beside its counts."""
        with self._change(Reach.STATUS):
            sources.set_agent(self.connection, agent, roots, proof, keep_days)

    def set_fact(self, key: str, value: str) -> None:
        """Remembers a small thing (JSON text) under a key that is not one of the generation's."""
        if self.fact(key) != value:
            with self._change(Reach.NOBODY):
                self.connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))

    def drop_fact(self, key: str) -> None:
        with self._change(Reach.NOBODY):
            self.connection.execute("DELETE FROM meta WHERE key = ?", (key,))

    def delete(self, rows: Collection[int]) -> None:
        """Takes exchanges out of every table; ``forget.forget`` is what a user means by that."""
        with self._change(Reach.CONTENT):
            contents.delete(self.connection, rows)

    def put_fields(self, texts: Iterable[tuple[int, Fields]]) -> None:
        """Keeps the masked texts that keywords are looked for in, by row."""
        with self._change(Reach.NOBODY):
            self.connection.executemany(
                "INSERT OR REPLACE INTO searched (row, data) VALUES (?, ?)",
                [(row, codec.pack(fields)) for row, fields in texts],
            )

    def candidates(self) -> dict[int, tuple[Room, ...]]:
        """What every exchange proposes for its rooms."""
        return contents.candidates(self.connection)

    def settle_rooms(self, assignments: Mapping[int, Sequence[Room]]) -> int:
        """Makes these the rooms of these rows; the number of rows that changed."""
        with self._change(Reach.CONTENT):
            return contents.settle_rooms(self.connection, assignments)

    def put_vectors(self, recipe: str, rows: Sequence[int], matrix: NDArray[np.float32]) -> None:
        """Keeps normalised vectors (len(rows), 384); of any other recipe the row's vectors stay."""
        with self._change(Reach.STATUS):
            vectors.save(self.connection, recipe, rows, matrix)

    def keep_vectors_of(self, recipe: str) -> None:
        """Drops the vectors of every other recipe."""
        with self._change(Reach.STATUS):
            self.connection.execute("DELETE FROM vector WHERE recipe <> ?", (recipe,))

    def pending_vectors(self, recipe: str, limit: int = -1) -> list[tuple[int, str]]:
        """Rows without a vector of this recipe and the text to embed, newest first."""
        found = self.connection.execute(
            "SELECT o.row, ltrim(o.terms || char(10), char(10)) || o.core || char(10) || o.context"
            " FROM object o JOIN exchange e ON e.row = o.row"
            " WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.recipe = ? AND v.row = o.row)"
            " ORDER BY e.started_at DESC, o.row LIMIT ?",
            (recipe, limit),
        )
        return [(row, text) for row, text in found]

    def _raise_generation(self) -> None:
        for key, least in (("generation", Reach.STATUS), ("content", Reach.CONTENT)):
            if self._news >= least:
                self.connection.execute("UPDATE meta SET value = value + 1 WHERE key = ?", (key,))
