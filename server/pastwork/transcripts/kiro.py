"""Kiro: the CLI's SQLite database and JSON-lines sessions, and the IDE's workspace sessions (before 1.0).

The database keeps one JSON document per conversation (``conversations_v2``, before it
``conversations``), keyed by folder. The IDE's session files hold prompts, but of the answers often only
"On it."; the execution logs that have the rest are not read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import blocks, mended_json, not_prompts, openai_messages, roots, sqlite, tell
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.folders import FolderReader, mtime, wal
from pastwork.transcripts.jsonl import Row
from pastwork.transcripts.line_reader import reading

AGENT = "kiro"
_KINDS = ("Prompt", "AssistantMessage", "ToolResults", "Compaction", "Clear", "ResetTo", "CancelledPrompt")


class ToolUse(Struct):
    id: str | None = None
    name: str | None = None
    args: Raw = Raw()
    tool_use_id: str | None = field(name="toolUseId", default=None)
    input: Raw = Raw()


class ToolResult(Struct):
    tool_use_id: str | None = None
    tool_use_camel: str | None = field(name="toolUseId", default=None)
    content: list[Raw] = []
    status: str | None = None


class Results(Struct):
    results: list[ToolResult] = field(name="tool_use_results", default=[])
    prompt: str | None = None


class Prompt(Struct):
    prompt: str | None = None


class UserContent(Struct):
    """Exactly one field is there."""

    Prompt: Prompt | None = None
    ToolUseResults: Results | None = None
    CancelledToolUses: Results | None = None


class EnvState(Struct):
    cwd: str | None = field(name="current_working_directory", default=None)


class EnvContext(Struct):
    state: EnvState | None = field(name="env_state", default=None)


class User(Struct):
    content: UserContent | None = None
    timestamp: str | None = None
    env: EnvContext | None = field(name="env_context", default=None)


class Said(Struct):
    content: str | None = None
    tool_uses: list[ToolUse] = []


class Assistant(Struct):
    """Exactly one field is there."""

    Response: Said | None = None
    ToolUse: Said | None = None


class Step(Struct):
    """A step of the CLI's history, or of the IDE's."""

    user: User | None = None
    assistant: Assistant | None = None
    message: openai_messages.Message | None = None


class Conversation(Struct):
    """A whole conversation, of the CLI or of the IDE."""

    conversation_id: str | None = None
    session_id: str | None = field(name="sessionId", default=None)
    title: str | None = None
    folder: str | None = field(name="workspaceDirectory", default=None)
    history: list[Raw] = []


class Meta(Struct):
    timestamp: float | str | None = None


class Piece(Struct):
    kind: str | None = None
    data: Raw = Raw()


class LineData(Struct):
    message_id: str | None = None
    content: list[Piece] = []
    meta: Meta | None = None


class Line(Struct):
    """A row of a CLI session's file."""

    kind: str | None = None
    data: LineData | None = None
    cwd: str | None = None


_CONVERSATION: Decoder[Conversation] = Decoder(Conversation)
_STEP: Decoder[Step] = Decoder(Step)
_LINES: Decoder[Line] = Decoder(Line)
_USE: Decoder[ToolUse] = Decoder(ToolUse)
_RESULT: Decoder[ToolResult] = Decoder(ToolResult)
_PLACE: Decoder[Line] = Decoder(Line)
_TEXTS: Decoder[dict[str, Raw]] = Decoder(dict[str, Raw])


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The conversations of a database, or the one of a file."""
    path = source.path
    if path.suffix == ".jsonl":
        yield from reading(AGENT, _LINES, _tell, begin=_begin, clock=clock, kind=lambda line: line.kind, known=_KINDS)(
            source, since
        )
    elif path.suffix == ".json":
        faults = Faults(path)
        found = mended_json.document(path, _CONVERSATION, faults)
        if isinstance(found, Problem):
            yield found
        else:
            yield from _conversation(found, path.stem, source.workspace, clock(), mtime(path), faults)
    else:
        try:
            with sqlite.reading(path) as connection:
                yield from _database(connection, path, clock())
        except sqlite3.Error as error:
            yield Problem(str(path), 0, f"cannot be read: {error}")


def _database(connection: sqlite3.Connection, path: Path, now: float) -> Iterator[Item]:
    faults = Faults(path)
    present = sqlite.holds(connection, faults, "conversations_v2", "conversations")
    yield from faults.taken()
    table = next((name for name in ("conversations_v2", "conversations") if name in present), None)
    if table is None:
        return
    for row_id, key in connection.execute(f"SELECT rowid, key FROM {table} ORDER BY rowid").fetchall():  # noqa: S608 - fixed
        row = connection.execute(f"SELECT value FROM {table} WHERE rowid = ?", (row_id,)).fetchone()  # noqa: S608 - fixed
        faults = Faults(path)
        data = (sqlite.as_bytes(row[0]) if row else None) or b" "
        found = mended_json.value(data, _CONVERSATION, faults, f"conversation {key}")
        folder = key if isinstance(key, str) and key.startswith("/") else None
        if found is not None:
            yield from _conversation(found, f"{table}-{row_id}", folder, now, mtime(path), faults)
        yield from faults.taken()


def _conversation(
    found: Conversation, name: str, folder: str | None, now: float, modified: float | None, faults: Faults
) -> Iterator[Item]:
    session = Session(AGENT, found.conversation_id or found.session_id or name, found.title or "")
    build = Builder.start(session, now=now, mtime=modified)
    build.context(cwd=found.folder or folder)
    for step in mended_json.each(found.history, _STEP, faults, f"conversation {session.id}, step"):
        if step.message is not None:
            yield from openai_messages.tell_message(build, step.message)
        if step.user is not None:
            yield from _asked(build, step.user)
        if step.assistant is not None:
            _answered(build, step.assistant)
    yield from faults.taken()
    yield from build.finish()


def _asked(build: Builder, user: User) -> Iterator[Item]:
    state = user.env.state if user.env else None
    build.context(cwd=state.cwd if state else None)
    content = user.content or UserContent()
    for results in (content.ToolUseResults, content.CancelledToolUses):
        for result in results.results if results else ():
            _done(build, result, user.timestamp)
    words = content.Prompt.prompt if content.Prompt else None
    words = words or (content.CancelledToolUses.prompt if content.CancelledToolUses else None)
    text = not_prompts.typed(words or "")
    if text is not None:
        yield from build.prompt(text, offset=0, time=user.timestamp)


def _answered(build: Builder, assistant: Assistant) -> None:
    for said in (assistant.Response, assistant.ToolUse):
        if said is not None:
            build.answer(said.content or "")
            for use in said.tool_uses:
                tell.call(build, use.name, use.args, ref=use.id)


def _done(build: Builder, result: ToolResult, moment: float | str | None) -> None:
    ok = (result.status or "").casefold() not in ("error", "failed", "cancelled")
    tell.result(build, result.tool_use_id or result.tool_use_camel, _output(result), ok=ok, time=moment)


def _output(result: ToolResult) -> str:
    """The text of a result's pieces, each an object of one field."""
    found = [mended_json.value(piece, _TEXTS) or {} for piece in result.content]
    values = [each.get("Text") or each.get("text") or each.get("data") or each.get("Json") for each in found]
    return "\n".join(blocks.plain(value) for value in values if value is not None)


def _begin(build: Builder, source: Source) -> None:
    """The file of the same name beside a session tells its folder."""
    place = mended_json.document(source.path.with_suffix(".json"), _PLACE)
    if isinstance(place, Line):
        build.context(cwd=place.cwd)


def _tell(build: Builder, row: Row[Line]) -> Iterator[Item]:
    data = row.value.data or LineData()
    moment = data.meta.timestamp if data.meta else None
    pieces = [(piece.kind, piece.data) for piece in data.content]
    words = "\n".join(blocks.plain(each) for kind, each in pieces if kind == "text")
    if row.value.kind == "Prompt":
        text = not_prompts.typed(words)
        if text is not None:
            yield from build.prompt(text, offset=row.offset, time=moment)
    elif row.value.kind == "AssistantMessage":
        build.answer(words, time=moment)
        for kind, each in pieces:
            if kind == "toolUse" and (use := mended_json.value(each, _USE)):
                tell.call(build, use.name, use.input, ref=use.tool_use_id, time=moment)
    elif row.value.kind == "ToolResults":
        for kind, each in pieces:
            if kind == "toolResult" and (result := mended_json.value(each, _RESULT)):
                _done(build, result, moment)


class Kiro(FolderReader):
    """Leaves out the files beside CLI sessions and the IDE's indexes."""

    def below(self, folder: Path, patterns: tuple[str, ...]) -> Iterator[Source]:
        """The carriers below one folder."""
        for source in FolderReader.below(self, folder, patterns):
            beside = source.path.suffix == ".json" and source.path.with_suffix(".jsonl").exists()
            if not beside and source.path.name != "sessions.json":
                yield source


def _places(env: Env) -> tuple[Path, ...]:
    ide = (user / "globalStorage" / "kiro.kiroagent" for user in roots.users(env, ("Kiro",)))
    databases = roots.data(env, "kiro-cli")
    return (roots.named(env, "KIRO_HOME", ".kiro") / "sessions" / "cli", *databases, *ide)


KIRO = Kiro(
    agent=AGENT,
    proof="fixture-only",
    places=_places,
    patterns=("*.sqlite3", "*.jsonl", "workspace-sessions/*/*.json"),
    reading=read,
    parts=wal,
    loose=("*.json",),
)
