"""Removes exchanges for good: from every table, with a tombstone, down to the bytes of the file."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from pastwork.errors import NotFound
from pastwork.store import places, tombstones
from pastwork.store.reader import StoreReader
from pastwork.store.records import RowFilter
from pastwork.store.writer import StoreWriter

#: A key of ``meta``: old pages may still lie in the file, because a reader was in the way.
SCRUB = "scrub"


class Forgetting(Struct, frozen=True, kw_only=True):
    """What to forget; exactly one of these.

    ``session`` takes every exchange that this session carries, also those it shares with a fork.
    ``before`` is an ISO time or date; exchanges of unknown time stay. ``workspace`` is a folder as recorded.
    """

    exchange_id: str | None = None
    session: str | None = None
    before: str | None = None
    workspaces: Sequence[str] = ()


class Removable(Protocol):
    """A lane that lives in the store."""

    def remove(self, rows: Collection[int]) -> None: ...

    def purge(self) -> None: ...


def rows(store: StoreReader, what: Forgetting) -> set[int]:
    """The exchanges meant.

    Raises:
        NotFound: no exchange or session of that id is known.
    """
    found: set[int] = set()
    if what.exchange_id is not None:
        row = store.row_of(what.exchange_id)
        found = set() if row is None else {row}
    elif what.session is not None:
        found = store.rows(RowFilter(sessions=(what.session,))) or set()
    elif what.before is not None:
        query = "SELECT row FROM exchange WHERE started_at < ?"
        return {row for (row,) in store.connection.execute(query, (what.before,))}
    elif what.workspaces:
        return store.rows(RowFilter(workspaces=tuple(what.workspaces))) or set()
    if not found:
        raise NotFound(f"nothing is known by {what.exchange_id or what.session}", "`pastwork search` shows ids.")
    return found


def forget(writer: StoreWriter, what: Forgetting, lanes: Iterable[Removable]) -> int:
    """Forgets and buries; the number of exchanges. Agents' transcripts stay as they are."""
    with writer.transaction():
        meant = rows(writer, what)
        if not meant:
            return 0
        _bury(writer.connection, meant, what)
        for lane in lanes:
            lane.remove(meant)
            lane.purge()
        writer.delete(meant)
        writer.set_fact(SCRUB, "1")
    scrub(writer)
    return len(meant)


def scrub(writer: StoreWriter) -> bool:
    """Rewrites the file without what was deleted and drops the derived files; False while a reader is in the way.

    The sync tries again later when it was.
    """
    if writer.fact(SCRUB) is None:
        return True
    if writer.home:
        shutil.rmtree(writer.home / places.DERIVED, ignore_errors=True)
    writer.connection.execute("PRAGMA secure_delete = ON")
    writer.connection.execute("VACUUM")
    busy, *_ = writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        return False
    writer.drop_fact(SCRUB)
    writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return True


def _bury(connection: sqlite3.Connection, meant: Collection[int], what: Forgetting) -> None:
    names = connection.execute(
        f"SELECT id, twin, agent, session_id FROM carrier WHERE row IN ({', '.join(str(int(row)) for row in meant)})"
    ).fetchall()
    tombstones.bury(connection, "id", {exchange_id for exchange_id, *_ in names})
    tombstones.bury(connection, "twin", {twin for _, twin, *_ in names if twin})
    if what.session is not None:
        sessions = {tombstones.session_key(agent, session) for *_, agent, session in names if session == what.session}
        tombstones.bury(connection, "session", sessions)
