"""Folds the transcripts of Claude Code's sub-agents into the exchange that launched them.

A sub-agent's file is found by the id that its launcher's result names, by the launching call that
its ``.meta.json`` names, and else by when it began. Files lie in ``<session>/subagents/`` (workflows
one level deeper) or, in older versions, beside the session's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from pastwork.model import Problem
from pastwork.there import is_file, is_name
from pastwork.transcripts import times
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.claude_code_rows import LINES, result, wanted
from pastwork.transcripts.claude_code_tools import Tools
from pastwork.transcripts.jsonl import rows

PATTERN = "agent-*.jsonl"


class _Meta(Struct, rename="camel"):
    tool_use_id: str | None = None


class _Part(Struct):
    path: Path
    call: str | None
    began: str | None


def parts_of(path: Path) -> tuple[Path, ...]:
    """The sub-agents' transcripts of a session's file."""
    folder = path.with_suffix("") / "subagents"
    return tuple(sorted(folder.glob(PATTERN)) + sorted(folder.glob(f"workflows/*/{PATTERN}")))


class Subagents:
    """The sub-agents of one session's transcript."""

    def __init__(self, path: Path, parts: tuple[Path, ...], build: Builder, tools: Tools, now: float) -> None:
        self._beside = path.parent
        self._paths = {part.stem: part for part in parts}
        self._build = build
        self._tools = tools
        self._now = now
        self._folded: set[Path] = set()
        self._unknown: list[_Part] | None = None

    def fold(self, agent_id: str) -> Iterator[Problem]:
        """Tells the builder what the sub-agent of that id did."""
        name = f"agent-{agent_id}"
        beside = self._beside / f"{name}.jsonl"
        path = self._paths.get(name) or (beside if is_name(beside.name) and is_file(beside) else None)
        if path is not None:
            yield from self._tell(path)

    def fold_rest(self, until: str | None = None) -> Iterator[Problem]:
        """Tells of the sub-agents that belong to the running exchange and that no result named.

        ``until`` is when the exchange ended, None at the transcript's end, "" where that is not known.
        """
        draft = self._build.draft
        if draft is None or not self._paths:
            return
        if self._unknown is None:
            self._unknown = [self._part(path) for path in self._paths.values()]
        began = draft.time or draft.first
        for part in self._unknown:
            if self._tools.launched(part.call) or (part.call is None and _within(part.began, began, until)):
                yield from self._tell(part.path)

    def _tell(self, path: Path) -> Iterator[Problem]:
        """A sub-agent's work changes neither where its launcher stands nor whether it is done."""
        draft = self._build.draft
        if path in self._folded or draft is None:
            return
        self._folded.add(path)
        state, cwd = draft.state, None
        for row in rows(path, LINES, wanted=wanted):
            if isinstance(row, Problem):
                yield row
                continue
            line = row.value
            cwd = line.cwd or cwd
            if line.message is not None:
                self._tools.trace(line.message, line.result, line.timestamp, cwd)
                found = result(line.result)
                if found is not None and found.agent_id:
                    yield from self.fold(found.agent_id)
        draft.state = state

    def _part(self, path: Path) -> _Part:
        began = next((row.value.timestamp for row in rows(path, LINES) if not isinstance(row, Problem)), None)
        return _Part(path, _launcher(path), times.utc(began, self._now))


def _within(time: str | None, start: str | None, end: str | None) -> bool:
    return time is not None and start is not None and start <= time and (end is None or time < end)


def _launcher(path: Path) -> str | None:
    """The id of the call that launched a sub-agent, from the file beside its transcript."""
    try:
        return msgspec.json.decode(path.with_suffix(".meta.json").read_bytes(), type=_Meta).tool_use_id
    except (OSError, ValueError, RecursionError):
        return None
