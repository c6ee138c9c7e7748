"""Junie: ``~/.junie/sessions/session-<time>-<id>/events.jsonl``; folder and title from ``index.jsonl``.

Answers and tools are blocks that are told again and again under one step id while they change; the
last telling before the next prompt counts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Action, Edit, Problem, Session
from pastwork.transcripts import mended_json, not_prompts, roots, tell
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults, of_known_kind
from pastwork.transcripts.folders import FolderReader, mtime
from pastwork.transcripts.jsonl import Row, rows

AGENT = "junie"
_UNIQUE = 16
_KINDS = ("UserPromptEvent", "SessionA2uxEvent", "SessionTitleSetEvent", "UserResponseEvent", "SessionStartedEvent")
_ANSWER = "<!-- ANSWER -->"
_BLOCK = re.compile(r"BlockUpdatedEvent$")


class Change(Struct):
    """A changed file; of a deleted one there is only the path before."""

    after: str | None = field(name="afterRelativePath", default=None)
    before: str | None = field(name="beforeRelativePath", default=None)
    path: str | None = None


class AgentEvent(Struct):
    kind: str = ""
    step: str | None = field(name="stepId", default=None)
    text: str | None = None
    result: str | None = None
    details: str | None = None
    command: str | None = None
    output: str | None = None
    status: str | None = None
    cancelled: bool | None = None
    changes: list[Raw] = []
    usage: list[Raw] = field(name="modelUsage", default=[])


class Wrapper(Struct):
    event: AgentEvent | None = field(name="agentEvent", default=None)


class Event(Struct):
    kind: str | None = None
    prompt: str | None = None
    shown: str | None = field(name="presentablePrompt", default=None)
    request: str | None = field(name="requestId", default=None)
    moment: float | None = field(name="timestampMs", default=None)
    event: Wrapper | None = None
    name: str | None = None


class Listed(Struct):
    session: str | None = field(name="sessionId", default=None)
    folder: str | None = field(name="projectDir", default=None)
    title: str | None = field(name="taskName", default=None)


class Usage(Struct):
    model: str | None = None


_EVENTS: Decoder[Event] = Decoder(Event)
_LISTED: Decoder[Listed] = Decoder(Listed)
_CHANGE: Decoder[Change] = Decoder(Change)
_USAGE: Decoder[Usage] = Decoder(Usage)


class _Told:
    """Holds the steps of an exchange until none can change any more."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.steps: dict[str, tuple[AgentEvent, float | None]] = {}

    def tell(self, row: Row[Event]) -> Iterator[Item]:
        """One event."""
        event = row.value
        if event.kind == "UserPromptEvent":
            text = not_prompts.typed(event.shown or event.prompt or "")
            if text is not None:
                self.settle()
                own = event.request if event.request and len(event.request) >= _UNIQUE else None
                yield from self.build.prompt(text, offset=row.offset, prompt_id=own, time=event.moment)
        elif event.kind == "SessionTitleSetEvent":
            self.build.describe(title=event.name)
        elif event.kind == "SessionA2uxEvent" and event.event and event.event.event:
            found = event.event.event
            for usage in mended_json.each(found.usage, _USAGE):
                self.build.context(model=usage.model)
            if _BLOCK.search(found.kind):
                self.steps[f"{found.kind}:{found.step or row.offset}"] = (found, event.moment)

    def settle(self) -> None:
        """Tells the steps as they stand now."""
        for event, moment in self.steps.values():
            _settled(self.build, event, moment)
        self.steps.clear()


def _settled(build: Builder, event: AgentEvent, moment: float | None) -> None:
    if event.kind == "MarkdownBlockUpdatedEvent":
        build.answer(event.text or "", time=moment, once=True)
    elif event.kind == "ResultBlockUpdatedEvent":
        build.answer((event.result or "").removeprefix(_ANSWER), time=moment, once=True)
        _changed(build, event, moment)
        build.ended(time=moment)
    elif event.kind == "TerminalBlockUpdatedEvent":
        given = {"command": event.command or event.text or ""}
        tell.call(build, "terminal", given, output=event.output or event.details or "", ok=True, time=moment)
    elif event.kind == "FileChangesBlockUpdatedEvent":
        _changed(build, event, moment)
    else:
        name = event.kind.removesuffix("BlockUpdatedEvent")
        tell.call(build, name, {"text": event.text or ""}, output=event.details or "", ok=True, time=moment)


def _changed(build: Builder, event: AgentEvent, moment: float | None) -> None:
    """The files that a step changed; the transcript doesn't show how. A result repeats those of its steps."""
    known = {edit.path for call in (build.draft.calls.values() if build.draft else ()) for edit in call.edits}
    for change in mended_json.each(event.changes, _CHANGE):
        path = change.after or change.path or change.before
        if path and path not in known:
            action: Action = "deleted" if change.before and not (change.after or change.path) else "edited"
            tell.changed(build, Edit(path, action), ref=f"edit:{path}", time=moment)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The session's exchanges."""
    path = source.path
    name = path.parent.name if path.name == "events.jsonl" else path.stem
    listed = _listed(path.parent.parent / "index.jsonl", name)
    build = Builder.start(Session(AGENT, name, listed.title or ""), since, now=clock(), mtime=mtime(path))
    build.context(cwd=source.workspace or listed.folder)
    told = _Told(build)
    found = rows(path, _EVENTS, since.offset if since else 0)
    for row in of_known_kind(found, Faults(path, _KINDS), lambda event: event.kind):
        if isinstance(row, Problem):
            yield row
        else:
            yield from told.tell(row)
    told.settle()
    yield from build.finish()


def _listed(index: Path, name: str) -> Listed:
    """The last row of the index about the session."""
    found = Listed()
    if index.is_file():
        for row in rows(index, _LISTED):
            if not isinstance(row, Problem) and row.value.session == name:
                found = row.value
    return found


def _places(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "JUNIE_HOME", ".junie") / "sessions",)


JUNIE = FolderReader(AGENT, "fixture-only", _places, ("*/events.jsonl", "events.jsonl"), read)
