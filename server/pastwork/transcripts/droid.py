"""Factory Droid: ``~/.factory/sessions/-<slug>/<id>.jsonl`` with ``<id>.settings.json`` beside it.

Messages hold content blocks; a huge reminder stands before the first prompt. The event stream of
``droid exec`` (one ``message``, ``tool_call``, ``tool_result`` or ``completion`` a line) is read too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.transcripts import blocks, mended_json, not_prompts, roots, tell
from pastwork.transcripts.base import Env, Item, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import kinds
from pastwork.transcripts.folders import FolderReader
from pastwork.transcripts.jsonl import Row
from pastwork.transcripts.line_reader import reading

AGENT = "droid"
_UNIQUE = 16
_TYPES = kinds(
    """
    session_start message tool_call tool_result completion system error todo_state compaction_state session_end
    reasoning
    """
)


class Value(Struct):
    stdout: str | None = None
    stderr: str | None = None
    exit_code: int | None = field(name="exitCode", default=None)


class Line(Struct):
    """A row of the store or of the stream."""

    type: str | None = None
    id: str | None = None
    title: str | None = None
    cwd: str | None = None
    timestamp: str | float | None = None
    message: blocks.Message | str | None = None
    visibility: str | None = None
    session_id: str | None = None
    session_id_camel: str | None = field(name="sessionId", default=None)
    model: str | None = None
    role: str | None = None
    text: str | None = None
    call_id: str | None = field(name="toolCallId", default=None)
    tool: str | None = field(name="toolName", default=None)
    parameters: Raw = Raw()
    value: str | Value | None = None
    is_error: bool | None = field(name="isError", default=None)
    final: str | None = field(name="finalText", default=None)


class Settings(Struct):
    model: str | None = None


_LINES: Decoder[Line] = Decoder(Line)
_SETTINGS: Decoder[Settings] = Decoder(Settings)


def _begin(build: Builder, source: Source) -> None:
    settings = mended_json.document(source.path.with_suffix(".settings.json"), _SETTINGS)
    if isinstance(settings, Settings):
        build.context(model=settings.model)


def _tell(build: Builder, row: Row[Line]) -> Iterator[Item]:
    line = row.value
    build.describe(session_id=line.session_id or line.session_id_camel)
    if line.type == "session_start":
        build.describe(session_id=line.id, title=line.title)
        build.context(cwd=line.cwd)
    elif line.type == "system":
        build.context(cwd=line.cwd, model=line.model)
    elif line.type == "message" and line.visibility != "user_only":
        message = line.message if isinstance(line.message, blocks.Message) else blocks.Message(line.role, line.text)
        prompt_id = line.id if line.id and len(line.id) >= _UNIQUE else None
        yield from blocks.tell_message(
            build, message, not_prompts.typed, offset=row.offset, prompt_id=prompt_id, time=line.timestamp
        )
    elif line.type == "tool_call":
        tell.call(build, line.tool, line.parameters, ref=line.call_id or line.id, time=line.timestamp)
    elif line.type == "tool_result":
        _result(build, line)
    elif line.type == "completion":
        build.answer(line.final or "", time=line.timestamp, once=True)
        build.ended(time=line.timestamp)


def _result(build: Builder, line: Line) -> None:
    value = line.value
    output = value if isinstance(value, str) else (value.stdout or value.stderr or "") if value else ""
    failed = line.is_error or (isinstance(value, Value) and value.exit_code not in (None, 0))
    tell.result(build, line.call_id or line.id, output, ok=not failed, time=line.timestamp)


def _places(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "FACTORY_HOME", ".factory") / "sessions",)


DROID = FolderReader(
    AGENT,
    "fixture-only",
    _places,
    ("*/*.jsonl", "*.jsonl"),
    reading(AGENT, _LINES, _tell, begin=_begin, kind=lambda line: line.type, known=_TYPES),
)
