"""Zed's agent threads: ``threads/threads.db``, one row each, JSON or zstd-compressed JSON.

No message has a time; the row's creation dates the thread. Current rows hold ``User`` and ``Agent``
messages, older ones role and segments. Columns came with time and are asked for. A position carries
up to which change of a row was read.
"""

from __future__ import annotations

import io
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Raw, Struct, structs
from msgspec.json import Decoder

from pastwork.model import Edit, Hunk, Problem, Session
from pastwork.transcripts import (
    mended_json,
    not_prompts,
    patches,
    roots,
    sqlite,
    tell,
    times,
    tool_edits,
    watermark,
)
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.folders import FolderReader, wal

AGENT = "zed"
_CAP = 256 * 1024 * 1024
_COLUMNS = ("id", "summary", "updated_at", "created_at", "data_type", "data", "parent_id", "folder_paths")
_UNIQUE = 16
#: Messages that are nothing but their name.
_NAMES = ("Resume",)


class ToolUse(Struct):
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()


class Content(Struct):
    """One piece of a message; exactly one field is there."""

    Text: str | None = None
    ToolUse: ToolUse | None = None


class Shown(Struct):
    """An editing tool's output."""

    diff: str | None = None
    old_text: str | None = None
    new_text: str | None = None


class ToolResult(Struct):
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: Raw = Raw()
    output: Raw = Raw()


class UserMessage(Struct):
    id: str | None = None
    content: list[Raw] = []


class AgentMessage(Struct):
    content: list[Raw] = []
    tool_results: dict[str, Raw] = {}


class Segment(Struct):
    type: str | None = None
    text: str | None = None


class Message(Struct):
    """A message of either age."""

    User: UserMessage | None = None
    Agent: AgentMessage | None = None
    role: str | None = None
    segments: list[Segment] = []
    text: str | None = None
    tool_uses: list[ToolUse] = []
    tool_results: list[ToolResult] = []


class Thread(Struct):
    messages: list[Raw] = []
    model: Raw = Raw()


class Model(Struct):
    model: str | None = None


class Row(Struct):
    """One row of the table."""

    id: str
    summary: str | None = None
    updated_at: str | None = None
    created_at: str | None = None
    data_type: str | None = None
    data: bytes | str | None = None
    parent_id: str | None = None
    folder_paths: str | None = None


_THREAD: Decoder[Thread] = Decoder(Thread)
#: A message without fields is its name: ``Resume``.
_MESSAGE: Decoder[Message | str] = Decoder(Message | str)
_CONTENT: Decoder[Content] = Decoder(Content)
_RESULT: Decoder[ToolResult] = Decoder(ToolResult)
_SHOWN: Decoder[Shown] = Decoder(Shown)
_MODEL: Decoder[Model] = Decoder(Model)
_TEXT: Decoder[dict[str, str] | str] = Decoder(dict[str, str] | str)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The threads that changed since."""
    until = watermark.mark(since, "")
    try:
        with sqlite.reading(source.path) as connection:
            faults = Faults(source.path, _NAMES)
            for row in _rows(connection, until) if sqlite.holds(connection, faults, "threads") else ():
                yield from _thread(source, row, clock(), faults)
                yield from faults.taken()
            yield from faults.taken()
    except sqlite3.Error as error:
        yield Problem(str(source.path), 0, f"cannot be read: {error}")


def _rows(connection: sqlite3.Connection, until: str) -> Iterator[Row]:
    present = sqlite.columns(connection, "threads")
    if "id" not in present:
        return
    listed = ", ".join(name if name in present else f"NULL AS {name}" for name in _COLUMNS)
    query = "SELECT id FROM threads WHERE updated_at >= ? OR updated_at IS NULL ORDER BY updated_at"
    for (own,) in connection.execute(query, (until,)).fetchall():
        found = connection.execute(f"SELECT {listed} FROM threads WHERE id = ?", (own,)).fetchone()  # noqa: S608 - fixed
        if found is not None:
            row = Row(**dict(zip(_COLUMNS, found, strict=True)))
            if row.parent_id is None:
                yield row


def _thread(source: Source, row: Row, now: float, faults: Faults) -> Iterator[Item]:
    thread = mended_json.value(_payload(row) or b" ", _THREAD, faults, f"thread {row.id}")
    if thread is None:
        return
    started = times.utc(row.created_at or row.updated_at, now)
    folder = (row.folder_paths or "").split("\n")[0] or source.workspace
    build = Builder.start(Session(AGENT, row.id, row.summary or "", started_at=started), now=now)
    model = mended_json.value(thread.model, _MODEL)
    build.context(cwd=folder, model=model.model if model else None)
    yield from watermark.marked(_told(build, thread, folder, faults, row.id), row.updated_at or "")


def _payload(row: Row) -> bytes:
    data = sqlite.as_bytes(row.data) or b""
    if row.data_type != "zstd":
        return data
    import zstandard

    try:
        return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read(_CAP)
    except zstandard.ZstdError:
        return b""


def _told(build: Builder, thread: Thread, folder: str | None, faults: Faults, name: str) -> Iterator[Item]:
    what = f"thread {name}, message"
    for message in mended_json.each(thread.messages, _MESSAGE, faults, what):
        if isinstance(message, str):
            faults.knows(message)
            continue
        if message.User is not None:
            pieces = mended_json.each(message.User.content, _CONTENT, faults, f"{what} {message.User.id}, piece")
            yield from _asked(build, "\n".join(each.Text for each in pieces if each.Text), message.User.id)
        elif message.Agent is not None:
            _answered(build, message.Agent, folder)
        else:
            yield from _older(build, message, folder)
    yield from build.finish()


def _asked(build: Builder, words: str, own: str | None) -> Iterator[Item]:
    text = not_prompts.typed(words)
    if text is not None:
        yield from build.prompt(text, offset=0, prompt_id=own if own and len(own) >= _UNIQUE else None)


def _older(build: Builder, message: Message, folder: str | None) -> Iterator[Item]:
    words = message.text or "\n".join(part.text for part in message.segments if part.type == "text" and part.text)
    for result in message.tool_results:
        tell.result(build, result.tool_use_id, _output(result), ok=not result.is_error)
    if message.role == "user":
        yield from _asked(build, words, None)
    elif message.role == "assistant":
        build.answer(words)
        for use in message.tool_uses:
            _used(build, use, None, folder)


def _answered(build: Builder, message: AgentMessage, folder: str | None) -> None:
    for piece in mended_json.each(message.content, _CONTENT):
        build.answer(piece.Text or "")
        if piece.ToolUse is not None:
            use = piece.ToolUse
            data = message.tool_results.get(use.id or "")
            _used(build, use, mended_json.value(data, _RESULT) if data is not None else None, folder)


def _used(build: Builder, use: ToolUse, result: ToolResult | None, folder: str | None) -> None:
    text, given = tell.opened(use.input)
    found = tool_edits.changes(use.name or "", given)
    edits = tuple(structs.replace(edit, path=_rooted(edit.path, folder)) for edit in found)
    shown = mended_json.value(result.output, _SHOWN) if result else None
    if shown is not None and len(edits) == 1 and (hunks := _hunks(shown)):
        edits = (Edit(edits[0].path, edits[0].action, hunks, "patch" if shown.diff else "text"),)
    build.call(
        use.name or "",
        ref=use.id,
        arguments=text,
        summary=tell.summary(build, given, edits),
        output=_output(result) if result else "",
        ok=None if result is None else not result.is_error,
        edits=edits,
        reads=[_rooted(path, folder) for path in tool_edits.reads(use.name or "", given)],
    )


def _hunks(shown: Shown) -> tuple[Hunk, ...]:
    if shown.diff and (hunks := patches.unified(shown.diff)):
        return hunks
    return patches.between(shown.old_text or "", shown.new_text or "", 1, 1)


def _rooted(path: str, folder: str | None) -> str:
    """Zed's paths begin with the name of the project's folder."""
    name, _, rest = path.partition("/")
    return f"{folder}/{rest}" if folder and rest and name == Path(folder).name else path


def _output(result: ToolResult) -> str:
    found = mended_json.value(result.content, _TEXT)
    if isinstance(found, Mapping):
        return "\n".join(found.values())
    return found or ""


def _places(env: Env) -> tuple[Path, ...]:
    flatpak = env.home / ".var" / "app" / "dev.zed.Zed" / "data" / "zed"
    places = (*roots.data(env, "zed"), *roots.data(env, "Zed"), flatpak)
    return tuple(place / "threads" for place in places)


ZED = FolderReader(AGENT, "fixture-only", _places, ("threads.db",), read, wal)
