"""Incremental state: which transcripts there are, how far each was read, what was skipped in it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from pastwork.model import UNKNOWN, UNREADABLE, Problem
from pastwork.store.records import SourceState

#: A source's ``stamp`` that no file matches: it is read again from the start (as in sync/stamp.py).
UNREAD = b""


def ensure(connection: sqlite3.Connection, agent: str, path: Path) -> SourceState:
    name = os.fsencode(path)
    connection.execute("INSERT OR IGNORE INTO source (agent, path) VALUES (?, ?)", (agent, name))
    return load(connection, "agent = ? AND path = ?", (agent, name))[0]


def load(connection: sqlite3.Connection, where: str = "true", values: Sequence[object] = ()) -> list[SourceState]:
    """The sources that match, in the order in which they were found."""
    found = connection.execute(
        "SELECT id, agent, path, size, mtime_ns, stamp, offset, carry, done, gone_at FROM source"
        f" WHERE {where} ORDER BY id",
        tuple(values),
    )
    return [_state(fields) for fields in found]


def _state(fields: Sequence[Any]) -> SourceState:
    number, agent, path, size, mtime_ns, stamp, offset, carry, done, gone_at = fields
    return SourceState(number, agent, os.fsdecode(path), size, mtime_ns, stamp, offset, carry, bool(done), gone_at)


def save(connection: sqlite3.Connection, state: SourceState) -> None:
    connection.execute(
        "UPDATE source SET size = ?, mtime_ns = ?, stamp = ?, offset = ?, carry = ?, done = ?, gone_at = ?"
        " WHERE id = ?",
        (state.size, state.mtime_ns, state.stamp, state.offset, state.carry, state.done, state.gone_at, state.id),
    )


def mark_gone(connection: sqlite3.Connection, source_ids: Collection[int], when: str | None) -> None:
    if source_ids:
        connection.executemany("UPDATE source SET gone_at = ? WHERE id = ?", [(when, number) for number in source_ids])


def read_again(connection: sqlite3.Connection, source_ids: Collection[int]) -> None:
    """The next pass reads these from the start."""
    connection.executemany(
        "UPDATE source SET stamp = ?, offset = 0, carry = x'', done = 0 WHERE id = ?",
        [(UNREAD, number) for number in source_ids],
    )


def set_problems(connection: sqlite3.Connection, source_id: int, problems: Collection[Problem], since: int) -> None:
    """Each problem once, however often the place is read; an unknown type once a file, where it was met first."""
    main = connection.execute("SELECT path FROM source WHERE id = ?", (source_id,)).fetchone()[0]
    connection.execute(
        "DELETE FROM problem WHERE source_id = ? AND (offset >= ? OR path <> ? OR reason LIKE ?)",
        (source_id, since, main, f"{UNREADABLE}%"),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO problem (source_id, path, offset, reason) SELECT ?1, ?2, ?3, ?4"
        " WHERE NOT ?5 OR NOT EXISTS (SELECT 1 FROM problem WHERE source_id = ?1 AND path = ?2 AND reason = ?4)",
        [
            (source_id, os.fsencode(each.path), each.offset, each.reason, each.reason.startswith(UNKNOWN))
            for each in problems
        ],
    )


def set_agent(
    connection: sqlite3.Connection, agent: str, roots: Sequence[str], proof: str, keep_days: int | None
) -> None:
    """Writes only where something is different: a pass that finds nothing new must not touch the store."""
    row = (agent, json.dumps(list(roots)), proof, keep_days)
    known = connection.execute("SELECT agent, roots, proof, keep_days FROM agent WHERE agent = ?", (agent,)).fetchone()
    if known != row:
        connection.execute("INSERT OR REPLACE INTO agent (agent, roots, proof, keep_days) VALUES (?, ?, ?, ?)", row)
