"""Codex's rollouts of all eras, plain, compressed and archived.

One message may be told by three carriers; ``codex_turns`` counts it once. An exchange is keyed by its
turn's id, later prompts of the same turn by their number in it, and where there are no turn ids, by
session and text. A rollback ends an exchange; what it did stays, for the files keep it. Turns that a
fork repeats from its parent are dropped, and a sub-agent's work is told where it was launched.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from pastwork.model import Problem, Session
from pastwork.transcripts import codex_rows as told
from pastwork.transcripts import codex_threads, mended_json, not_prompts, places, roots
from pastwork.transcripts.base import Env, Item, Position, Source, Turn
from pastwork.transcripts.builder import Builder, Time
from pastwork.transcripts.codex_rows import LINES, Line, wanted, words
from pastwork.transcripts.codex_subagents import Subagents
from pastwork.transcripts.codex_tools import Tools
from pastwork.transcripts.codex_turns import Carrier, unpacked
from pastwork.transcripts.faults import Faults, kinds, of_known_kind
from pastwork.transcripts.folders import FolderReader
from pastwork.transcripts.identity import normal
from pastwork.transcripts.jsonl import Row, rows

AGENT = "codex"
_CWD = re.compile(r"<cwd>([^<\n]+)</cwd>|Current working directory: ([^\n]+)")
#: Lie beside the sessions and hold prompts and titles only.
_LOGS = frozenset({"history.jsonl", "session_index.jsonl"})
_NAMES = ("*.jsonl", "*.jsonl.zst", "rollout-*.json")
_IMAGE = ("<image", "</image>")
_STARTS = frozenset({"task_started", "turn_started"})
_ENDS = frozenset({"task_complete", "turn_complete", "turn_aborted", "thread_rolled_back"})


_HEADER = "(header)"
_ENVELOPES = kinds(
    """
    session_meta response_item event_msg turn_context compacted world_state inter_agent_communication
    inter_agent_communication_metadata
    """
)
_ITEMS = frozenset({"message", "reasoning", "local_shell_call", "web_search_call", "state"})
_CALLS = frozenset({"function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"})


class Rollout:
    """One pass over one rollout; ``read`` drives it."""

    def __init__(self, source: Source, since: Position | None, now: float) -> None:
        self.path = source.path
        session = Session(AGENT, codex_threads.thread_of(source.path) or _stem(source.path), workspace=source.workspace)
        self.build = Builder.start(session, since, now=now, mtime=_mtime(source.path))
        self.turns = unpacked(self.build.own)
        self.tools = Tools(self.build)
        self.subagents = Subagents(source.path, self.build)
        self.told_elsewhere = False
        self._headed = since is not None
        self._repeats = _Repeats()

    def line(self, row: Row[Line]) -> Iterator[Item]:
        """One row's events; rows of other types say nothing that is needed."""
        line, offset = row.value, row.offset
        if _kind(line) == _HEADER:
            self._header(line)
        elif line.payload is None:
            yield from self.response(line, offset, line.timestamp)
        elif line.type == "session_meta":
            self._header(line.payload)
        elif line.type == "turn_context":
            self._place(line.payload)
        elif line.type == "response_item":
            yield from self.response(line.payload, offset, line.timestamp)
        elif line.type == "event_msg":
            yield from self._event(line.payload, offset, line.timestamp)

    def finish(self) -> Iterator[Item]:
        """What remains at the file's end."""
        draft = self.build.draft
        signed = self.turns.signs and draft is not None
        running = draft.state != "ended" if signed and draft is not None else None
        yield from self._repeats.own(self.build.finish(running))

    def response(self, item: told.Item, offset: int, time: Time) -> Iterator[Item]:
        """A message or a tool's item."""
        meta = item.internal_chat_message_metadata_passthrough
        if not self._enter(meta.turn_id if meta else None):
            return
        yield from self.subagents.item(item)
        if self.tools.item(item, time, self.build.cwd) or item.type not in (None, "message"):
            return
        if item.role == "assistant":
            self._answer(words(item.content), "response", time)
        elif item.role == "user":
            yield from self._user(self._typed(item.content), "response", offset, time)

    def _event(self, event: told.Item, offset: int, time: Time) -> Iterator[Item]:
        if event.type in _STARTS:
            self.turns.signs = True
            self._enter(event.turn_id)
        elif event.type == "user_message":
            yield from self._user(self._typed(event.message), "event", offset, time)
        elif event.type == "agent_message":
            self._answer(event.message, "event", time)
        elif event.type == "item_completed" and event.item is not None:
            if self._enter(event.turn_id):
                yield from self._completed(event.item, offset, time)
        elif event.type in _ENDS:
            self._answer(event.last_agent_message, "close", time)
            self.build.ended(time=time)
        elif event.type == "thread_name_updated":
            self.build.describe(title=event.thread_name)
        else:
            yield from self.subagents.item(event)
            self.tools.event(event, time)

    def _completed(self, item: told.Item, offset: int, time: Time) -> Iterator[Item]:
        if item.type == "UserMessage":
            yield from self._user(self._typed(item.content), "item", offset, time)
        elif item.type in {"AgentMessage", "Plan"}:
            self._answer(words(item.content) or item.text, "item", time)
        else:
            yield from self.subagents.item(item)
            self.tools.turn_item(item, time, self.build.cwd)

    def _header(self, meta: told.Item) -> None:
        """The session's own header, the first; those that come with a parent's turns tell nothing."""
        thread, named = meta.id or meta.session_id, codex_threads.thread_of(self.path)
        if self._headed or (thread and named and thread != named):
            return
        self._headed = True
        parent = told.parent_of(meta)
        self.build.describe(session_id=thread, parent_id=parent or meta.forked_from_id)
        if thread:
            self.build.describe(title=codex_threads.title(self.path, thread))
        self.build.context(cwd=meta.cwd, branch=meta.git.branch if meta.git else None, time=meta.timestamp)
        origin = codex_threads.rollout(self.path, parent or meta.forked_from_id or "")
        if origin is not None:
            self.told_elsewhere = parent is not None and codex_threads.mentions(origin, thread or "")
            self._repeats = _Repeats(origin)

    def _place(self, context: told.Item) -> None:
        self._enter(context.turn_id)
        whole = context.workspace_roots or []
        root = whole[0] if len(whole) == 1 and context.cwd and places.inside(context.cwd, whole[0]) else None
        self.build.context(cwd=context.cwd, model=context.model, root=root)

    def _enter(self, turn: str | None) -> bool:
        """Goes on to the turn a record names; False where that turn is over: the record is a stray copy."""
        if turn and turn != self.turns.turn and self.build.asked(turn):
            return False
        self.turns.enter(turn)
        return True

    def _typed(self, content: str | list[told.Block] | None) -> str | None:
        """What a person typed; a context block tells where the oldest rollouts' work was done."""
        parts = [content] if isinstance(content, str) else [block.text or "" for block in content or []]
        if self.build.cwd is None and (found := _CWD.search("\n".join(parts))):
            self.build.context(cwd=(found[1] or found[2]).strip())
        kept = [part for part in parts if not part.startswith(_IMAGE) and _asked(part)]
        whole = "".join(kept) or (words(content) if content and not isinstance(content, str) else "")
        return _asked(whole)

    def _user(self, text: str | None, carrier: Carrier, offset: int, time: Time) -> Iterator[Item]:
        if text is None:
            return
        before = self.turns.packed()
        if not self.turns.new("user", carrier, text, time):
            return
        if not_prompts.machine_made(text):
            yield from self._repeats.own(self.build.close())
            return
        ref = self.turns.prompt_id()
        if self.build.asked(ref):
            return
        self.build.own = before
        yield from self._repeats.own(self.build.prompt(text, offset=offset, prompt_id=ref, time=time))
        self._repeats.begin(self.turns.turn, text)

    def _answer(self, text: str | None, carrier: Carrier, time: Time) -> None:
        if text and text.strip() and self.turns.new("agent", carrier, text, time):
            self.build.answer(text, time=time)


class _Repeats:
    """Which leading exchanges of a fork only repeat its parent's."""

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._leading = parent is not None
        self._repeat = False
        self._turns: frozenset[str] | None = None
        self._texts: list[str] | None = None

    def begin(self, turn: str | None, prompt: str) -> None:
        """An exchange begins."""
        self._repeat = self._leading = self._leading and self._known(turn, prompt)

    def own(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items of the exchange that ends, unless it is a repeated one."""
        yield from (item for item in items if not (self._repeat and isinstance(item, Turn)))

    def _known(self, turn: str | None, prompt: str) -> bool:
        if self._parent is None:
            return False
        if turn is not None:
            if self._turns is None:
                self._turns = codex_threads.turns(self._parent)
            return turn in self._turns
        if self._texts is None:
            self._texts = [normal(text) for text in _prompts(self._parent)]
        return bool(self._texts) and self._texts.pop(0) == normal(prompt)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The session's exchanges; none where a sub-agent's are told by its parent."""
    if source.path.name in _LOGS:
        return
    whole = source.path.suffix == ".json"
    rollout = Rollout(source, None if whole else since, clock())
    if whole:
        yield from _document(rollout)
        return
    found = rows(source.path, LINES, since.offset if since else 0, wanted=wanted)
    faults = Faults(source.path, _ENVELOPES | _ITEMS | _CALLS | {_HEADER})
    for row in of_known_kind(found, faults, _kind):
        if isinstance(row, Problem):
            yield row
            continue
        yield from rollout.line(row)
        if rollout.told_elsewhere:
            return
    yield from rollout.finish()


def _kind(line: Line) -> str | None:
    """A row's type; the bare header of the second era has none."""
    bare = line.payload is None and line.type is None and line.record_type is None and line.id
    return _HEADER if bare else line.type or line.record_type


def _document(rollout: Rollout) -> Iterator[Item]:
    """The first era: one object a session, without times, always read whole."""
    faults = Faults(rollout.path)
    document = mended_json.document(rollout.path, told.DOCUMENTS, faults)
    if isinstance(document, Problem):
        yield document
        return
    if document.session is not None:
        session = document.session
        rollout.build.describe(session_id=session.id)
        rollout.build.context(time=session.timestamp)
    for item in mended_json.each(document.items, told.ITEM, faults, "item"):
        yield from rollout.response(item, 0, None)
    yield from faults.taken()
    yield from rollout.finish()


def _prompts(path: Path) -> list[str]:
    return [item.exchange.prompt for item in read(Source(AGENT, path)) if isinstance(item, Turn)]


def _asked(text: str) -> str | None:
    """A person's words, without what an editor put before them."""
    _, found, request = text.partition(not_prompts.CODEX_REQUEST)
    return not_prompts.typed(request if found else text, not_prompts.CODEX)


def _stem(path: Path) -> str:
    return path.name.split(".json")[0]


def _mtime(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _roots(env: Env) -> tuple[Path, ...]:
    home = roots.named(env, "CODEX_HOME", ".codex")
    return (home / "sessions", home / "archived_sessions")


CODEX = FolderReader(
    agent=AGENT,
    proof="real",
    places=_roots,
    patterns=tuple(f"{depth}{name}" for depth in ("*/*/*/", "") for name in _NAMES),
    loose=tuple(
        f"{folder}/{name}" for folder in ("sessions/*/*/*", "sessions", "archived_sessions") for name in _NAMES
    ),
    reading=partial(read, clock=time.time),
)
