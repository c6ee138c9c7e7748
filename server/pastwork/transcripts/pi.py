"""pi and its forks: ``~/.pi/agent/sessions/--<path>--/<time>_<id>.jsonl``, versions 1 to 3.

A header, then entries; only messages matter, in file order (entries form a tree, but a walk from the
newest leaf would drop branches). A forked session copies entries with their times, so an exchange's
id comes from the time and text of its prompt. ``bashExecution`` is a shell command of the user's own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Edit, Hunk, Problem, Session
from pastwork.transcripts import identity, not_prompts, roots, tell
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults, kinds, of_known_kind
from pastwork.transcripts.folders import FolderReader, mtime
from pastwork.transcripts.jsonl import Row, rows

_NUMBERED = re.compile(r"([ +-]) *(\d{1,9}) ?(.*)")
_FILE_ID = re.compile(r"_([0-9a-fA-F-]{8,})$")
_TYPES = kinds(
    """
    session message model_change thinking_level_change compaction branch_summary custom custom_message label
    session_info
    """
)
_DONE = ("stop", "aborted", "error", "length")


class Block(Struct):
    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Raw = Raw(b"{}")


class Details(Struct):
    diff: str | None = None


class Message(Struct):
    """A message of any role; ``timestamp`` is in milliseconds."""

    role: str | None = None
    content: str | list[Block] | None = None
    timestamp: float | None = None
    model: str | None = None
    stop_reason: str | None = field(name="stopReason", default=None)
    call: str | None = field(name="toolCallId", default=None)
    is_error: bool = field(name="isError", default=False)
    details: Details | None = None
    command: str | None = None
    output: str | None = None


class Entry(Struct):
    """A header or an entry."""

    type: str | None = None
    id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    model: str | None = field(name="modelId", default=None)
    branched_from: str | None = field(name="branchedFrom", default=None)
    parent_session: str | None = field(name="parentSession", default=None)
    name: str | None = None
    message: Message | None = None


_ENTRIES: Decoder[Entry] = Decoder(Entry)


def read(
    source: Source, since: Position | None = None, *, agent: str = "pi", clock: Callable[[], float] = time.time
) -> Iterator[Item]:
    """The session's exchanges."""
    session = Session(agent, _session_id(source.path.stem))
    build = Builder.start(session, since, now=clock(), mtime=mtime(source.path), signs=True)
    found = rows(source.path, _ENTRIES, since.offset if since else 0)
    for row in of_known_kind(found, Faults(source.path, _TYPES), lambda entry: entry.type):
        if isinstance(row, Problem):
            yield row
        else:
            yield from _tell(build, row)
    yield from build.finish()


def _session_id(stem: str) -> str:
    found = _FILE_ID.search(stem)
    return found[1] if found else stem


def _tell(build: Builder, row: Row[Entry]) -> Iterator[Item]:
    entry = row.value
    if entry.type == "session":
        parent = entry.parent_session or entry.branched_from
        parent_id = _session_id(re.split(r"[/\\]", parent)[-1].removesuffix(".jsonl")) if parent else None
        build.describe(session_id=entry.id, parent_id=parent_id)
        build.context(cwd=entry.cwd, model=entry.model)
    elif entry.type == "model_change":
        build.context(model=entry.model)
    elif entry.type == "session_info":
        build.describe(title=entry.name)
    elif entry.type == "message" and entry.message is not None:
        yield from _said(build, row.offset, entry.message, entry.timestamp)


def _said(build: Builder, offset: int, message: Message, moment: str | None) -> Iterator[Item]:
    if message.role == "user":
        text = not_prompts.typed(_text(message.content))
        if text is not None:
            when = moment or message.timestamp
            prompt_id = f"{when}:{identity.short(text)}" if when else None
            yield from build.prompt(text, offset=offset, prompt_id=prompt_id, time=when)
    elif message.role == "assistant":
        _answered(build, message, moment)
    elif message.role == "toolResult":
        _result(build, message, moment)
    elif message.role == "bashExecution" and build.draft is not None:
        given = {"command": message.command or ""}
        tell.call(build, "bash (user)", given, output=message.output or "", ok=True, time=moment)


def _answered(build: Builder, message: Message, moment: str | None) -> None:
    build.context(model=message.model)
    blocks = [Block("text", message.content)] if isinstance(message.content, str) else message.content or []
    for block in blocks:
        if block.type == "text":
            build.answer(block.text or "", time=moment)
        elif block.type == "toolCall":
            tell.call(build, block.name, block.arguments, ref=block.id, time=moment)
    if message.stop_reason in _DONE:
        build.ended(time=moment)


def _result(build: Builder, message: Message, moment: str | None) -> None:
    call = build.draft.calls.get(message.call or "") if build.draft else None
    edits: tuple[Edit, ...] | None = None
    if call is not None and len(call.edits) == 1 and message.details and message.details.diff:
        hunks = numbered(message.details.diff)
        edits = (Edit(call.edits[0].path, call.edits[0].action, hunks, "patch"),) if hunks else None
    build.result(message.call, _text(message.content), ok=not message.is_error, edits=edits, time=moment)


def _text(content: str | list[Block] | None) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content or () if block.type == "text" and block.text)


def numbered(diff: str) -> tuple[Hunk, ...]:
    """pi's own diffs: each line has its mark and number, ``...`` stands for what is left out.

    Removed and kept lines carry old numbers, added ones new numbers.
    """
    parts = re.split(r"^ *\.\.\.$", diff, flags=re.MULTILINE)
    found = ([line for line in map(_NUMBERED.fullmatch, part.split("\n")) if line] for part in parts)
    return tuple(_hunk(lines) for lines in found if any(line[1] != " " for line in lines))


def _hunk(lines: list[re.Match[str]]) -> Hunk:
    """Starts are reckoned back from changed lines: early versions number the context before them from 1."""
    changed = next(at for at, line in enumerate(lines) if line[1] != " ")
    old = _start(
        lines, [at for at, line in enumerate(lines) if line[1] == "-" or (line[1] == " " and at > changed)], "+"
    )
    new = _start(lines, [at for at, line in enumerate(lines) if line[1] == "+"], "-")
    return Hunk(tuple(line[1] + line[3] for line in lines), old, new)


def _start(lines: list[re.Match[str]], known: list[int], absent: str) -> int | None:
    """The first line's number on one side, from the first line whose number there is known."""
    if not known:
        return None
    at = known[0]
    number = int(lines[at][2])
    return number - len([line for line in lines[:at] if line[1] != absent])


def _places(env: Env) -> tuple[Path, ...]:
    agent = roots.named(env, "PI_CODING_AGENT_DIR", ".pi/agent")
    return (roots.named(env, "PI_SESSIONS_DIR", str(agent / "sessions")),)


def _fork_places(env: Env) -> tuple[Path, ...]:
    return (env.home / ".omp" / "agent" / "sessions",)


_PATTERNS = ("*/*.jsonl", "*.jsonl")
PI = FolderReader("pi", "real", _places, _PATTERNS, read)
OH_MY_PI = FolderReader("oh-my-pi", "fixture-only", _fork_places, _PATTERNS, partial(read, agent="oh-my-pi"))
