"""Goose: ``goose/sessions/sessions.db``, and the ``<id>.jsonl`` files of releases before 1.10.

Both hold messages of the same blocks; the database dates each in seconds. Files stay behind after the
move to the database, under the same session ids. A position carries up to which change of a session
was read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import mended_json, not_prompts, roots, sqlite, tell, times, watermark
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.blocks import plain
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.folders import FolderReader, wal
from pastwork.transcripts.jsonl import Row
from pastwork.transcripts.line_reader import reading

AGENT = "goose"
_UNIQUE = 16
_HEADER = "(header)"
_KINDS = (_HEADER, "user", "assistant", "tool", "system")
_NOT_TYPED = ("sub_agent", "subagent", "hidden", "scheduled")


class Value(Struct):
    name: str | None = None
    arguments: Raw = Raw()


class ToolCall(Struct):
    status: str | None = None
    value: Value | None = None


class ToolResult(Struct):
    status: str | None = None
    value: Raw = Raw()
    error: str | None = None


class Block(Struct):
    type: str | None = None
    text: str | None = None
    id: str | None = None
    call: ToolCall | None = field(name="toolCall", default=None)
    result: ToolResult | None = field(name="toolResult", default=None)


class Contents(Struct):
    content: Raw = Raw()


class Line(Struct):
    """A file's header, or a message; a database's row alike."""

    id: str | None = None
    role: str | None = None
    created: float | None = None
    content: list[Raw] = []
    description: str | None = None
    working_dir: str | None = None


_LINES: Decoder[Line] = Decoder(Line)
_BLOCK: Decoder[Block] = Decoder(Block)
_BLOCKS: Decoder[list[Raw]] = Decoder(list[Raw])
_CONTENTS: Decoder[Contents] = Decoder(Contents)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The sessions of the database that changed since, or of one file."""
    if source.path.suffix == ".jsonl":
        yield from reading(AGENT, _LINES, _tell, clock=clock, kind=_kind, known=_KINDS)(source, since)
        return
    try:
        with sqlite.reading(source.path) as connection:
            faults = Faults(source.path, _KINDS)
            if sqlite.holds(connection, faults, "sessions"):
                yield from _database(connection, watermark.mark(since, ""), clock(), faults)
            yield from faults.taken()
    except sqlite3.Error as error:
        yield Problem(str(source.path), 0, f"cannot be read: {error}")


def _kind(line: Line) -> str | None:
    header = line.role is None and (line.working_dir is not None or line.description is not None)
    return _HEADER if header else line.role


def _database(connection: sqlite3.Connection, until: str, now: float, faults: Faults) -> Iterator[Item]:
    kind = "session_type" if "session_type" in sqlite.columns(connection, "sessions") else "'user'"
    query = f"SELECT id, name, description, working_dir, created_at, updated_at, {kind} FROM sessions"  # noqa: S608 - fixed
    listed = connection.execute(f"{query} WHERE updated_at >= ? ORDER BY updated_at", (until,)).fetchall()
    for own, name, description, folder, created, updated, sort in listed:
        if sort in _NOT_TYPED:
            continue
        started = times.utc(created, now)
        session = Session(AGENT, str(own), description or name or "", started_at=started)
        build = Builder.start(session, now=now)
        build.context(cwd=folder)
        yield from watermark.marked(_messages(build, connection, str(own), faults), str(updated))
        yield from faults.taken()


def _messages(build: Builder, connection: sqlite3.Connection, session_id: str, faults: Faults) -> Iterator[Item]:
    query = "SELECT id, role, content_json, created_timestamp FROM messages WHERE session_id = ? ORDER BY id"
    for own, role, data, created in connection.execute(query, (session_id,)).fetchall():
        what = f"message {own}"
        found = mended_json.value(sqlite.as_bytes(data) or b" ", _BLOCKS, faults, what)
        blocks = mended_json.each(found, _BLOCK, faults, f"{what}, block")
        faults.knows(role)
        yield from _said(build, role, blocks, created)
    yield from build.finish()


def _tell(build: Builder, row: Row[Line]) -> Iterator[Item]:
    line = row.value
    if line.role is None:
        build.describe(title=line.description)
        build.context(cwd=line.working_dir)
        return
    own = line.id if line.id and len(line.id) >= _UNIQUE else None
    yield from _said(build, line.role, mended_json.each(line.content, _BLOCK), line.created, row.offset, own)


def _said(
    build: Builder, role: str, blocks: list[Block], moment: float | None, offset: int = 0, own: str | None = None
) -> Iterator[Item]:
    for block in blocks:
        if block.result is not None:
            output = block.result.error or _output(block.result.value)
            tell.result(build, block.id, output, ok=block.result.status != "error", time=moment)
    words = "\n".join(block.text for block in blocks if block.type == "text" and block.text)
    if role == "user":
        text = not_prompts.typed(words)
        if text is not None:
            yield from build.prompt(text, offset=offset, prompt_id=own, time=moment)
        return
    for block in blocks:
        if block.type == "text":
            build.answer(block.text or "", time=moment)
        elif block.call is not None:
            value = block.call.value or Value()
            tell.call(build, value.name, value.arguments, ref=block.id, time=moment)


def _output(value: Raw) -> str:
    """A result's text blocks, which newer releases wrap once more."""
    wrapped = mended_json.value(value, _CONTENTS) if bytes(value).lstrip().startswith(b"{") else None
    return plain(wrapped.content if wrapped and bytes(wrapped.content) else value)


def _places(env: Env) -> tuple[Path, ...]:
    named = env.variables.get("GOOSE_PATH_ROOT")
    own = (Path(named).expanduser() / "data" / "sessions",) if named else ()
    windows = env.variables.get("APPDATA")
    more = (Path(windows) / "Block" / "goose" / "data" / "sessions",) if windows else ()
    return (*own, *(place / "sessions" for place in roots.data(env, "goose")), *more)


GOOSE = FolderReader(AGENT, "fixture-only", _places, ("sessions.db", "*.jsonl"), read, wal)
