"""Putting exchanges in: the tables that hang on one row, written and replaced together."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from pastwork.model import Edit, Exchange, PalaceObject, Room, Session
from pastwork.store import carriers, codec, paths, sources, tombstones
from pastwork.store.records import Digest, Put
from pastwork.store.rows import grouped_rooms

FORGOTTEN = Put(0, "forgotten")


def weigh(connection: sqlite3.Connection, exchange: Exchange, source_id: int) -> Put | None:
    """Settles what needs no digest: a forgotten exchange, a reading that changes nothing shown."""
    copy = carriers.copy_of(exchange)
    if tombstones.covers(connection, exchange.id, exchange.twin, exchange.agent, exchange.session_id):
        return FORGOTTEN
    found = carriers.rows_of(connection, copy)
    if len(found) != 1:
        return None
    row = found[0]
    shown_source, shown = carriers.shown(connection, row)
    own = shown_source == source_id and shown.id == copy.id
    if shown.content == copy.content if own else shown.order <= copy.order:
        carriers.record(connection, row, source_id, copy)
        return Put(row, "known")
    return None


def put(connection: sqlite3.Connection, exchange: Exchange, digest: Digest, source_id: int) -> Put:
    """Keeps the exchange, or notes it as a further carrier of one that is kept."""
    settled = weigh(connection, exchange, source_id)
    if settled is not None:
        return settled
    copy = carriers.copy_of(exchange)
    found = carriers.rows_of(connection, copy)
    if not found:
        row = _insert(connection, exchange, source_id, copy)
        _keep(connection, row, exchange)
        _fill(connection, row, exchange, digest)
        return Put(row, "new")
    row, removed = _merge(connection, found)
    shown_source, shown = carriers.shown(connection, row)
    carriers.record(connection, row, source_id, copy)
    own = shown_source == source_id and shown.id == copy.id
    if not own and shown.order <= copy.order:
        return Put(row, "updated" if removed else "known", removed)
    if own:
        sources.read_again(connection, carriers.better_elsewhere(connection, row, source_id, copy))
    _replace(connection, row, exchange, source_id, copy)
    _keep(connection, row, exchange)
    _fill(connection, row, exchange, digest)
    return Put(row, "updated", removed)


def put_session(connection: sqlite3.Connection, session: Session) -> None:
    """Adds what is new of a session; nothing is written where nothing is."""
    connection.execute(
        "INSERT INTO session (agent, id, title, workspace, parent_id, started_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        " ON CONFLICT (agent, id) DO UPDATE SET title = coalesce(nullif(?3, ''), title),"
        " workspace = coalesce(?4, workspace), parent_id = coalesce(?5, parent_id),"
        " started_at = coalesce(?6, started_at)"
        " WHERE (coalesce(nullif(?3, ''), title), coalesce(?4, workspace), coalesce(?5, parent_id),"
        " coalesce(?6, started_at)) IS NOT (title, workspace, parent_id, started_at)",
        (session.agent, session.id, session.title, session.workspace, session.parent_id, session.started_at),
    )


def set_object(connection: sqlite3.Connection, row: int, palace_object: PalaceObject, tokens_distilled: int) -> None:
    (terms,) = connection.execute("SELECT terms FROM object WHERE row = ?", (row,)).fetchone()
    _write_object(connection, row, palace_object, terms)
    connection.execute("UPDATE exchange SET tokens_distilled = ? WHERE row = ?", (tokens_distilled, row))
    if palace_object.room_assignments:
        _write_rooms(connection, row, palace_object.room_assignments)


def delete(connection: sqlite3.Connection, rows: Collection[int]) -> None:
    """What hangs on an exchange goes with it; sessions go with their last exchange."""
    connection.executemany("DELETE FROM exchange WHERE row = ?", [(row,) for row in rows])
    connection.execute(
        "DELETE FROM session WHERE NOT EXISTS"
        " (SELECT 1 FROM carrier c WHERE c.agent = session.agent AND c.session_id = session.id)"
    )


def candidates(connection: sqlite3.Connection) -> dict[int, tuple[Room, ...]]:
    """What can be read of them; an exchange whose proposals are damaged keeps the rooms it has."""
    found = proposals(connection)
    return {row: rooms for row, rooms in found if rooms is not None}


def proposals(connection: sqlite3.Connection) -> Iterator[tuple[int, tuple[Room, ...] | None]]:
    """The rooms that each exchange proposes; None where they are damaged."""
    decode = msgspec.msgpack.Decoder(tuple[Room, ...]).decode
    for row, data in connection.execute("SELECT row, data FROM candidate ORDER BY row"):
        try:
            yield row, decode(data)
        except (msgspec.DecodeError, RecursionError):
            yield row, None


def told_by(exchange: Exchange, source_id: int) -> tuple[object, ...]:
    """The columns of an exchange's row that are its own words, in the order of ``OWN_COLUMNS``."""
    return _values(exchange, source_id, carriers.copy_of(exchange))


def edits_of(exchange: Exchange) -> list[tuple[object, ...]]:
    """Its rows of the table of edits, in the order of ``EDIT_COLUMNS``."""
    values: list[tuple[object, ...]] = []
    at_ms = milliseconds(exchange.started_at)
    for seq, edit in enumerate(exchange.edits):
        at_ms = max(at_ms, milliseconds(edit.time))
        values.append((seq, *_edit_values(edit, exchange.workspace), at_ms, codec.pack_hunks(edit.hunks)))
    return values


def settle_rooms(connection: sqlite3.Connection, assignments: Mapping[int, Sequence[Room]]) -> int:
    """Only rows whose rooms differ are written."""
    now = grouped_rooms(connection)
    changed = [row for row, rooms in assignments.items() if now.get(row, ()) != tuple(rooms)]
    for row in changed:
        _write_rooms(connection, row, assignments[row])
    return len(changed)


def _merge(connection: sqlite3.Connection, found: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """One exchange of several that turned out to be the same: the best shown copy stays."""
    best = min(found, key=lambda row: carriers.shown(connection, row)[1].order)
    others = tuple(row for row in found if row != best)
    for row in others:
        connection.execute("UPDATE carrier SET row = ? WHERE row = ?", (best, row))
        connection.execute("DELETE FROM exchange WHERE row = ?", (row,))
    return best, others


#: Columns that the exchange itself tells.
OWN_COLUMNS = (
    "id, agent, session_id, turn, started_at, ended_at, time_source, workspace, cwd, branch, model,"
    " open, place, stood, source_id, content"
)
EDIT_COLUMNS = "seq, path, relative, base, previous_path, action, evidence, time, tool_id, at_ms, hunks"
_COLUMNS = (
    "id, agent, session_id, turn, prompt, started_at, ended_at, time_source, workspace, cwd, branch, model,"
    " open, fix, tokens_verbatim, tokens_distilled, place, stood, source_id, content"
)


def _insert(connection: sqlite3.Connection, exchange: Exchange, source_id: int, copy: carriers.Copy) -> int:
    cursor = connection.execute(
        f"INSERT INTO exchange ({_COLUMNS}) VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?, ?)",
        _values(exchange, source_id, copy),
    )
    row = int(cursor.lastrowid or 0)
    carriers.record(connection, row, source_id, copy)
    return row


def _replace(connection: sqlite3.Connection, row: int, exchange: Exchange, source_id: int, copy: carriers.Copy) -> None:
    connection.execute(
        "UPDATE exchange SET id = ?, agent = ?, session_id = ?, turn = ?, started_at = ?, ended_at = ?,"
        " time_source = ?, workspace = ?, cwd = ?, branch = ?, model = ?, open = ?, place = ?, stood = ?,"
        " source_id = ?, content = ? WHERE row = ?",
        (*_values(exchange, source_id, copy), row),
    )


def _values(exchange: Exchange, source_id: int, copy: carriers.Copy) -> tuple[object, ...]:
    return (
        exchange.id,
        exchange.agent,
        exchange.session_id,
        exchange.turn,
        exchange.started_at,
        exchange.ended_at,
        exchange.time_source,
        exchange.workspace,
        exchange.cwd,
        exchange.branch,
        exchange.model,
        exchange.open,
        exchange.workspace and paths.folded(exchange.workspace),
        exchange.cwd and paths.folded(exchange.cwd),
        source_id,
        copy.content,
    )


def refill(connection: sqlite3.Connection, row: int, exchange: Exchange, digest: Digest) -> None:
    """Replaces everything that is derived of a kept exchange, but not what a language model distilled."""
    by, core, context, distilled = connection.execute(
        "SELECT o.distilled_by, o.core, o.context, e.tokens_distilled FROM object o JOIN exchange e ON e.row = o.row"
        " WHERE o.row = ?",
        (row,),
    ).fetchone()
    if by != digest.object.distilled_by:
        better = replace(digest.object, exchange_core=core, specific_context=context, distilled_by=by)
        digest = replace(digest, object=better, tokens_distilled=distilled)
    _fill(connection, row, exchange, digest)


def _keep(connection: sqlite3.Connection, row: int, exchange: Exchange) -> None:
    connection.execute("INSERT OR REPLACE INTO verbatim (row, data) VALUES (?, ?)", (row, codec.pack(exchange)))


def _fill(connection: sqlite3.Connection, row: int, exchange: Exchange, digest: Digest) -> None:
    """Everything that is derived of the exchange's content."""
    connection.execute(
        "UPDATE exchange SET prompt = ?, fix = ?, tokens_verbatim = ?, tokens_distilled = ?, recipe = ? WHERE row = ?",
        (digest.prompt[:500], digest.fix, digest.tokens_verbatim, digest.tokens_distilled, digest.recipe, row),
    )
    _write_edits(connection, row, exchange)
    _write_touches(connection, row, exchange.workspace, digest.object)
    _write_object(connection, row, digest.object, " ".join(digest.terms))
    _write_rooms(connection, row, digest.object.room_assignments)
    proposed = msgspec.msgpack.encode(digest.candidates)
    connection.execute("INSERT OR REPLACE INTO candidate (row, data) VALUES (?, ?)", (row, proposed))


def _write_object(connection: sqlite3.Connection, row: int, palace_object: PalaceObject, terms: str) -> None:
    """A changed text makes the row's vectors pending again."""
    text = (terms, palace_object.exchange_core, palace_object.specific_context)
    if connection.execute("SELECT terms, core, context FROM object WHERE row = ?", (row,)).fetchone() != text:
        connection.execute("DELETE FROM vector WHERE row = ?", (row,))
    connection.execute(
        "INSERT OR REPLACE INTO object (row, terms, core, context, distilled_by) VALUES (?, ?, ?, ?, ?)",
        (row, *text, palace_object.distilled_by),
    )


def _write_edits(connection: sqlite3.Connection, row: int, exchange: Exchange) -> None:
    connection.execute("DELETE FROM edit WHERE row = ?", (row,))
    connection.executemany(
        f"INSERT INTO edit (row, {EDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(row, *values) for values in edits_of(exchange)],
    )


def _edit_values(edit: Edit, workspace: str | None) -> tuple[object, ...]:
    return (
        edit.path,
        paths.relative(edit.path, workspace),
        paths.base_name(edit.path),
        edit.previous_path,
        edit.action,
        edit.evidence,
        edit.time,
        edit.tool_id,
    )


def _write_touches(
    connection: sqlite3.Connection, row: int, workspace: str | None, palace_object: PalaceObject
) -> None:
    connection.execute("DELETE FROM file_touch WHERE row = ?", (row,))
    connection.executemany(
        "INSERT OR IGNORE INTO file_touch (row, path, relative, base, action) VALUES (?, ?, ?, ?, ?)",
        [
            (row, touch.path, paths.relative(touch.path, workspace), paths.base_name(touch.path), touch.action)
            for touch in palace_object.files_touched
        ],
    )


def _write_rooms(connection: sqlite3.Connection, row: int, rooms: Sequence[Room]) -> None:
    connection.execute("DELETE FROM room WHERE row = ?", (row,))
    connection.executemany(
        "INSERT INTO room (row, place, room_type, room_key, room_label, relevance) VALUES (?, ?, ?, ?, ?, ?)",
        [(row, place, *msgspec.structs.astuple(room)) for place, room in enumerate(rooms)],
    )


def milliseconds(time: str | None) -> int:
    """Since 1970; 0 for no time or one that can't be read."""
    try:
        return max(0, int(datetime.fromisoformat(time).timestamp() * 1000)) if time else 0
    except (ValueError, OverflowError, OSError):
        return 0
