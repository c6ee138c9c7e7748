"""The lines and files of Kimi CLI and Kimi Code, as they stand on disk."""

from __future__ import annotations

from msgspec import Raw, Struct, field
from msgspec.json import Decoder


class Part(Struct):
    type: str | None = None
    text: str | None = None


class Origin(Struct):
    kind: str | None = None


class Result(Struct):
    output: Raw = Raw()
    is_error: bool | None = field(name="isError", default=None)


class LoopEvent(Struct):
    """An event of Kimi Code's loop."""

    type: str | None = None
    part: Part | None = None
    call: str | None = field(name="toolCallId", default=None)
    name: str | None = None
    args: Raw = Raw()
    result: Result | None = None
    finish: str | None = field(name="finishReason", default=None)


class Function(Struct):
    name: str | None = None
    arguments: Raw = Raw()


class Returned(Struct):
    is_error: bool | None = None
    output: Raw = Raw()
    message: str | None = None


class Payload(Struct):
    """An event's fields in Kimi CLI."""

    user_input: str | list[Part] | None = None
    type: str | None = None
    text: str | None = None
    id: str | None = None
    function: Function | None = None
    call: str | None = field(name="tool_call_id", default=None)
    returned: Returned | None = field(name="return_value", default=None)


class Message(Struct):
    """What was appended to the context, or an event of Kimi CLI."""

    role: str | None = None
    content: str | list[Part] | None = None
    origin: Origin | None = None
    type: str | None = None
    payload: Payload | None = None


class Line(Struct):
    type: str | None = None
    time: float | None = None
    timestamp: float | None = None
    cwd: str | None = None
    model: str | None = field(name="modelAlias", default=None)
    input: str | list[Part] | None = None
    origin: Origin | None = None
    message: Message | None = None
    event: LoopEvent | None = None


class State(Struct):
    title: str | None = None
    folder: str | None = field(name="workDir", default=None)


class WorkDir(Struct):
    path: str = ""


class Known(Struct):
    work_dirs: list[WorkDir] = []


LINES: Decoder[Line] = Decoder(Line)
STATE: Decoder[State] = Decoder(State)
KNOWN: Decoder[Known] = Decoder(Known)
