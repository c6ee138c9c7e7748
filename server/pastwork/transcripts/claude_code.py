"""Claude Code's transcripts: one JSON-lines file a session, sub-agents beside it.

Exchanges are keyed by the uuid of the prompt's row, which forks and resumed copies keep. A
``.jsonl.reset.<time>`` file beside a live one is read too, as a part of the same session: what both
hold coincides by id. Text that no person typed is told apart in ``claude_code_prompts``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from pastwork.model import Problem, Session
from pastwork.transcripts import roots, times
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.claude_code_own import unpacked
from pastwork.transcripts.claude_code_prompts import Said, queued, said
from pastwork.transcripts.claude_code_rows import LINES, Block, Line, result, wanted
from pastwork.transcripts.claude_code_subagents import Subagents, parts_of
from pastwork.transcripts.claude_code_tools import Tools
from pastwork.transcripts.faults import Faults, kinds, of_known_kind
from pastwork.transcripts.folders import FolderReader
from pastwork.transcripts.jsonl import Row, rows

AGENT = "claude-code"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
#: Lies beside the projects and holds prompts only.
_PROMPT_LOG = "history.jsonl"
_NO_MODEL = "<synthetic>"
_NO_ANSWER = "No response requested."
#: How much a title is worth: the person's own, the agent's, an old summary.
_TITLES = {"summary": 1, "ai-title": 2, "custom-title": 3}
#: Types of rows that are known and say nothing that is needed.
_KNOWN = kinds(
    """
    agent-name file-history-snapshot last-prompt mode permission-mode pr-link tag worktree-state
    """
)
_TOLD = frozenset({"user", "assistant", "attachment", "queue-operation", "system", "progress"})
_DONE = frozenset({"turn_duration", "stop_hook_summary"})


class _Asked(Struct):
    """A prompt, or a slash command that becomes one when the agent begins to work on it."""

    text: str
    offset: int
    line: Line
    own: str


class Transcript:
    """One pass over one session's file; ``read`` drives it."""

    def __init__(self, source: Source, since: Position | None, now: float) -> None:
        session = Session(AGENT, _name(source.path), workspace=source.workspace)
        self.build = Builder.start(session, since, now=now, mtime=_mtime(source.path))
        self.own = unpacked(self.build.own)
        self.tools = Tools(self.build)
        self.subagents = Subagents(source.path, source.parts, self.build, self.tools, now)
        self._named = since is not None or _UUID.fullmatch(session.id) is not None
        self._now = now
        self._seen: set[str] = set()
        self._command: _Asked | None = None

    def tell(self, row: Row[Line]) -> Iterator[Item]:
        """One row's events; rows of other types say nothing that is needed."""
        line = row.value
        if line.uuid and line.message is not None:
            if line.uuid in self._seen:
                return
            self._seen.add(line.uuid)
        if line.type == "user":
            yield from self._user(line, row.offset)
        elif line.type == "assistant":
            yield from self._assistant(line)
        elif line.type == "attachment":
            self._attachment(line)
        elif line.type == "queue-operation":
            self._queue(line)
        elif line.type == "system":
            self._system(line)
        elif line.type == "progress":
            self._progress(line)
        elif line.type in _TITLES:
            self._title(line)

    def finish(self) -> Iterator[Item]:
        """What remains at the file's end; a command that waits for its first answer stays pending."""
        yield from self.subagents.fold_rest()
        yield from self.build.finish()

    def _context(self, line: Line) -> None:
        if not self._named and line.session_id:
            self._named = True
            self.build.describe(session_id=line.session_id)
        branch = None if line.git_branch == "HEAD" else line.git_branch
        self.build.context(cwd=line.cwd, branch=branch)

    def _user(self, line: Line, offset: int) -> Iterator[Item]:
        if line.is_sidechain:
            self._sidechain(line)
            return
        self._context(line)
        for block in _blocks(line):
            if block.type == "tool_result":
                yield from self._result(line, block)
        spoken = said(line)
        if spoken is not None:
            yield from self._said(spoken, line, offset)

    def _said(self, spoken: Said, line: Line, offset: int) -> Iterator[Item]:
        if spoken.kind == "prompt":
            yield from self._prompt(_Asked(spoken.text, offset, line, self.own.packed()))
        elif spoken.kind == "command":
            self._command = _Asked(spoken.text, offset, line, self.own.packed())
        elif spoken.kind == "echo":
            self._command = None
        elif spoken.kind == "aside":
            self.build.aside(spoken.text, time=line.timestamp, once=True)
        elif spoken.kind == "stop":
            self.build.ended(time=line.timestamp)
        else:
            yield from self._close(line)

    def _prompt(self, asked: _Asked) -> Iterator[Item]:
        line = asked.line
        if self.build.asked(line.uuid):
            return
        yield from self._folded(line)
        self.build.own = asked.own
        yield from self.build.prompt(asked.text, offset=asked.offset, prompt_id=line.uuid, time=line.timestamp)
        self._fresh()

    def _close(self, line: Line) -> Iterator[Item]:
        yield from self._folded(line)
        yield from self.build.close()
        self._fresh()

    def _folded(self, line: Line) -> Iterator[Problem]:
        """The sub-agents that worked until this row's prompt."""
        return self.subagents.fold_rest(times.utc(line.timestamp, self._now) or "")

    def _fresh(self) -> None:
        self._command = None
        self._seen.clear()
        self.tools.begin()

    def _assistant(self, line: Line) -> Iterator[Item]:
        if line.is_sidechain:
            self._sidechain(line)
            return
        message = line.message
        if message is None:
            return
        real = message.model != _NO_MODEL
        if self._command is not None and real:
            yield from self._prompt(self._command)
        self._context(line)
        self.build.context(model=message.model if real else None)
        self._answer(line)

    def _answer(self, line: Line) -> None:
        message = line.message
        if message is None:
            return
        for block in _blocks(line):
            if block.type == "text" and block.text and block.text != _NO_ANSWER:
                self.build.answer(block.text, time=line.timestamp)
            elif block.type == "tool_use":
                self.tools.call(block, line.timestamp, line.cwd)
        if isinstance(message.content, str):
            self.build.answer(message.content, time=line.timestamp)
        if message.stop_reason == "tool_use" and self.build.draft is not None:
            self.build.draft.state = "working"

    def _result(self, line: Line, block: Block) -> Iterator[Item]:
        structured = result(line.result)
        if structured is not None and structured.agent_id:
            yield from self.subagents.fold(structured.agent_id)
        self.tools.result(block, structured, line.timestamp)

    def _sidechain(self, line: Line) -> None:
        if line.message is not None:
            self.tools.trace(line.message, line.result, line.timestamp, line.cwd)

    def _progress(self, line: Line) -> None:
        inner = line.data.message if line.data else None
        if inner is not None and inner.message is not None:
            self.tools.trace(inner.message, inner.result, inner.timestamp, line.cwd)

    def _attachment(self, line: Line) -> None:
        given = line.attachment
        if given is None or given.type != "queued_command" or given.commandMode not in (None, "prompt"):
            return
        words = queued(given.prompt)
        if words and (given.origin is None or given.origin.kind == "human"):
            self.build.aside(words, time=line.timestamp, once=True)

    def _queue(self, line: Line) -> None:
        words = self.own.tell(line)
        if words:
            self.build.aside(words, time=line.timestamp, once=True)

    def _system(self, line: Line) -> None:
        if line.subtype in _DONE:
            self.build.ended(time=line.timestamp)
        elif line.compact_metadata and line.compact_metadata.preservedMessages:
            kept = line.compact_metadata.preservedMessages
            self._seen.update(kept.uuids, kept.allUuids)

    def _title(self, line: Line) -> None:
        worth = _TITLES[line.type or ""]
        if worth < self.own.title or (line.type == "summary" and self.build.draft is None):
            return
        title = line.custom_title or line.ai_title or line.summary
        if title:
            self.own.title = worth
            self.build.describe(title=title)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The session's exchanges; a sub-agent's own file holds none, as no person speaks in it."""
    if source.path.name == _PROMPT_LOG:
        return
    transcript = Transcript(source, since, clock())
    found = rows(source.path, LINES, since.offset if since else 0, wanted=wanted)
    faults = Faults(source.path, _KNOWN | _TOLD | _TITLES.keys())
    for row in of_known_kind(found, faults, lambda line: line.type):
        if isinstance(row, Problem):
            yield row
        else:
            yield from transcript.tell(row)
    yield from transcript.finish()


def _blocks(line: Line) -> Iterable[Block]:
    content = line.message.content if line.message else None
    return content if isinstance(content, list) else ()


def _name(path: Path) -> str:
    return path.name.split(".jsonl")[0]


def _mtime(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _roots(env: Env) -> tuple[Path, ...]:
    return (roots.named(env, "CLAUDE_CONFIG_DIR", ".claude") / "projects",)


CLAUDE_CODE = FolderReader(
    agent=AGENT,
    proof="real",
    places=_roots,
    patterns=("*/*.jsonl", "*/*.jsonl.reset.*"),
    loose=("projects/*/*.jsonl", "*.jsonl", "*.jsonl.reset.*"),
    reading=partial(read, clock=time.time),
    parts=parts_of,
)
