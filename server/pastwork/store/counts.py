"""Counts over the store: rooms, and everything ``status`` tells."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from msgspec import Struct

from pastwork.model import UNKNOWN
from pastwork.shapes import AgentStatus, IndexStatus, RoomCount, Skipped, StoreStatus, VectorStatus, WriterStatus
from pastwork.store import filters, lock, places, schema
from pastwork.store.records import RowFilter
from pastwork.store.rows import shown_path

#: Transcripts that their agent will delete within this time count as expiring (seconds).
SOON = 7 * 86_400
#: Skipped records listed per agent at the most; the newest sources first.
SKIPPED_SHOWN = 100
#: Problems that are no records of unknown types.
_DAMAGE = f"p.reason NOT LIKE '{UNKNOWN}%'"


class StatusCounts(Struct, frozen=True):
    """The store's share of the status shape; ``skipped`` counts what ``agents`` may list only in part."""

    agents: dict[str, AgentStatus]
    vectors: VectorStatus
    index: IndexStatus
    store: StoreStatus
    writer: WriterStatus
    skipped: dict[str, int]


def rooms(connection: sqlite3.Connection, where: RowFilter) -> list[RoomCount]:
    """Rooms of the matching exchanges; the label is the one most of them use."""
    clause, values = filters.where(where)
    counted = (
        "SELECT r.room_type, r.room_key, r.room_label, count(*) AS n, max(e.started_at) AS last"
        f" FROM exchange e JOIN room r ON r.row = e.row{clause} GROUP BY 1, 2, 3"
    )
    found = connection.execute(
        "SELECT room_type, room_key, room_label, sum(n) OVER same, max(last) OVER same,"
        " row_number() OVER (PARTITION BY room_type, room_key ORDER BY n DESC, room_label)"
        f" FROM ({counted}) WINDOW same AS (PARTITION BY room_type, room_key) ORDER BY 4 DESC, 5 DESC, 1, 2",
        values,
    )
    return [RoomCount(*fields) for *fields, place in found if place == 1]


def status(connection: sqlite3.Connection, home: Path | None, recipe: str, now: float) -> StatusCounts:
    """``recipe`` is the one whose vectors are counted."""
    holder = lock.holder(home) if home else None
    return StatusCounts(
        agents(connection, now),
        vector_status(connection, recipe),
        index_status(connection, alive=holder is not None),
        _store(home),
        WriterStatus(holder.pid if holder else 0, mine=False),
        dict(
            connection.execute(
                "SELECT s.agent, count(*) FROM problem p JOIN source s ON s.id = p.source_id"
                f" WHERE {_DAMAGE} GROUP BY 1"
            )
        ),
    )


def agents(connection: sqlite3.Connection, now: float) -> dict[str, AgentStatus]:
    """Every agent that was looked for, present or not, and every other that has exchanges."""
    exchanges = {
        agent: fields
        for agent, *fields in connection.execute(
            "SELECT agent, count(DISTINCT session_id), count(*), max(coalesce(ended_at, started_at))"
            " FROM exchange GROUP BY 1"
        )
    }
    edits = dict(connection.execute("SELECT e.agent, count(*) FROM edit d JOIN exchange e ON e.row = d.row GROUP BY 1"))
    gone = dict(connection.execute("SELECT agent, count(*) FROM source WHERE gone_at IS NOT NULL GROUP BY 1"))
    answer: dict[str, AgentStatus] = {}
    looked_for = (
        "SELECT agent, roots, proof, keep_days FROM agent UNION ALL"
        " SELECT DISTINCT agent, '[]', 'real', NULL FROM exchange WHERE agent NOT IN (SELECT agent FROM agent)"
        " ORDER BY agent"
    )
    for agent, roots, proof, keep_days in connection.execute(looked_for):
        sessions, count, last = exchanges.get(agent, (0, 0, None))
        expiring = _expiring(connection, agent, keep_days, now)
        skipped = _skipped(connection, agent)
        answer[agent] = AgentStatus(
            tuple(json.loads(roots)),
            sessions,
            count,
            edits.get(agent, 0),
            last,
            gone.get(agent, 0),
            expiring,
            skipped,
            proof,
            _unknown(connection, agent),
        )
    return answer


def vector_status(connection: sqlite3.Connection, recipe: str) -> VectorStatus:
    ready = _one(connection, "SELECT count(*) FROM vector WHERE recipe = ?", recipe)
    return VectorStatus(ready, _one(connection, "SELECT count(*) FROM exchange") - ready)


def index_status(connection: sqlite3.Connection, alive: bool) -> IndexStatus:
    """What the writer last said of itself; a dead one is not running, whatever it said."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'index'").fetchone()
    if found is None:
        return IndexStatus()
    state, done, total, finished_at = json.loads(found[0])
    return IndexStatus(state if alive or state != "running" else "paused", done, total, finished_at)


def _expiring(connection: sqlite3.Connection, agent: str, keep_days: int | None, now: float) -> int:
    """Transcripts whose last change is within a week of the agent's clean-up age."""
    if keep_days is None:
        return 0
    horizon = int((now + SOON - keep_days * 86_400) * 1e9)
    return _one(
        connection, "SELECT count(*) FROM source WHERE agent = ? AND gone_at IS NULL AND mtime_ns < ?", agent, horizon
    )


def _skipped(connection: sqlite3.Connection, agent: str) -> tuple[Skipped, ...]:
    found = connection.execute(
        "SELECT p.path, p.offset, p.reason FROM problem p JOIN source s ON s.id = p.source_id WHERE s.agent = ?"
        f" AND {_DAMAGE} ORDER BY s.mtime_ns DESC, p.path, p.offset LIMIT ?",
        (agent, SKIPPED_SHOWN),
    )
    return tuple(Skipped(shown_path(path), offset, reason) for path, offset, reason in found)


def _unknown(connection: sqlite3.Connection, agent: str) -> dict[str, int]:
    """Types of records that the agent's reader does not know, and in how many files they are."""
    found = connection.execute(
        "SELECT substr(p.reason, ?), count(*) FROM problem p JOIN source s ON s.id = p.source_id"
        f" WHERE s.agent = ? AND NOT {_DAMAGE} GROUP BY 1 ORDER BY 2 DESC, 1",
        (len(UNKNOWN) + 1, agent),
    )
    return dict(found.fetchall())


def _store(home: Path | None) -> StoreStatus:
    path = home / places.STORE if home else None
    return StoreStatus(str(path or ""), path.stat().st_size if path else 0, schema.VERSION)


def _one(connection: sqlite3.Connection, query: str, *values: object) -> int:
    return int(connection.execute(query, values).fetchone()[0])
