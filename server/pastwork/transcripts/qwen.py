"""Qwen Code: ``~/.qwen/projects/<slug>/chats/<id>.jsonl``, rows of Gemini's parts.

``systemPayload.displayText`` is the prompt as typed; a further part of a user row may carry a hook's
context. A copied session keeps its rows' uuids. Thoughts, telemetry and rewinds say nothing here:
file order is kept, abandoned branches included.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.transcripts import not_prompts, roots, tell
from pastwork.transcripts.base import Env, Item
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.folders import FolderReader
from pastwork.transcripts.gemini import Display, Response
from pastwork.transcripts.jsonl import Row
from pastwork.transcripts.line_reader import reading

AGENT = "qwen-code"
_UNIQUE = 16
_TYPES = ("user", "assistant", "tool_result", "system")
_NOT_TYPED = ("notification", "hook", "system", "tool_result")


class FunctionCall(Struct):
    id: str | None = None
    name: str | None = None
    args: Raw = Raw()


class FunctionResponse(Struct):
    id: str | None = None
    response: Response | None = None


class Part(Struct):
    text: str | None = None
    thought: bool | None = None
    call: FunctionCall | None = field(name="functionCall", default=None)
    response: FunctionResponse | None = field(name="functionResponse", default=None)


class Message(Struct):
    parts: list[Part] = []


class Payload(Struct):
    shown: str | None = field(name="displayText", default=None)
    title: str | None = field(name="customTitle", default=None)


class CallResult(Struct):
    call_id: str | None = field(name="callId", default=None)
    status: str | None = None
    display: str | Display | None = field(name="resultDisplay", default=None)


class Line(Struct):
    uuid: str | None = None
    session_id: str | None = field(name="sessionId", default=None)
    timestamp: str | None = None
    type: str | None = None
    subtype: str | None = None
    cwd: str | None = None
    branch: str | None = field(name="gitBranch", default=None)
    model: str | None = None
    message: Message | None = None
    payload: Payload | None = field(name="systemPayload", default=None)
    result: CallResult | None = field(name="toolCallResult", default=None)
    forked_from: str | None = field(name="forkedFrom", default=None)


_LINES: Decoder[Line] = Decoder(Line)


def _tell(build: Builder, row: Row[Line]) -> Iterator[Item]:
    line = row.value
    parts = line.message.parts if line.message else []
    build.describe(parent_id=line.forked_from)
    build.context(cwd=line.cwd, branch=line.branch)
    if line.type == "user" and line.subtype not in _NOT_TYPED:
        yield from _asked(build, row, parts)
    elif line.type == "assistant":
        build.context(model=line.model)
        for part in parts:
            if part.call is not None:
                tell.call(build, part.call.name, part.call.args, ref=part.call.id, time=line.timestamp)
            elif part.text and not part.thought:
                build.answer(part.text, time=line.timestamp)
    elif line.type == "tool_result":
        _answered(build, line, parts)
    elif line.payload is not None and line.subtype == "custom_title":
        build.describe(title=line.payload.title)


def _asked(build: Builder, row: Row[Line], parts: list[Part]) -> Iterator[Item]:
    line = row.value
    shown = line.payload.shown if line.payload else None
    said = (part.text for part in parts if part.text and not part.text.startswith(not_prompts.GEMINI))
    text = not_prompts.typed(shown or "\n".join(said), not_prompts.GEMINI)
    if text is None:
        return
    if line.subtype == "mid_turn_user_message" and build.draft is not None and build.draft.state == "working":
        build.aside(text, time=line.timestamp)
        return
    prompt_id = line.uuid if line.uuid and len(line.uuid) >= _UNIQUE else None
    yield from build.prompt(text, offset=row.offset, prompt_id=prompt_id, time=line.timestamp)


def _answered(build: Builder, line: Line, parts: list[Part]) -> None:
    result = line.result or CallResult()
    diff = result.display.diff if isinstance(result.display, Display) else None
    ok = result.status in (None, "success")
    for part in parts:
        if part.response is not None:
            given = part.response.response or Response()
            output = given.output or given.error or given.content or ""
            done = ok and given.error is None
            tell.result(build, part.response.id, output, ok=done, diff=diff, time=line.timestamp)


def _places(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "QWEN_HOME", ".qwen") / "projects",)


QWEN = FolderReader(
    AGENT,
    "fixture-only",
    _places,
    ("*/chats/*.jsonl", "*.jsonl"),
    reading(AGENT, _LINES, _tell, kind=lambda line: line.type, known=_TYPES),
)
