"""OpenCode's sessions, messages and parts of all generations; every field optional."""

from __future__ import annotations

from msgspec import Raw, Struct, field
from msgspec.json import Decoder


class When(Struct, frozen=True):
    """Milliseconds since 1970, in old rows also ISO text."""

    created: float | str | None = None
    updated: float | str | None = None
    completed: float | str | None = None
    start: float | str | None = None
    end: float | str | None = None


class Session(Struct):
    """A session's own record."""

    id: str = ""
    directory: str | None = None
    title: str | None = None
    parent_id: str | None = field(name="parentID", default=None)
    time: When = When()


class Place(Struct):
    cwd: str | None = None
    root: str | None = None


class Model(Struct):
    model_id: str | None = field(name="modelID", default=None)
    id: str | None = None


class Summary(Struct):
    body: str | None = None


class Message(Struct):
    """A message; from 2.x on with its content inside."""

    id: str = ""
    role: str | None = None
    type: str | None = None
    time: When = When()
    model_id: str | None = field(name="modelID", default=None)
    model: Model | None = None
    path: str | Place | None = None
    summary: bool | Summary | None = None
    error: Raw = Raw()
    finish: str | None = None
    text: str | None = None
    content: list[Raw] = []
    command: str | None = None
    output: str | None = None


class Block(Struct):
    type: str | None = None
    text: str | None = None


class Failure(Struct):
    message: str | None = None


class Shown(Struct):
    """What a tool tells besides its output."""

    diff: str | None = None
    session_id: str | None = field(name="sessionId", default=None)
    session_id_old: str | None = field(name="sessionID", default=None)


class State(Struct):
    status: str | None = None
    input: Raw = Raw(b"{}")
    output: str | None = None
    content: list[Block] = []
    error: str | Failure | None = None
    metadata: Shown | None = None
    structured: Shown | None = None
    time: When = When()


class Part(Struct):
    """A part of a message: text, a tool call, and kinds that say nothing here."""

    id: str = ""
    message_id: str = field(name="messageID", default="")
    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    call_id: str | None = field(name="callID", default=None)
    tool: str | None = None
    name: str | None = None
    state: State | None = None
    time: When = When()


SESSION: Decoder[Session] = Decoder(Session)
MESSAGE: Decoder[Message] = Decoder(Message)
PART: Decoder[Part] = Decoder(Part)
