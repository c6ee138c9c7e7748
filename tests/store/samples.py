"""Invented exchanges and what would be distilled of them, for stores in tests."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from msgspec.structs import replace

from pastwork.model import Edit, Entry, Exchange, FileTouch, Hunk, PalaceObject, Room, ToolCall
from pastwork.store.records import Digest
from pastwork.store.writer import StoreWriter

WORKSPACE = "/home/ada/code/ferry"


def exchange(number: int = 1, **changes: object) -> Exchange:
    """Exchange ``number`` of an invented session: one edit, one command."""
    path = f"{WORKSPACE}/src/part{number}.py"
    made = Exchange(
        id=f"{number:016x}",
        agent="claude-code",
        session_id="session-a",
        turn=number,
        prompt=f"Rename the tide table in part {number}",
        entries=(
            Entry("user", f"Rename the tide table in part {number}", f"2026-02-03T10:{number:02d}:00Z"),
            Entry(
                "tool", "", None, ToolCall("Edit", path, f'{{"file_path": "{path}"}}', "ok", None, True, f"t{number}")
            ),
            Entry("assistant", f"Renamed it; part {number} imports the new name."),
        ),
        edits=(Edit(path, "edited", (Hunk(("-tides = 1", "+tide_table = 1"), 4, 4),), "patch", tool_id=f"t{number}"),),
        started_at=f"2026-02-03T10:{number:02d}:00Z",
        ended_at=f"2026-02-03T10:{number:02d}:40Z",
        workspace=WORKSPACE,
        cwd=WORKSPACE,
        branch="main",
        model="model-x",
        twin=f"twin-{number}",
    )
    return replace(made, **changes)


def digest(of: Exchange, **changes: object) -> Digest:
    touches = tuple(FileTouch(edit.path, edit.action) for edit in of.edits)
    rooms = (
        Room("file", f"src/part{of.turn}.py", f"part{of.turn}.py", 0.9),
        Room("concept", "tide_table", "tide table", 0.5),
    )
    made = Digest(
        object=PalaceObject(f"Renamed the tide table: {of.prompt}", f"part{of.turn}.py", rooms, touches),
        prompt=of.prompt,
        candidates=rooms,
        tokens_verbatim=20,
        tokens_distilled=8,
        recipe="r1",
    )
    return replace(made, **changes)


def keep(writer: StoreWriter, of: Exchange, path: str = "/logs/a.jsonl", made: Digest | None = None) -> int:
    """Puts an exchange found in the transcript ``path``; its row."""
    with writer.transaction():
        return writer.put(of, made or digest(of), writer.source(of.agent, Path(path)).id).row


#: Tables whose rows hang on an exchange's content, and the columns that say what is kept (no internal numbers).
_PARTS = {
    "verbatim": "data",
    "searched": "data",
    "edit": "seq, path, relative, base, previous_path, action, evidence, time, tool_id, at_ms, hunks",
    "file_touch": "path, relative, base, action",
    "object": "core, context, distilled_by",
    "room": "place, room_type, room_key, room_label, relevance",
    "candidate": "data",
}
_EXCHANGE = (
    "id, agent, session_id, turn, prompt, started_at, ended_at, time_source, workspace, cwd, branch, model, open, fix,"
    " tokens_verbatim, tokens_distilled, place, stood, recipe, content"
)


def dump(connection: sqlite3.Connection) -> dict[str, object]:
    """The store's content without row numbers, places of files and counters: equal where the same is known."""
    answer: dict[str, object] = {}
    for row, exchange_id in connection.execute("SELECT row, id FROM exchange").fetchall():
        parts = {
            table: connection.execute(
                f"SELECT {columns} FROM {table} WHERE row = ? ORDER BY {columns}", (row,)
            ).fetchall()
            for table, columns in _PARTS.items()
        }
        parts["exchange"] = connection.execute(f"SELECT {_EXCHANGE} FROM exchange WHERE row = ?", (row,)).fetchall()
        ids = connection.execute("SELECT DISTINCT id FROM carrier WHERE row = ? ORDER BY id", (row,)).fetchall()
        answer[exchange_id] = {**parts, "ids": ids}
    answer["sessions"] = connection.execute("SELECT * FROM session ORDER BY agent, id").fetchall()
    answer["tombstones"] = connection.execute("SELECT * FROM tombstone ORDER BY kind, value").fetchall()
    return answer
