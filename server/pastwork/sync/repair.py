"""Makes a store anew from a damaged one: every exchange that can still be read, and every tombstone.

The damaged file is kept beside it. What else the store had is derived again, and transcripts that
are still there are read again by the next pass; what only the damaged pages held is lost.
"""

from __future__ import annotations

import mmap
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec import Struct

from pastwork.errors import StoreUnusable
from pastwork.index.okapi import OkapiLane
from pastwork.model import Exchange, PalaceObject, Session
from pastwork.store import codec, connect, places, salvage, tombstones
from pastwork.store.lock import WriterLock
from pastwork.store.writer import StoreWriter
from pastwork.sync import refresh
from pastwork.sync.batch import Batch
from pastwork.sync.digest import Distilled

#: Exchanges are looked for up to this many rows beyond the last one that is known.
BEYOND = 1000
#: Seconds that a writer is waited for.
PATIENCE = 5.0


class Repaired(Struct, frozen=True):
    """``kept`` exchanges were saved, ``lost`` rows could not be read; ``aside`` is the damaged file.

    ``forgotten`` is False where tombstones could not be read: what was forgotten may come back
    while its transcript exists.
    """

    kept: int
    lost: int
    aside: Path
    forgotten: bool


def repair(data: Path, distil: Callable[[Exchange], Distilled]) -> Repaired:
    """Moves the store aside and fills a new one from it.

    Raises:
        WriterBusy: a process still writes the store.
        StoreUnusable: nothing can be written, or there is no store.
    """
    if not (data / places.STORE).exists():
        raise StoreUnusable(f"there is no store in {data}", "Run `pastwork index`.")
    with ExitStack() as undone:
        held = undone.enter_context(WriterLock.acquire(data, wait=PATIENCE))
        aside = _aside(data)
        writer = undone.enter_context(StoreWriter.open(data, held=held))
        return _saved(writer, aside, distil)


def _aside(data: Path) -> Path:
    """The store under another name, its journal with it."""
    number = 1
    while (data / f"damaged-{number}.db").exists():
        number += 1
    target = data / f"damaged-{number}.db"
    for end in ("-wal", "-shm", ""):
        source = data / f"{places.STORE}{end}"
        if source.exists():
            source.rename(f"{target}{end}")
    return target


def _saved(writer: StoreWriter, aside: Path, distil: Callable[[Exchange], Distilled]) -> Repaired:
    old = Wreck(connect.damaged_file(aside))
    lane = OkapiLane(writer.connection)
    kept = lost = 0
    with writer.transaction():
        lane.prepare()
        forgotten = _bury(writer, old)
        _remember(writer, old)
    with Batch(writer, lane) as batch:
        for row in old.rows():
            batch.begin()
            found = old.exchange(row)
            if found is None:
                lost += 1
                continue
            kept += _put(writer, batch, old, row, found, distil)
            batch.commit_if_due()
        saved = 0
        for found in _strays(aside) if lost or not kept else ():
            saved += _put(writer, batch, old, None, found, distil)
            batch.commit_if_due()
    old.close()
    refresh.settle(writer)
    kept, lost = kept + saved, max(0, lost - saved)
    return Repaired(kept, lost, aside, forgotten)


def _put(
    writer: StoreWriter,
    batch: Batch,
    old: Wreck,
    row: int | None,
    exchange: Exchange,
    distil: Callable[[Exchange], Distilled],
) -> bool:
    """Whether the new store has one exchange more; ``row`` is None where only the text is known."""
    batch.begin()
    source = writer.source(exchange.agent, old.source(row) if row else Path("unknown"))
    if writer.weigh(exchange, source.id):
        return False
    distilled = distil(exchange)
    put = writer.put(exchange, distilled.digest, source.id)
    if put.row:
        batch.index(put, distilled.fields)
        if row and (better := old.object(row)):
            writer.set_object(put.row, *better)
    return put.outcome == "new"


def _strays(aside: Path) -> Iterator[Exchange]:
    """Texts in pages that SQLite has lost its way to."""
    if not aside.stat().st_size:
        return
    with aside.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for blob in salvage.sealed(content):
            try:
                yield codec.unpack(blob, Exchange)
            except ValueError:
                continue


def _bury(writer: StoreWriter, old: Wreck) -> bool:
    """Whether every tombstone could be read."""
    stones = old.all("SELECT kind, value FROM tombstone")
    for kind, value in stones or ():
        tombstones.bury(writer.connection, kind, [value])
    return stones is not None


def _remember(writer: StoreWriter, old: Wreck) -> None:
    """Sessions' titles, and folders to scan."""
    for fields in old.all("SELECT agent, id, title, workspace, parent_id, started_at FROM session") or ():
        writer.put_session(Session(*fields))
    for (scans,) in old.all("SELECT value FROM meta WHERE key = 'scans'") or ():
        writer.set_fact("scans", scans)


class Wreck:
    """A damaged store: every question may be answered with None."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def close(self) -> None:
        self._connection.close()

    def all(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]] | None:
        try:
            return self._connection.execute(query, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError):
            return None

    def rows(self) -> Iterator[int]:
        """Every row that an exchange may have had, and that is not known to be empty."""
        listed = self.all("SELECT row FROM exchange ORDER BY row")
        if listed is not None:
            yield from (row for (row,) in listed)
            return
        last = self.all("SELECT seq FROM sqlite_sequence WHERE name = 'exchange'")
        for row in range(1, (last[0][0] if last else BEYOND) + 1):
            if self.all("SELECT 1 FROM verbatim WHERE row = ?", (row,)) != []:
                yield row

    def exchange(self, row: int) -> Exchange | None:
        found = self.all("SELECT data FROM verbatim WHERE row = ?", (row,))
        if not found:
            return None
        try:
            return codec.unpack(found[0][0], Exchange)
        except (ValueError, TypeError):
            return None

    def source(self, row: int) -> Path:
        """The transcript it came from; where that can't be read, a name that says so."""
        query = "SELECT s.path FROM exchange e JOIN source s ON s.id = e.source_id WHERE e.row = ?"
        found = self.all(query, (row,))
        return Path(os.fsdecode(found[0][0])) if found else Path("unknown")

    def object(self, row: int) -> tuple[PalaceObject, int] | None:
        """What a language model distilled: it costs too much to be made again unasked."""
        query = (
            "SELECT o.core, o.context, o.distilled_by, e.tokens_distilled FROM object o"
            " JOIN exchange e ON e.row = o.row WHERE o.row = ? AND o.distilled_by <> 'extractive'"
        )
        found = self.all(query, (row,))
        if not found:
            return None
        core, context, by, tokens = found[0]
        return PalaceObject(core, context, distilled_by=by), tokens
