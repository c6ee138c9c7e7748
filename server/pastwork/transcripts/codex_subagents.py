"""Tells what Codex's sub-agents did in the exchange that launched them.

A launch names the sub-agent's thread: in the result of ``spawn_agent``, in an event, or in a completed
item. Turns that a sub-agent's rollout repeats from its parent are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pastwork.model import Problem
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.codex_rows import LINES, Item, Line, outcome, parent_of, wanted
from pastwork.transcripts.codex_threads import rollout, thread_in, turns
from pastwork.transcripts.codex_tools import Tools
from pastwork.transcripts.jsonl import rows

_SPAWN = "spawn_agent"
_LAUNCHED = frozenset({"CollabAgentToolCall", "SubAgentActivity", "collab_agent_spawn_end", "sub_agent_activity"})


class Subagents:
    """The sub-agents launched in one rollout, and theirs."""

    def __init__(self, path: Path, build: Builder) -> None:
        self._path = path
        self._build = build
        self._spawns: set[str] = set()
        self._folded: set[Path] = {path}
        self._turns: frozenset[str] | None = None

    def item(self, item: Item) -> Iterator[Problem]:
        """Looks at any item of the rollout, or of a sub-agent's, for a launch."""
        if item.type == "function_call" and item.name == _SPAWN and item.call_id:
            self._spawns.add(item.call_id)
        elif item.type == "function_call_output" and item.call_id in self._spawns:
            for thread in thread_in(outcome(item.output).text):
                yield from self._fold(thread)
        elif item.type in _LAUNCHED:
            for named in (item.new_thread_id, item.agent_thread_id, *item.receiver_thread_ids):
                if named:
                    yield from self._fold(named)

    def _fold(self, thread: str) -> Iterator[Problem]:
        path = rollout(self._path, thread)
        draft = self._build.draft
        if path is None or path in self._folded or draft is None:
            return
        self._folded.add(path)
        state = draft.state
        yield from self._tell(path)
        draft.state = state

    def _tell(self, path: Path) -> Iterator[Problem]:
        tools = Tools(self._build, below=True)
        headed, turn, cwd = False, None, None
        for row in rows(path, LINES, wanted=wanted):
            if isinstance(row, Problem):
                yield row
                continue
            line = row.value
            item = line.payload or line
            if line.type == "session_meta" and not headed:
                if parent_of(item) is None:
                    return
                headed = True
            turn, cwd = item.turn_id or turn, item.cwd or cwd
            if turn is None or turn not in self._own_turns():
                yield from self._trace(tools, line, item, cwd)

    def _trace(self, tools: Tools, line: Line, item: Item, cwd: str | None) -> Iterator[Problem]:
        inner = item.item if item.type == "item_completed" and item.item else item
        yield from self.item(inner)
        if inner is not item:
            tools.turn_item(inner, line.timestamp, cwd)
        elif line.type == "event_msg":
            tools.event(item, line.timestamp)
        else:
            tools.item(item, line.timestamp, cwd)

    def _own_turns(self) -> frozenset[str]:
        if self._turns is None:
            self._turns = turns(self._path)
        return self._turns
