"""Connections to the store file, for reading and for writing.

Writing uses WAL with ``synchronous=NORMAL``: a commit survives the death of the process (the
system holds the pages), and a power cut loses at most the last commits, never the file. On network
file systems, where WAL's shared memory does not work, a rollback journal is used instead.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import quote

from pastwork.errors import StoreMissing, StoreUnusable
from pastwork.store import places, schema

_BUSY_MS = 5_000


def read_only(home: Path, oldest: int = schema.VERSION) -> sqlite3.Connection:
    """A connection that can't change anything, to a store of schema ``oldest`` or later.

    Raises:
        StoreMissing: there is no store yet.
        StoreUnusable: it can't be read, or it is of another version.
    """
    path = home / places.STORE
    try:
        if path.stat().st_size == 0:
            raise FileNotFoundError(path)
    except FileNotFoundError as error:
        raise StoreMissing(home) from error
    except OSError as error:
        raise StoreUnusable(f"{path} can't be read: {error}", "Check the rights of the data folder.") from error
    with ExitStack() as undone:
        connection = undone.enter_context(closing(_open(path, "mode=ro&immutable=1" if _frozen(home) else "mode=ro")))
        try:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            connection.execute("PRAGMA query_only = ON")
            _check(connection, path, oldest)
        except sqlite3.Error as error:
            raise _unreadable(path, error) from error
        undone.pop_all()
        return connection


def read_write(home: Path, network: bool | None = None) -> sqlite3.Connection:
    """The writer's connection: the store is made, or migrated when it is older.

    Raises:
        StoreUnusable: it can't be written, is damaged, or is newer than this program (then it is
            not touched at all).
    """
    places.prepare(home)
    path = home / places.STORE
    _refuse_newer(home)
    with ExitStack() as undone:
        connection = undone.enter_context(closing(_open(path, "mode=rw")))
        try:
            _prepare(connection, places.on_network(home) if network is None else network)
        except sqlite3.Error as error:
            raise _unusable(home, error) from error
        undone.pop_all()
        return connection


def _prepare(connection: sqlite3.Connection, shared_disk: bool) -> None:
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    connection.execute("PRAGMA journal_mode = " + ("DELETE" if shared_disk else "WAL")).fetchone()
    connection.execute("PRAGMA synchronous = " + ("FULL" if shared_disk else "NORMAL"))
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_size_limit = 67108864")
    connection.execute("PRAGMA cache_size = -16000")
    schema.migrate(connection)


def damaged_file(path: Path) -> sqlite3.Connection:
    """A store file under any name, to save from it what can be read; nothing is checked."""
    connection = _open(path, "mode=ro")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def in_memory() -> sqlite3.Connection:
    """An empty store that lives as long as its connection."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    schema.migrate(connection)
    return connection


def damaged(path: Path, error: sqlite3.Error) -> StoreUnusable:
    return StoreUnusable(f"the store {path} is damaged: {error}", "Run `pastwork doctor`; it can rebuild the store.")


class Interrupted(StoreUnusable):
    """A write was broken off; whoever may write undoes it by opening the store."""


def _unreadable(path: Path, error: sqlite3.Error) -> StoreUnusable:
    if getattr(error, "sqlite_errorname", "") in ("SQLITE_READONLY_ROLLBACK", "SQLITE_READONLY_RECOVERY"):
        return Interrupted(f"a write to the store {path} was broken off", "Run `pastwork index`; it puts it right.")
    return damaged(path, error)


def _open(path: Path, options: str) -> sqlite3.Connection:
    """Paths are quoted: ``?``, ``#`` and ``%`` have a meaning in SQLite's URIs."""
    address = "file:" + quote(path.absolute().as_posix()) + "?" + options
    try:
        return sqlite3.connect(address, uri=True, isolation_level=None, cached_statements=256)
    except sqlite3.Error as error:
        raise StoreUnusable(f"{path} can't be opened: {error}", "Check the rights of the data folder.") from error


def _frozen(home: Path) -> bool:
    """A folder we may not write in, with no journal beside the store: nobody writes, no lock file can be made."""
    waiting = (home / f"{places.STORE}-wal").exists()
    return not waiting and not os.access(home, os.W_OK)


def _refuse_newer(home: Path) -> None:
    if not (home / places.STORE).stat().st_size:
        return
    try:
        read_only(home, oldest=0).close()
    except Interrupted:  # our connection undoes it; what version the store is of stands in its header
        _check_version(_version_in(home / places.STORE), home / places.STORE, 0)


def _version_in(path: Path) -> int:
    """``PRAGMA user_version`` as the file's header has it (bytes 60 to 63), without opening a database."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(64)[60:])


def _check(connection: sqlite3.Connection, path: Path, oldest: int) -> None:
    found = schema.version(connection)
    if not found and oldest:
        raise StoreMissing(path.parent)
    _check_version(found, path, oldest)


def _check_version(found: int, path: Path, oldest: int) -> None:
    if found < oldest:
        raise StoreUnusable(
            f"the store {path} has schema {found}, older than this pastwork's {schema.VERSION}",
            "Run `pastwork index`; it brings the store up to date.",
        )
    if found > schema.VERSION:
        raise StoreUnusable(
            f"the store {path} has schema {found}; this pastwork knows up to {schema.VERSION}",
            "Update pastwork, or set PASTWORK_HOME to another folder. Nothing was changed.",
        )


def _unusable(home: Path, error: sqlite3.Error) -> StoreUnusable:
    name = getattr(error, "sqlite_errorname", "")
    if name in ("SQLITE_CORRUPT", "SQLITE_NOTADB"):
        return damaged(home / places.STORE, error)
    return places.unwritable(home, error)
