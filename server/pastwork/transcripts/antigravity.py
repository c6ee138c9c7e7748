"""Antigravity CLI: ``brain/<id>/.system_generated/logs/transcript_full.jsonl``, the shorter one where it is missing.

A planner's response names tool calls; the model's following steps are their results, in order.
Arguments are JSON inside JSON strings. The folder comes from ``history.jsonl``, never from tool paths.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import not_prompts, roots, tell
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults, of_known_kind
from pastwork.transcripts.folders import FolderReader, mtime
from pastwork.transcripts.jsonl import Row, rows

AGENT = "antigravity"
_FULL, _SHORT = "transcript_full.jsonl", "transcript.jsonl"
_REQUEST = re.compile(r"<USER_REQUEST>\s*(?P<text>.*?)\s*(?:</USER_REQUEST>|\Z)", re.DOTALL)
_METADATA = re.compile(r"<ADDITIONAL_METADATA>(?P<json>.*?)</ADDITIONAL_METADATA>", re.DOTALL)
_MODEL = re.compile(r"changed setting `Model Selection` from .*? to (?P<model>.+?)\.?\s*$", re.MULTILINE)
_DIFF = re.compile(r"\[diff_block_start\]\n(?P<diff>.*?)\[diff_block_end\]", re.DOTALL)
_FAILED = re.compile(r"\s*(?:Error|Encountered error|The command failed|Failed)\b")
_SOURCES = ("USER_EXPLICIT", "USER_IMPLICIT", "MODEL", "SYSTEM")
_DISPLAY = ("toolSummary", "toolAction")


class ToolCall(Struct):
    name: str | None = None
    args: dict[str, Raw] = {}


class Step(Struct):
    source: str | None = None
    type: str | None = None
    created_at: str | None = None
    content: str | None = None
    tool_calls: list[ToolCall] | None = None


class Listed(Struct):
    """A row of ``history.jsonl``."""

    conversation: str | None = field(name="conversationId", default=None)
    id: str | None = None
    workspace: str | None = None
    path: str | None = field(name="workspacePath", default=None)
    cwd: str | None = None


_STEPS: Decoder[Step] = Decoder(Step)
_LISTED: Decoder[Listed] = Decoder(Listed)


class _Told:
    """Hands results to the calls that wait for them."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.waiting: list[str] = []

    def tell(self, row: Row[Step]) -> Iterator[Item]:
        """One step."""
        step = row.value
        if step.source == "USER_EXPLICIT":
            yield from self._asked(row)
        elif step.source == "MODEL" and step.type in (None, "PLANNER_RESPONSE"):
            self.build.answer(step.content or "", time=step.created_at)
            for place, call in enumerate(step.tool_calls or ()):
                self._called(call, f"call-{row.offset}-{place}", step.created_at)
        elif step.source == "MODEL":
            self._done(step)

    def _asked(self, row: Row[Step]) -> Iterator[Item]:
        content = row.value.content or ""
        if metadata := _METADATA.search(content):
            given = tell.opened(metadata["json"])[1]
            cwd = given.get("cwd")
            self.build.context(cwd=cwd if isinstance(cwd, str) else None)
        found = _REQUEST.search(_METADATA.sub("", content))
        text = not_prompts.typed(found["text"] if found else content)
        if text is not None:
            self.waiting.clear()
            yield from self.build.prompt(text, offset=row.offset, time=row.value.created_at)
        if model := _MODEL.search(content):
            self.build.context(model=model["model"])

    def _called(self, call: ToolCall, ref: str, moment: str | None) -> None:
        self.waiting.append(ref)
        given = {name: _decoded(value) for name, value in call.args.items() if name not in _DISPLAY}
        tell.call(self.build, call.name, given, ref=ref, time=moment)

    def _done(self, step: Step) -> None:
        ref = self.waiting.pop(0) if self.waiting else None
        content = step.content or ""
        if ref is None:
            name = (step.type or "").casefold()
            tell.call(self.build, name, None, output=content, ok=True, time=step.created_at)
            return
        diff = _DIFF.search(content)
        ok = _FAILED.match(content) is None
        tell.result(self.build, ref, content, ok=ok, diff=diff["diff"] if diff else None, time=step.created_at)


def _decoded(value: Raw) -> object:
    """An argument, which is mostly a JSON text inside a string."""
    found = _json(value)
    inside = _json(found) if isinstance(found, str) else None
    return found if inside is None else inside


def _json(text: Raw | str) -> object:
    """None for what is none: an argument is kept as bytes until here."""
    try:
        found: object = msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    return found


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The conversation's exchanges."""
    path = source.path
    if path.name == _SHORT and path.with_name(_FULL).exists():
        return
    inside = path.parts[-4:-2] and path.parent.name == "logs"
    name = path.parents[2].name if inside else path.stem
    build = Builder.start(Session(AGENT, name), since, now=clock(), mtime=mtime(path))
    build.context(cwd=source.workspace or (_folder(path.parents[4] / "history.jsonl", name) if inside else None))
    told = _Told(build)
    found = rows(path, _STEPS, since.offset if since else 0)
    for row in of_known_kind(found, Faults(path, _SOURCES), lambda step: step.source):
        if isinstance(row, Problem):
            yield row
        else:
            yield from told.tell(row)
    yield from build.finish()


def _folder(history: Path, conversation: str) -> str | None:
    """The folder that the history names with the conversation."""
    if not history.is_file():
        return None
    for row in rows(history, _LISTED):
        if not isinstance(row, Problem) and conversation in (row.value.conversation, row.value.id):
            return row.value.workspace or row.value.path or row.value.cwd
    return None


def _places(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "GEMINI_CLI_HOME", ".") / ".gemini" / "antigravity-cli" / "brain",)


ANTIGRAVITY = FolderReader(
    agent=AGENT,
    proof="fixture-only",
    places=_places,
    patterns=(f"*/.system_generated/logs/{_FULL}", f"*/.system_generated/logs/{_SHORT}"),
    reading=read,
    loose=("*.jsonl",),
)
