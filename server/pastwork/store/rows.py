"""Queries that turn rows of the store into records."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from pastwork.index.base import Fields
from pastwork.model import Action, Edit, FileTouch, PalaceObject, Room
from pastwork.store import codec
from pastwork.store.records import Kept, StoredEdit

T = TypeVar("T")

#: Edits of one exchange that ``StoredEdit.order`` can tell apart within a millisecond.
_PLACES = 4096


def kept(connection: sqlite3.Connection, wanted: Collection[int]) -> dict[int, Kept]:
    """The exchanges of these rows, without their verbatim."""
    listed = _listed(wanted)
    rooms = _grouped(_rooms(connection, listed))
    touched = _grouped(_touched(connection, listed))
    found = connection.execute(
        "SELECT e.row, e.id, e.agent, e.session_id, e.turn, coalesce(s.title, ''), e.prompt,"
        " o.core, o.context, o.distilled_by, e.started_at, e.ended_at, e.time_source, e.workspace, e.cwd, e.branch,"
        " e.model, e.open, e.fix, e.tokens_verbatim, e.tokens_distilled, o.terms"
        " FROM exchange e JOIN object o ON o.row = e.row"
        " LEFT JOIN session s ON s.agent = e.agent AND s.id = e.session_id"
        " WHERE e.row IN (SELECT value FROM json_each(?))",
        (listed,),
    )
    answer: dict[int, Kept] = {}
    for row, *fields in found:
        answer[row] = _kept(row, fields, tuple(rooms[row]), tuple(touched[row]))
    return answer


def searched(connection: sqlite3.Connection, wanted: Collection[int]) -> dict[int, Fields]:
    """The masked texts of these rows, where they are kept and whole."""
    found = connection.execute(
        "SELECT row, data FROM searched WHERE row IN (SELECT value FROM json_each(?))", (_listed(wanted),)
    )
    answer: dict[int, Fields] = {}
    for row, data in found:
        with suppress(ValueError):
            answer[row] = codec.unpack(data, Fields)
    return answer


def neighbours(connection: sqlite3.Connection, row: int) -> tuple[str | None, str | None]:
    """The nearest turns below and above in the session that the exchange shows."""
    return _beside(connection, row, "<", "DESC"), _beside(connection, row, ">", "ASC")


def edits(connection: sqlite3.Connection, keys: Collection[str]) -> list[StoredEdit]:
    """Edits whose recorded or relative path is one of ``keys``, in order."""
    listed = json.dumps(list(keys))
    found = connection.execute(
        "SELECT d.row, x.id, x.session_id, d.at_ms, d.seq, d.relative, d.path, d.action, d.hunks, d.evidence,"
        " d.previous_path, d.time, d.tool_id, x.workspace FROM edit d JOIN exchange x ON x.row = d.row WHERE d.id IN ("
        " SELECT id FROM edit WHERE path IN (SELECT value FROM json_each(?1))"
        " UNION SELECT id FROM edit WHERE relative IN (SELECT value FROM json_each(?1)))"
        " ORDER BY d.at_ms, x.started_at, x.session_id, x.turn, d.seq",
        (listed,),
    )
    return [_stored_edit(fields) for fields in found]


def grouped_rooms(connection: sqlite3.Connection) -> dict[int, tuple[Room, ...]]:
    """The rooms of every exchange that has any."""
    found = connection.execute("SELECT row, room_type, room_key, room_label, relevance FROM room ORDER BY row, place")
    return {row: tuple(rooms) for row, rooms in _grouped((row, Room(*fields)) for row, *fields in found).items()}


def shown_path(path: bytes) -> str:
    """A stored path as text that can be printed and sent: bytes that are no text are replaced."""
    return os.fsdecode(path).encode("utf-8", "replace").decode("utf-8")


def _kept(row: int, fields: Sequence[Any], rooms: tuple[Room, ...], touched: tuple[FileTouch, ...]) -> Kept:
    exchange_id, agent, session_id, turn, title, prompt, core, context, by, *rest = fields
    started_at, ended_at, time_source, workspace, cwd, branch, model, still_open, fix, verbatim, distilled, terms = rest
    return Kept(
        row=row,
        id=exchange_id,
        agent=agent,
        session_id=session_id,
        turn=turn,
        title=title,
        prompt=prompt,
        object=PalaceObject(core, context, rooms, touched, by),
        started_at=started_at,
        ended_at=ended_at,
        time_source=time_source,
        workspace=workspace,
        cwd=cwd,
        branch=branch,
        model=model,
        open=bool(still_open),
        fix=bool(fix),
        tokens_verbatim=verbatim,
        tokens_distilled=distilled,
        terms=terms,
    )


def _stored_edit(fields: Sequence[Any]) -> StoredEdit:
    row, exchange_id, session_id, at_ms, seq, relative, path, action, hunks, *rest, workspace = fields
    edit = Edit(path, action, codec.unpack_hunks(hunks), *rest)
    order = at_ms * _PLACES + min(seq, _PLACES - 1)
    return StoredEdit(row, exchange_id, session_id, order, relative, edit, workspace)


def _rooms(connection: sqlite3.Connection, listed: str) -> Iterator[tuple[int, Room]]:
    found = connection.execute(
        "SELECT row, room_type, room_key, room_label, relevance FROM room"
        " WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row, place",
        (listed,),
    )
    return ((row, Room(*fields)) for row, *fields in found)


def _touched(connection: sqlite3.Connection, listed: str) -> Iterator[tuple[int, FileTouch]]:
    found: Iterable[tuple[int, str, Action]] = connection.execute(
        "SELECT row, path, action FROM file_touch WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row, path",
        (listed,),
    )
    return ((row, FileTouch(path, action)) for row, path, action in found)


def _beside(connection: sqlite3.Connection, row: int, side: str, order: str) -> str | None:
    query = (
        "SELECT x.id FROM exchange e JOIN carrier c ON c.agent = e.agent AND c.session_id = e.session_id"
        f" AND c.turn {side} e.turn JOIN exchange x ON x.row = c.row"
        f" WHERE e.row = ? AND x.row <> e.row ORDER BY c.turn {order}, x.id LIMIT 1"
    )
    found = connection.execute(query, (row,)).fetchone()
    return None if found is None else str(found[0])


def _grouped(pairs: Iterable[tuple[int, T]]) -> defaultdict[int, list[T]]:
    groups: defaultdict[int, list[T]] = defaultdict(list)
    for row, value in pairs:
        groups[row].append(value)
    return groups


def _listed(wanted: Collection[int]) -> str:
    return json.dumps([int(row) for row in wanted])
