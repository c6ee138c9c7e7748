"""Kimi CLI and Kimi Code, two tools of one family: ``wire.jsonl`` of a session.

Kimi Code tells a prompt twice (``turn.prompt`` and ``context.append_message``) and what was typed
while it worked as ``turn.steer``; its sub-agents have wires of their own, whose tool calls are told at
their times. Kimi CLI wraps each event in ``message``.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec import structs

from pastwork.model import Problem, Session
from pastwork.transcripts import blocks, mended_json, not_prompts, roots, tell
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults, kinds, of_known_kind
from pastwork.transcripts.folders import FolderReader, mtime
from pastwork.transcripts.jsonl import Row, rows
from pastwork.transcripts.kimi_rows import (
    KNOWN,
    LINES,
    STATE,
    Function,
    Known,
    Line,
    LoopEvent,
    Message,
    Origin,
    Part,
    Payload,
    Result,
    Returned,
    State,
)

_NOISE = (b'"type":"llm.', b'"type":"tools.', b'"type":"usage.', b'"type":"token_counting.')


#: The first words of Kimi Code's types, and Kimi CLI's types.
_FAMILIES = kinds(
    """
    metadata config turn context usage llm tools permission profile plugin runtime token_counting hook agent session
    mcp goal plan compaction
    """
)
_WIRED = kinds(
    """
    TurnBegin TurnEnd StepBegin StepInterrupted ContentPart ToolCall ToolCallPart ToolResult StatusUpdate
    SubagentEvent ApprovalRequest ApprovalResponse ApprovalRequestResolved Notification CompactionBegin
    CompactionEnd HookTriggered HookResolved MCPLoadingBegin MCPLoadingEnd SteerInput QuestionRequest
    ToolCallRequest PlanDisplay BtwBegin BtwEnd
    """
)


class _Told:
    """One session's events, with what was typed while the agent worked still in mind."""

    def __init__(self, build: Builder, helpers: list[Line]) -> None:
        self.build = build
        self.helpers = helpers
        self.steered: list[str] = []

    def tell(self, row: Row[Line]) -> Iterator[Item]:
        """One event of either tool."""
        line = row.value
        self.help(line.time)
        if line.type == "turn.prompt" and _human(line.origin):
            yield from self._asked(_text(line.input), row.offset, line.time)
        elif line.type == "turn.steer" and _human(line.origin):
            self.steered.append(_text(line.input))
            self.build.aside(_text(line.input), time=line.time)
        elif line.type == "context.append_message" and line.message is not None:
            yield from self._appended(line.message, row.offset, line.time)
        elif line.type == "context.append_loop_event" and line.event is not None:
            _looped(self.build, line.event, line.time)
        elif line.type in ("turn.ended", "turn.cancel"):
            self.build.ended(time=line.time)
        elif line.type is None and line.message is not None and line.message.type:
            yield from self._wired(line.message, row.offset, line.timestamp)
        else:
            self.build.context(cwd=line.cwd, model=line.model)

    def _asked(self, words: str, offset: int, moment: float | None) -> Iterator[Item]:
        text = not_prompts.typed(words)
        if text is not None:
            yield from self.build.prompt(text, offset=offset, time=moment)

    def _appended(self, message: Message, offset: int, moment: float | None) -> Iterator[Item]:
        """A user's message once more, or for the first time in older releases."""
        words = _text(message.content)
        if message.role != "user" or not _human(message.origin):
            return
        if words in self.steered:
            self.steered.remove(words)
        elif self.build.draft is None or not (
            self.build.draft.state == "asked" and self.build.draft.known("user", words)
        ):
            yield from self._asked(words, offset, moment)

    def _wired(self, message: Message, offset: int, moment: float | None) -> Iterator[Item]:
        given = message.payload or Payload()
        if message.type == "TurnBegin":
            yield from self._asked(_text(given.user_input), offset, moment)
        elif message.type == "ContentPart" and given.type == "text":
            self.build.answer(given.text or "", time=moment)
        elif message.type == "ToolCall":
            function = given.function or Function()
            tell.call(self.build, function.name, function.arguments, ref=given.id, time=moment)
        elif message.type == "ToolResult":
            returned = given.returned or Returned()
            output = blocks.plain(returned.output) or returned.message or ""
            tell.result(self.build, given.call, output, ok=not returned.is_error, time=moment)
        elif message.type in ("TurnEnd", "StepInterrupted"):
            self.build.ended(time=moment)

    def help(self, until: float | None) -> None:
        """Tells sub-agents' tool calls up to a time."""
        while self.helpers and until is not None and (self.helpers[0].time or 0) <= until:
            line = self.helpers.pop(0)
            if line.event is not None:
                _looped(self.build, line.event, line.time, below=True)


def _looped(build: Builder, event: LoopEvent, moment: float | None, *, below: bool = False) -> None:
    ref = f"{tell.BELOW}{event.call}" if below else event.call
    if event.type == "content.part" and event.part and event.part.type == "text" and not below:
        build.answer(event.part.text or "", time=moment)
    elif event.type == "tool.call":
        tell.call(build, event.name, event.args, ref=ref, time=moment, below=below)
    elif event.type == "tool.result":
        result = event.result or Result()
        output = blocks.plain(result.output)
        tell.result(build, ref, output, ok=not result.is_error, time=moment, below=below)
    elif event.type == "step.end" and event.finish == "end_turn" and not below:
        build.ended(time=moment)


def _human(origin: Origin | None) -> bool:
    return origin is None or origin.kind in (None, "user")


def _text(content: str | list[Part] | None) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content or () if part.type == "text" and part.text)


def read(
    source: Source, since: Position | None = None, *, agent: str, clock: Callable[[], float] = time.time
) -> Iterator[Item]:
    """The session's exchanges."""
    path = source.path
    folder = path.parents[2] if path.parent.name == "main" else path.parent
    state = mended_json.document(folder / "state.json", STATE)
    known = state if isinstance(state, State) else State()
    name = folder.name if path.name == "wire.jsonl" else path.stem
    build = Builder.start(Session(agent, name, known.title or ""), since, now=clock(), mtime=mtime(path))
    build.context(cwd=source.workspace or known.folder)
    told = _Told(build, _helpers(source.parts))
    found = rows(path, LINES, since.offset if since else 0, wanted=_wanted)
    for row in of_known_kind(found, Faults(path, _FAMILIES | _WIRED), _kind):
        if isinstance(row, Problem):
            yield row
        else:
            yield from told.tell(row)
    told.help(float("inf"))
    yield from build.finish()


def _kind(line: Line) -> str | None:
    """A type's first word; of Kimi CLI the message's type."""
    if line.type is None:
        return line.message.type if line.message else None
    return line.type.partition(".")[0]


def _wanted(line: bytes) -> bool:
    return not any(mark in line[:64] for mark in _NOISE)


def _helpers(parts: tuple[Path, ...]) -> list[Line]:
    """The tool events of sub-agents' wires, by time."""
    found = (row.value for part in parts for row in rows(part, LINES, wanted=_wanted) if not isinstance(row, Problem))
    tools = [line for line in found if line.event and (line.event.type or "").startswith("tool.")]
    return sorted(tools, key=lambda line: line.time or 0)


def _parts(path: Path) -> tuple[Path, ...]:
    """The wires of a session's sub-agents."""
    if path.parent.name != "main":
        return ()
    return tuple(each for each in sorted(path.parent.parent.glob("*/wire.jsonl")) if each != path)


class KimiCli(FolderReader):
    """Adds the folder, which the session's path only tells as a hash."""

    def locate(self, env: Env) -> Iterator[Source]:
        """The sessions present, with their folder where it is known."""
        for root in self.roots(env):
            known = mended_json.document(root.parent / "kimi.json", KNOWN)
            folders = [each.path for each in known.work_dirs] if isinstance(known, Known) else []
            hashes = {hashlib.md5(each.encode(), usedforsecurity=False).hexdigest(): each for each in folders}
            for source in self.below(root, self.patterns):
                yield structs.replace(source, workspace=hashes.get(source.path.parent.parent.name))


def _cli_places(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "KIMI_SHARE_DIR", ".kimi") / "sessions",)


def _code_places(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "KIMI_CODE_HOME", ".kimi-code") / "sessions",)


KIMI_CLI = KimiCli(
    "kimi-cli",
    "fixture-only",
    _cli_places,
    ("*/*/wire.jsonl",),
    partial(read, agent="kimi-cli"),
    loose=("wire.jsonl",),
)
KIMI_CODE = FolderReader(
    "kimi-code",
    "fixture-only",
    _code_places,
    ("*/*/agents/main/wire.jsonl",),
    partial(read, agent="kimi-code"),
    _parts,
    ("*.jsonl",),
)
