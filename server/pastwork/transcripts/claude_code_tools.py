"""Tells a builder of Claude Code's tool calls and results, the agent's own and its sub-agents'.

A sub-agent's calls are kept as a trace (the telling argument, both ends of the output) in the
exchange that launched it, and its edits and reads count as the exchange's.
"""

from __future__ import annotations

from msgspec import Raw, Struct

from pastwork.model import Edit
from pastwork.transcripts import calls
from pastwork.transcripts import claude_code_edits as edits
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.claude_code_prompts import rejection
from pastwork.transcripts.claude_code_rows import Block, Message, Result, result, text

#: A tool of these names may have launched a sub-agent.
LAUNCHERS = frozenset({"Task", "Agent"})
#: Marks a sub-agent's calls in the verbatim.
BELOW = "↳ "
_REDACTED = "REDACTED"


class _Editing(Struct):
    name: str
    given: bytes


class Tools:
    """One exchange's tool calls; ``begin`` before the next."""

    def __init__(self, build: Builder) -> None:
        self._build = build
        self._editing: dict[str, _Editing] = {}
        self._launched: set[str] = set()

    def begin(self) -> None:
        """Forgets the calls of the exchange before."""
        self._editing.clear()
        self._launched.clear()

    def launched(self, ref: str | None) -> bool:
        """Whether this exchange's call of that id launched a sub-agent."""
        return ref in self._launched

    def call(self, block: Block, time: str | None, cwd: str | None, *, below: bool = False) -> None:
        """A tool_use block."""
        name, given = block.name or "", bytes(block.input)
        ref = _ref(block.id)
        arguments = calls.arguments(given)
        shown = calls.summary(arguments, cwd)
        read = edits.read_path(name, given)
        if ref and name in edits.EDITORS:
            self._editing[ref] = _Editing(name, given)
        if ref and name in LAUNCHERS:
            self._launched.add(ref)
        self._build.call(
            calls.line(name),
            ref=ref,
            arguments=calls.trace(arguments) if below else given.decode("utf-8", "replace") or "{}",
            summary=BELOW + shown if below else shown,
            edits=self._early(ref, name, given),
            reads=(read,) if read else (),
            time=time,
        )

    def _early(self, ref: str | None, name: str, given: bytes) -> tuple[Edit, ...]:
        """The edits of a call whose result came before it."""
        early = self._build.draft.calls.get(ref or "") if self._build.draft is not None else None
        return () if early is None else edits.changes(name, given, None, early.tool.output)

    def result(self, block: Block, structured: Result | None, time: str | None, *, below: bool = False) -> None:
        """A tool_result block with the row's structured copy of it."""
        ref, output, ok = _ref(block.tool_use_id), text(block.content), not block.is_error
        self._build.result(
            ref,
            calls.cut(output) if below else output,
            ok=ok,
            edits=self._changes(ref, structured, output) if ok else (),
            time=time,
        )
        if not ok and (words := rejection(output)):
            self._build.aside(words, time=time, once=True)

    def _changes(self, ref: str | None, structured: Result | None, output: str) -> tuple[Edit, ...]:
        known = self._editing.get(ref or "", _Editing("", b""))
        return edits.changes(known.name, known.given, structured, output)

    def trace(self, message: Message, structured: Raw, time: str | None, cwd: str | None) -> None:
        """A sub-agent's message: its calls and results, not its words."""
        blocks = message.content if isinstance(message.content, list) else []
        for block in blocks:
            if block.type == "tool_use":
                self.call(block, time, cwd, below=True)
            elif block.type == "tool_result":
                self.result(block, result(structured), time, below=True)


def _ref(given: str | None) -> str | None:
    return None if not given or _REDACTED in given else given
