"""Agents' SQLite databases, strictly read-only and never in a live writer's way.

Opened by a quoted ``file:`` URI with ``mode=ro`` and a short busy timeout. A database in WAL mode is
read with its log, so that what was just written is seen; one in WAL mode without a log has no writer
and is opened as immutable, because SQLite would else create files beside it. Every query is fetched
whole before anything else happens, so no lock outlives it. Failures are one ``sqlite3.Error``.
"""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from pastwork.transcripts.faults import Faults

_BUSY_SECONDS = 0.25
#: The header's read version of a database in WAL mode.
_WAL = 2
_VERSION_AT = 18
_BATCH = 500

Value = str | bytes | int | float | None
Parameters = Sequence[Value]


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that can only read; bytes that are no UTF-8 come as replacement characters.

    Raises ``sqlite3.Error``, also where the path is no regular file but a link, pipe or folder.
    """
    connection = sqlite3.connect(_uri(path), uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only = 1")
        yield connection
    except UnicodeDecodeError as error:  # of a message about damage that quotes it
        raise sqlite3.DatabaseError("database disk image is malformed") from error
    finally:
        connection.close()


def _uri(path: Path) -> str:
    try:
        regular = stat.S_ISREG(path.lstat().st_mode)
    except OSError as error:
        raise sqlite3.OperationalError(error.strerror or str(error)) from error
    if not regular:
        raise sqlite3.OperationalError("not a regular file")
    unused = _in_wal_mode(path) and not path.with_name(f"{path.name}-wal").exists()
    return f"file:{quote(str(path.absolute()))}?mode=ro{'&immutable=1' if unused else ''}"


def _in_wal_mode(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            header = file.read(_VERSION_AT + 2)
    except OSError:
        return False
    return header.startswith(b"SQLite format 3\0") and header[_VERSION_AT + 1 :] == bytes((_WAL,))


def tables(connection: sqlite3.Connection) -> frozenset[str]:
    """The names of the tables there are."""
    return frozenset(row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))


def holds(connection: sqlite3.Connection, faults: Faults, *names: str) -> frozenset[str]:
    """Which of the tables a reader knows there are; a database that has others alone is told, an empty one is not."""
    present = tables(connection)
    if present and not present & set(names):
        listed = ", ".join(sorted(present)[:4])
        faults.add(f"a database of another kind or version: it has no {' or '.join(names)}, but {listed[:80]}")
    return present & set(names)


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of a table's columns; empty where there is no such table."""
    return frozenset(row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def under(connection: sqlite3.Connection, table: str, prefix: str) -> Iterator[tuple[str, Value]]:
    """The keys that begin with ``prefix`` and their values, by key range and in batches.

    ``prefix`` ends in a colon; ``table`` is one of the fixed names of key-value tables.
    """
    after, end = prefix, prefix[:-1] + ";"
    query = f"SELECT key, value FROM {table} WHERE key > ? AND key < ? ORDER BY key LIMIT {_BATCH}"  # noqa: S608 - fixed
    while batch := connection.execute(query, (after, end)).fetchall():
        yield from batch
        after = batch[-1][0]


def keys(connection: sqlite3.Connection, table: str, prefix: str) -> list[str]:
    """The keys that begin with ``prefix``."""
    query = f"SELECT key FROM {table} WHERE key > ? AND key < ? ORDER BY key"  # noqa: S608 - fixed names
    return [row[0] for row in connection.execute(query, (prefix, prefix[:-1] + ";"))]


def value(connection: sqlite3.Connection, table: str, key: str) -> bytes | None:
    """One value as bytes; None where there is none or it is NULL."""
    row = connection.execute(f"SELECT value FROM {table} WHERE key = ?", (key,)).fetchone()  # noqa: S608 - fixed names
    return as_bytes(row[0]) if row else None


def as_bytes(found: Value) -> bytes | None:
    """A stored value as bytes; numbers are their text."""
    if found is None or isinstance(found, bytes):
        return found
    return str(found).encode("utf-8", "replace")
