"""GitHub Copilot CLI: ``session-state/<id>/events.jsonl``, and the older flat ``<id>.jsonl``.

A prompt is ``user.message.data.content`` (``transformedContent`` adds what the program adds). Calls
and results carry ids and exact times; an edit's result has a git diff. Hooks, permissions, system
messages and usage are passed over unread.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import not_prompts, roots, tell
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults, kinds, of_known_kind
from pastwork.transcripts.folders import FolderReader, mtime
from pastwork.transcripts.jsonl import Row, rows

AGENT = "copilot-cli"
_NOISE = re.compile(rb'"type"\s*:\s*"(?:hook\.|system\.|permission\.|session\.usage|assistant\.turn_start)')
#: The first words of event types; any other is told as unknown.
_FAMILIES = kinds(
    """
    session user assistant tool hook system permission abort subagent skill command elicitation external_tool
    user_input exit_plan_mode pending_messages mcp
    """
)
#: Ids shorter than this are no ids of the agent's own making.
_UNIQUE = 16
#: Who else than a person sends user messages.
_MACHINES = ("system", "instruction-discovery", "skill", "autopilot", "command")


class Place(Struct):
    cwd: str | None = None
    gitRoot: str | None = None  # noqa: N815 - the transcript's name
    branch: str | None = None


class Result(Struct):
    content: str | None = None
    detailed: str | None = field(name="detailedContent", default=None)


class Failure(Struct):
    message: str | None = None


class Request(Struct):
    call: str | None = field(name="toolCallId", default=None)
    name: str | None = None
    arguments: Raw = Raw()


class Data(Struct):
    """The fields of all event types together."""

    session_id: str | None = field(name="sessionId", default=None)
    context: Place | None = None
    cwd: str | None = None
    gitRoot: str | None = None  # noqa: N815 - the transcript's name
    branch: str | None = None
    content: str | None = None
    source: str | None = None
    delivery: str | None = None
    model: str | None = None
    new_model: str | None = field(name="newModel", default=None)
    selected_model: str | None = field(name="selectedModel", default=None)
    title: str | None = None
    call: str | None = field(name="toolCallId", default=None)
    parent_call: str | None = field(name="parentToolCallId", default=None)
    tool: str | None = field(name="toolName", default=None)
    arguments: Raw = Raw()
    success: bool = True
    result: Result | None = None
    error: Failure | None = None
    requests: list[Request] = field(name="toolRequests", default=[])


class Event(Struct):
    type: str | None = None
    data: Data | None = None
    id: str | None = None
    timestamp: str | None = None


_EVENTS: Decoder[Event] = Decoder(Event)


def read(
    source: Source, since: Position | None = None, *, agent: str = AGENT, clock: Callable[[], float] = time.time
) -> Iterator[Item]:
    """The session's exchanges; VS Code writes the same events under its own agent's name."""
    session = Session(agent, _name(source.path))
    build = Builder.start(session, since, now=clock(), mtime=mtime(source.path), signs=True)
    build.context(cwd=source.workspace)
    found = rows(source.path, _EVENTS, since.offset if since else 0, wanted=_wanted)
    for row in of_known_kind(found, Faults(source.path, _FAMILIES), _family):
        if isinstance(row, Problem):
            yield row
        else:
            yield from _tell(build, row)
    yield from build.finish()


def _family(event: Event) -> str | None:
    return event.type and event.type.partition(".")[0]


def _wanted(line: bytes) -> bool:
    return _NOISE.search(line, 0, 200) is None


def _tell(build: Builder, row: Row[Event]) -> Iterator[Item]:
    event, data = row.value, row.value.data or Data()
    kind, moment = event.type, event.timestamp
    if kind in ("session.start", "session.resume", "session.context_changed"):
        _placed(build, data)
    elif kind == "user.message":
        yield from _asked(build, row, data)
    elif kind == "assistant.message" and data.parent_call is None:
        build.context(model=data.model)
        build.answer(data.content or "", time=moment)
        for each in data.requests:
            tell.call(build, each.name, each.arguments, ref=each.call, time=moment)
    elif kind == "session.model_change":
        build.context(model=data.new_model)
    elif kind == "session.title_changed":
        build.describe(title=data.title)
    elif kind == "tool.execution_start":
        below = data.parent_call is not None
        tell.call(build, data.tool, data.arguments, ref=data.call, time=moment, below=below)
    elif kind == "tool.execution_complete":
        _done(build, data, moment)
    elif kind in ("assistant.turn_end", "abort", "session.shutdown"):
        build.ended(time=moment)


def _placed(build: Builder, data: Data) -> None:
    place = data.context or Place(data.cwd, data.gitRoot, data.branch)
    build.describe(session_id=data.session_id)
    build.context(cwd=place.cwd, root=place.gitRoot, branch=place.branch, model=data.selected_model)


def _asked(build: Builder, row: Row[Event], data: Data) -> Iterator[Item]:
    event = row.value
    text = not_prompts.typed(data.content or "")
    if text is None or (data.source or "").startswith(_MACHINES):
        return
    if data.delivery == "steering" and build.draft is not None:
        build.aside(text, time=event.timestamp)
        return
    prompt_id = event.id if event.id and len(event.id) >= _UNIQUE else None
    yield from build.prompt(text, offset=row.offset, prompt_id=prompt_id, time=event.timestamp)


def _done(build: Builder, data: Data, moment: str | None) -> None:
    result = data.result or Result()
    output = result.content or (data.error.message if data.error else None) or ""
    tell.result(
        build, data.call, output, ok=data.success, diff=result.detailed, time=moment, below=data.parent_call is not None
    )


def _name(path: Path) -> str:
    return path.parent.name if path.name == "events.jsonl" else path.stem


def _places(env: Env) -> tuple[Path, ...]:
    home = roots.named(env, "COPILOT_HOME", ".copilot")
    return home / "session-state", home / "history-session-state"


COPILOT_CLI = FolderReader(AGENT, "real", _places, ("*/events.jsonl", "*.jsonl"), read)
