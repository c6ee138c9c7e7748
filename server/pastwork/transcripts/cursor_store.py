"""The Cursor CLI's ``store.db``: content-addressed blobs under a root that changes with every message.

``meta`` row ``0`` is hex of JSON and names the root. Tree nodes are protobuf messages whose 32-byte
fields are ids of children; leaves are JSON messages. No message has a time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import mended_json, sqlite, tell, times
from pastwork.transcripts.base import Item, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.cursor_bubbles import typed
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.folders import mtime

_ID_BYTES = 32
_DEPTH = 64
_LENGTH_DELIMITED = 2
_ROLES = ("user", "assistant", "tool", "system")


class Meta(Struct):
    agent_id: str = field(name="agentId", default="")
    root: str = field(name="latestRootBlobId", default="")
    name: str | None = None
    created: float | None = field(name="createdAt", default=None)
    model: str | None = field(name="lastUsedModel", default=None)


class Beside(Struct):
    """``meta.json`` beside the database."""

    cwd: str | None = None
    workspace: str | None = field(name="workspacePath", default=None)


class Part(Struct):
    type: str | None = None
    text: str | None = None
    call: str | None = field(name="toolCallId", default=None)
    name: str | None = field(name="toolName", default=None)
    args: Raw = Raw()
    input: Raw = Raw()
    result: Raw = Raw()
    is_error: bool = field(name="isError", default=False)


class Message(Struct):
    role: str | None = None
    content: str | list[Part] | None = None


_META: Decoder[Meta] = Decoder(Meta)
_BESIDE: Decoder[Beside] = Decoder(Beside)
_MESSAGE: Decoder[Message] = Decoder(Message)


def items(source: Source, now: float) -> Iterator[Item]:
    """The one session of a store."""
    faults = Faults(source.path, _ROLES)
    try:
        with sqlite.reading(source.path) as connection:
            meta = _meta(connection) if sqlite.holds(connection, faults, "meta") else None
            if meta is None:
                yield from faults.taken()
                return
            messages = list(_messages(connection, meta.root, faults))
    except sqlite3.Error as error:
        yield Problem(str(source.path), 0, f"cannot be read: {error}")
        return
    started = times.utc(meta.created, now)
    session = Session("cursor", meta.agent_id or source.path.parent.name, meta.name or "", started_at=started)
    build = Builder.start(session, now=now, mtime=mtime(source.path))
    build.context(cwd=source.workspace or _cwd(source.path), model=meta.model)
    for message in messages:
        faults.knows(message.role)
        yield from _told(build, message)
    yield from faults.taken()
    yield from build.finish()


def _meta(connection: sqlite3.Connection) -> Meta | None:
    row = connection.execute("SELECT value FROM meta WHERE key IN ('0', 0)").fetchone()
    text = (sqlite.as_bytes(row[0]) if row else None) or b""
    try:
        return mended_json.value(bytes.fromhex(text.decode("ascii", "replace")), _META)
    except ValueError:
        return mended_json.value(text, _META)


def _cwd(path: Path) -> str | None:
    found = mended_json.document(path.with_name("meta.json"), _BESIDE)
    return None if isinstance(found, Problem) else found.cwd or found.workspace


def _messages(connection: sqlite3.Connection, root: str, faults: Faults) -> Iterator[Message]:
    for name, leaf in _leaves(connection, root):
        found = mended_json.value(leaf, _MESSAGE, faults, f"blob {name}")
        if found is not None:
            yield found


def _leaves(connection: sqlite3.Connection, root: str) -> Iterator[tuple[str, bytes]]:
    """The messages below a node, in order; each once, however often it is referred to."""
    seen: set[str] = set()
    waiting = [(root, 0)]
    while waiting:
        name, depth = waiting.pop()
        if name in seen or depth > _DEPTH:
            continue
        seen.add(name)
        row = connection.execute("SELECT data FROM blobs WHERE id = ?", (name,)).fetchone()
        data = sqlite.as_bytes(row[0]) if row else None
        if data is None:
            continue
        if data.lstrip().startswith(b"{"):
            yield name, data
        else:
            waiting += [(child, depth + 1) for child in reversed(list(_children(data)))]


def _children(data: bytes) -> Iterator[str]:
    """The 32-byte fields of a protobuf message, as hex; stops where the bytes are none."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        size, at = _varint(data, at)
        if tag & 7 == _LENGTH_DELIMITED and at + size <= len(data):
            if size == _ID_BYTES:
                yield data[at : at + size].hex()
            at += size
        elif tag & 7:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while at < len(data):
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            break
    return number, at


def _told(build: Builder, message: Message) -> Iterator[Item]:
    parts = [Part("text", message.content)] if isinstance(message.content, str) else message.content or []
    if message.role == "user":
        prompt = typed("\n".join(part.text for part in parts if part.text))
        if prompt is not None:
            yield from build.prompt(prompt, offset=0)
    elif message.role == "assistant":
        for part in parts:
            if part.type == "text":
                build.answer(part.text or "")
            elif part.type == "tool-call":
                tell.call(build, part.name, part.args or part.input, ref=part.call)
    elif message.role == "tool":
        for part in parts:
            output = bytes(part.result).decode("utf-8", "replace")
            tell.result(build, part.call, tell.plain(output), ok=not part.is_error)
