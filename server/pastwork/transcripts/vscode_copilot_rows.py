"""VS Code's chat sessions, as far as they are needed; every field optional, odd ones raw."""

from __future__ import annotations

from msgspec import Raw, Struct, field
from msgspec.json import Decoder


class Uri(Struct):
    path: str | None = None
    fs_path: str | None = field(name="fsPath", default=None)
    external: str | None = None


class Range(Struct):
    start: int = field(name="startLineNumber", default=0)
    column: int = field(name="startColumn", default=1)
    end: int = field(name="endLineNumber", default=0)


class TextEdit(Struct):
    text: str = ""
    range: Range | None = None


class Reference(Struct):
    """A file or symbol that a sentence names."""

    name: str | None = None
    path: str | None = None
    fs_path: str | None = field(name="fsPath", default=None)
    uri: Uri | None = None


class Words(Struct):
    value: str | None = None


class Item(Struct):
    """One piece of a response; without ``kind`` it is Markdown."""

    kind: str | None = None
    value: str | None = None
    content: str | Words | None = None
    uri: Uri | None = None
    edits: list[Raw] = []
    reference: Reference | None = field(name="inlineReference", default=None)
    name: str | None = None
    tool_id: str | None = field(name="toolId", default=None)
    call_id: str | None = field(name="toolCallId", default=None)
    message: str | Words | None = field(name="invocationMessage", default=None)
    past: str | Words | None = field(name="pastTenseMessage", default=None)
    complete: bool | None = field(name="isComplete", default=None)


class ToolCall(Struct):
    id: str | None = None
    name: str | None = None
    arguments: str | Raw = ""


class Round(Struct):
    calls: list[Raw] = field(name="toolCalls", default=[])


class Metadata(Struct):
    rounds: list[Raw] = field(name="toolCallRounds", default=[])
    results: dict[str, Raw] = field(name="toolCallResults", default={})


class Result(Struct):
    metadata: Metadata | None = None


class Edited(Struct):
    """``kind``: 1 kept, 2 undone, 3 changed by the user."""

    uri: Uri | None = None
    kind: int | None = field(name="eventKind", default=None)


class Message(Struct):
    text: str | None = None


class Request(Struct):
    request_id: str = field(name="requestId", default="")
    timestamp: float | None = None
    message: str | Message | None = None
    model: str | None = field(name="modelId", default=None)
    response: list[Raw] = []
    result: Result | None = None
    edited: list[Raw] = field(name="editedFileEvents", default=[])


class Chat(Struct):
    session_id: str = field(name="sessionId", default="")
    created: float | None = field(name="creationDate", default=None)
    title: str | None = field(name="customTitle", default=None)
    requests: list[Raw] = []


CHAT: Decoder[Chat] = Decoder(Chat)
REQUEST: Decoder[Request] = Decoder(Request)
ITEM: Decoder[str | Item] = Decoder(str | Item)
EDITS: Decoder[list[TextEdit]] = Decoder(list[TextEdit])
ROUND: Decoder[Round] = Decoder(Round)
CALL: Decoder[ToolCall] = Decoder(ToolCall)
EDITED: Decoder[Edited] = Decoder(Edited)
