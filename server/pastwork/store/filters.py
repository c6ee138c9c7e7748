"""``RowFilter`` as SQL over the table ``exchange`` (alias ``e``)."""

from __future__ import annotations

import json

from pastwork.store import paths
from pastwork.store.records import RowFilter

#: SQL conditions and the values of their question marks.
Conditions = tuple[list[str], list[object]]

_TOUCHED = "e.row IN (SELECT t.row FROM file_touch t WHERE {})"

#: Above every character that may follow a folder's slash.
_AFTER = "\U0010ffff"


def where(wanted: RowFilter) -> tuple[str, list[object]]:
    """A ``WHERE`` clause (or ``""``) and its values."""
    clauses: list[str] = []
    values: list[object] = []
    for part in (
        _folders(wanted),
        _whole(wanted),
        _plain(wanted),
        _times(wanted),
        _file(wanted),
        _room(wanted),
        _sessions(wanted),
    ):
        clauses += part[0]
        values += part[1]
    return (" WHERE " + " AND ".join(clauses) if clauses else ""), values


def _folders(wanted: RowFilter) -> Conditions:
    if not wanted.workspaces:
        return [], []
    clauses: list[str] = []
    values: list[object] = []
    for folder in {paths.folded(folder) for folder in wanted.workspaces}:
        for column in ("e.place", "e.stood"):
            clauses.append(f"{column} = ? OR ({column} >= ? AND {column} < ?)")
            below = folder.rstrip("/") + "/"
            values += [folder, below, below + _AFTER]
    return ["(" + " OR ".join(clauses) + ")"], values


def _whole(wanted: RowFilter) -> Conditions:
    if wanted.folders is None:
        return [], []
    listed = json.dumps([paths.folded(folder) for folder in wanted.folders])
    meant = "SELECT value FROM json_each(?)"
    return [f"(e.place IN ({meant}) OR e.stood IN ({meant}))"], [listed, listed]


def _plain(wanted: RowFilter) -> Conditions:
    clauses: list[str] = []
    values: list[object] = []
    for column, value in (("agent", wanted.agent), ("branch", wanted.branch)):
        if value is not None:
            clauses.append(f"e.{column} = ?")
            values.append(value)
    if wanted.fixes:
        clauses.append("e.fix = 1")
    return clauses, values


def _times(wanted: RowFilter) -> Conditions:
    """Compared as text, to the precision that was asked for: a date includes its day, a second its fractions."""
    clauses: list[str] = []
    values: list[object] = []
    if wanted.since is not None:
        clauses.append("e.started_at >= ?")
        values.append(wanted.since.removesuffix("Z"))
    if wanted.until is not None:
        clauses.append("e.started_at <= ?")
        values.append(wanted.until.removesuffix("Z") + _AFTER)
    return clauses, values


def _file(wanted: RowFilter) -> Conditions:
    if wanted.file is None:
        return [], []
    name = paths.posix(wanted.file)
    if "/" not in name:
        return [_TOUCHED.format("t.base = ?")], [name]
    if paths.absolute(name):
        return [_TOUCHED.format("t.path IN (?, ?)")], [name, wanted.file]
    same = "t.base = ? AND (t.relative = ? OR t.path = ? OR substr(replace(t.path, '\\', '/'), -?) = ?)"
    return [_TOUCHED.format(same)], [paths.base_name(name), name, wanted.file, len(name) + 1, f"/{name}"]


def _room(wanted: RowFilter) -> Conditions:
    if wanted.room is None:
        return [], []
    kind, _, key = wanted.room.partition(":")
    if kind in ("file", "concept", "workflow") and key:
        found = "SELECT r.row FROM room r WHERE r.room_type = ? AND (r.room_key = ? OR r.room_label = ?)"
        return [f"e.row IN ({found})"], [kind, key, key]
    found = "SELECT r.row FROM room r WHERE r.room_key = ? OR r.room_label = ?"
    return [f"e.row IN ({found})"], [wanted.room, wanted.room]


def _sessions(wanted: RowFilter) -> Conditions:
    """Any session that carries the exchange, forks included."""
    if not wanted.sessions:
        return [], []
    carried = "SELECT c.row FROM carrier c WHERE c.session_id IN (SELECT value FROM json_each(?))"
    return [f"e.row IN ({carried})"], [json.dumps(wanted.sessions)]
