"""One exchange while it is being built: events in, a frozen ``Exchange`` out; pure.

A call's edits and reads are proposals until its result says that it succeeded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, structs

from pastwork.model import Edit, Entry, Exchange, TimeSource, ToolCall
from pastwork.transcripts import identity, patches
from pastwork.transcripts.base import Position

#: What the last event says about the agent: it was asked, it spoke, it waits for a tool, it is done.
State = Literal["asked", "answered", "working", "ended"]


class Call(Struct):
    """A tool call, with what it did to files if it succeeded."""

    tool: ToolCall
    time: str | None
    edits: tuple[Edit, ...] = ()
    reads: tuple[str, ...] = ()


class Draft(Struct):
    """An unfinished exchange.

    ``first`` and ``last`` are the times of its first told and its latest event, ``near`` that of a
    neighbour, for want of any.
    """

    at: Position
    id: str
    twin: str
    turn: int
    prompt: str
    time: str | None
    cwd: str | None
    branch: str | None
    near: str | None
    model: str | None = None
    state: State = "asked"
    entries: list[Entry | Call | Edit] = []
    calls: dict[str, Call] = {}
    told: set[str] = set()
    first: str | None = None
    last: str | None = None

    def moment(self, time: str) -> None:
        """Some event of the exchange happened at this time."""
        self.first = self.first or time
        self.last = max(self.last or time, time)

    def known(self, role: str, text: str) -> bool:
        """Whether this text was asked about before; the prompt counts as told by the user."""
        if not self.told:
            self.told.add(f"user:{identity.normal(self.prompt)}")
        key = f"{role}:{identity.normal(text)}"
        known = key in self.told
        self.told.add(key)
        return known

    def add(self, state: State, entry: Entry | Call) -> None:
        """One more piece of the verbatim."""
        self.state = state
        self.entries.append(entry)

    def call(self, call: Call) -> None:
        """A tool call; one told twice by its id counts once, one told after its result is joined to it."""
        ref = call.tool.id
        early = self.calls.get(ref) if ref else None
        if early is not None:
            if not early.tool.name:
                early.tool = structs.replace(call.tool, output=early.tool.output, ok=early.tool.ok)
                early.edits, early.reads = early.edits or call.edits, call.reads
            return
        if ref:
            self.calls[ref] = call
        self.add("working" if call.tool.ok is None else "answered", call)

    def result(
        self, ref: str | None, output: str, ok: bool | None, edits: tuple[Edit, ...] | None, time: str | None
    ) -> None:
        """Joins a result to its call, one without an id to the oldest such call that waits; else it stands alone."""
        call = self.calls.get(ref) if ref else self._waiting()
        if call is None:
            call = Call(ToolCall("", id=ref), time)
            self.entries.append(call)
            if ref:
                self.calls[ref] = call
        call.tool = structs.replace(call.tool, output=output or call.tool.output, ok=ok)
        call.edits = call.edits if edits is None else edits
        self.state = "working"

    def _waiting(self) -> Call | None:
        calls = (each for each in self.entries if isinstance(each, Call))
        return next((call for call in calls if call.tool.id is None and call.tool.ok is None), None)

    def exchange(self, agent: str, session_id: str, workspace: str | None, *, running: bool) -> Exchange:
        """The exchange as it stands, without a time where none is known."""
        calls = [each for each in self.entries if isinstance(each, Call)]
        time_source: TimeSource = "exact" if self.time else "inferred"
        started = self.time or self.first or self.near
        return Exchange(
            id=self.id,
            agent=agent,
            session_id=session_id,
            turn=self.turn,
            prompt=self.prompt,
            entries=tuple(_entry(each) for each in self.entries if not isinstance(each, Edit)),
            edits=tuple(edit for each in self.entries for edit in _edits(each)),
            reads=tuple(dict.fromkeys(path for call in calls if call.tool.ok is not False for path in call.reads)),
            started_at=started,
            ended_at=self.last or started,
            time_source=time_source,
            workspace=workspace,
            cwd=self.cwd,
            branch=self.branch,
            model=self.model,
            open=running,
            twin=self.twin,
        )


def _entry(each: Entry | Call) -> Entry:
    if isinstance(each, Entry):
        return each
    diff = patches.shown(each.edits) if each.tool.ok else ""
    return Entry("tool", "", each.time, structs.replace(each.tool, diff=diff or None))


def _edits(each: Entry | Call | Edit) -> Iterable[Edit]:
    if isinstance(each, Edit):
        return (each,)
    if isinstance(each, Entry) or not each.tool.ok:
        return ()
    ref = each.tool.id
    return [structs.replace(edit, time=edit.time or each.time, tool_id=edit.tool_id or ref) for edit in each.edits]
