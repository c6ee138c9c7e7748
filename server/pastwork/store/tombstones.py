"""What was forgotten, and has to stay so however often it is found again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable


def session_key(agent: str, session_id: str) -> str:
    return f"{agent}/{session_id}"


def covers(connection: sqlite3.Connection, exchange_id: str, twin: str, agent: str, session_id: str) -> bool:
    """Whether an exchange of this id, twin or session was forgotten."""
    found = connection.execute(
        "SELECT 1 FROM tombstone WHERE (kind, value) IN (VALUES ('id', ?), ('twin', ?), ('session', ?)) LIMIT 1",
        (exchange_id, twin, session_key(agent, session_id)),
    )
    return found.fetchone() is not None


def bury(connection: sqlite3.Connection, kind: str, values: Iterable[str]) -> None:
    """``kind`` is ``id``, ``twin`` or ``session``."""
    connection.executemany(
        "INSERT OR IGNORE INTO tombstone (kind, value) VALUES (?, ?)", [(kind, value) for value in values if value]
    )
