"""What an editor's memory needs of every exchange, read in one sweep: no verbatim, no records of all fields."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator
from sys import intern

from pastwork.glance import Glance

#: Characters of the prompt that stand in for a core that is empty.
_PROMPT_WIDTH = 200


def workspaces(connection: sqlite3.Connection) -> dict[int, str | None]:
    """Row -> recorded workspace, or the folder the agent stood in."""
    return dict(connection.execute("SELECT row, coalesce(workspace, cwd) FROM exchange"))


def written(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """(row, recorded path) of every file that an exchange changed."""
    return connection.execute("SELECT row, path FROM file_touch WHERE action IN ('edited', 'created', 'deleted')")


def roomed(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """(row, path) of every file that an exchange has a room for."""
    return connection.execute("SELECT row, room_key FROM room WHERE room_type = 'file'")


def glances(connection: sqlite3.Connection, rows: Collection[int]) -> dict[int, Glance]:
    """These exchanges, the newest first; what has no time comes last."""
    listed = json.dumps([int(row) for row in rows])
    labels: defaultdict[int, list[str]] = defaultdict(list)
    for row, label in connection.execute(
        "SELECT row, room_label FROM room WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row, place", (listed,)
    ):
        labels[row].append(intern(label))  # many exchanges share a few
    found = connection.execute(
        "SELECT e.row, e.id, coalesce(nullif(o.core, ''), substr(e.prompt, 1, ?2)), coalesce(o.context, ''), e.agent,"
        " e.started_at, e.fix, e.open FROM exchange e LEFT JOIN object o ON o.row = e.row"
        " WHERE e.row IN (SELECT value FROM json_each(?1)) ORDER BY e.started_at DESC, e.turn DESC, e.row DESC",
        (listed, _PROMPT_WIDTH),
    )
    return {
        row: Glance(
            exchange_id, core, context, intern(agent), started_at, bool(fix), bool(still_open), tuple(labels[row])
        )
        for row, exchange_id, core, context, agent, started_at, fix, still_open in found
    }
