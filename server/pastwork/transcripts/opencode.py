"""OpenCode: a tree of JSON files (before 1.2), then one SQLite database of two generations; Kilo's new core alike.

``storage/{session,message,part}``; ``message`` and ``part`` tables; from 2.x ``session_message``, whose
rows hold their parts. A session is read from the generation that has its rows. Sessions with a parent
are sub-agents: their tool calls are told where the parent called them. A position carries up to which
change of a session was read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import structs
from msgspec.json import Decoder

from pastwork.model import Problem
from pastwork.model import Session as Told
from pastwork.there import is_name
from pastwork.transcripts import mended_json, not_prompts, opencode_rows, roots, sqlite, tell, times, watermark
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.folders import FolderReader, wal
from pastwork.transcripts.opencode_rows import Message, Part, Place, Session, State, Summary

T = TypeVar("T")
_UNIQUE = 16
_DEPTH = 3
_ROLES = frozenset(
    {"user", "assistant", "shell", "system", "synthetic", "compaction"}
    | {"agent-switched", "model-switched", "agent-selected", "model-selected"}
)
_WORKING = ("pending", "running", "streaming")


class Rows(Protocol):
    """Where one session's messages come from."""

    faults: Faults

    def messages(self, session_id: str) -> Iterable[tuple[Message, list[Part]]]:
        """A session's messages in order, each with its parts."""
        ...


class Tree:
    """One JSON file per session, message and part."""

    def __init__(self, storage: Path, faults: Faults) -> None:
        self.storage = storage
        self.faults = faults

    def messages(self, session_id: str) -> Iterator[tuple[Message, list[Part]]]:
        """By time, then id."""
        found = [
            structs.replace(message, id=message.id or path.stem)
            for path in _files(self.storage / "message", session_id)
            if (message := self._document(path, opencode_rows.MESSAGE)) is not None
        ]
        flat = list(self._read(self.storage / "part"))
        for message in sorted(found, key=lambda each: (_number(each.time.created), each.id)):
            own = [part for part in flat if part.message_id == message.id]
            yield message, own or list(self._read(self.storage / "part", message.id))

    def _read(self, folder: Path, message_id: str = "") -> Iterator[Part]:
        """The parts in one folder; the earliest releases kept all in the same."""
        for path in _files(folder, message_id):
            if (part := self._document(path, opencode_rows.PART)) is not None:
                yield part

    def _document(self, path: Path, decoder: Decoder[T]) -> T | None:
        """One file's value; damage is told with the file's name, for the session's own file stands for all."""
        faults = Faults(path)
        found = mended_json.document(path, decoder, faults)
        for problem in (found,) if isinstance(found, Problem) else faults.taken():
            self.faults.add(f"{path.name}: {problem.reason}")
        return None if isinstance(found, Problem) else found


def _files(folder: Path, name: str) -> list[Path]:
    """The files of a folder, or of the one in it that a record names: nothing where it names none in it."""
    if name and not is_name(name):
        return []
    return sorted((folder / name).glob("*.json"))


class Database:
    """The tables of ``opencode.db``; both generations."""

    def __init__(self, connection: sqlite3.Connection, faults: Faults) -> None:
        self.connection = connection
        self.faults = faults
        self.tables = sqlite.tables(connection)

    def sessions(self) -> Iterator[Session]:
        """All sessions, of either generation once."""
        seen: set[str] = set()
        for table in ("session_v2", "session"):
            wanted = ("id", "directory", "title", "parent_id", "time_created", "time_updated")
            present = sqlite.columns(self.connection, table)
            if "id" not in present:
                continue
            listed = ", ".join(name if name in present else f"NULL AS {name}" for name in wanted)
            for row in self.connection.execute(f"SELECT {listed} FROM {table}").fetchall():  # noqa: S608 - fixed names
                if row[0] not in seen:
                    seen.add(row[0])
                    when = opencode_rows.When(created=row[4], updated=row[5])
                    yield Session(str(row[0]), row[1], row[2], row[3], when)

    def messages(self, session_id: str) -> Iterator[tuple[Message, list[Part]]]:
        """From the newer generation where it has the session's rows."""
        if "session_message" in self.tables:
            newer = list(self._newer(session_id))
            if newer:
                yield from newer
                return
        if "message" in self.tables:
            yield from self._older(session_id)

    def _newer(self, session_id: str) -> Iterator[tuple[Message, list[Part]]]:
        order = "seq" if "seq" in sqlite.columns(self.connection, "session_message") else "time_created, id"
        query = f"SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY {order}"  # noqa: S608 - fixed
        for own, kind, data in self.connection.execute(query, (session_id,)).fetchall():
            what = f"message {own}"
            message = mended_json.value(sqlite.as_bytes(data) or b" ", opencode_rows.MESSAGE, self.faults, what)
            if message is not None:
                message = structs.replace(message, id=str(own), role=kind)
                yield message, mended_json.each(message.content, opencode_rows.PART, self.faults, f"{what}, part")

    def _older(self, session_id: str) -> Iterator[tuple[Message, list[Part]]]:
        query = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
        for own, data in self.connection.execute(query, (session_id,)).fetchall():
            what = f"message {own}"
            message = mended_json.value(sqlite.as_bytes(data) or b" ", opencode_rows.MESSAGE, self.faults, what)
            if message is not None:
                yield structs.replace(message, id=str(own)), list(self._parts(own))

    def _parts(self, message_id: str) -> Iterator[Part]:
        held = self.connection.execute("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", (message_id,))
        for own, data in held.fetchall():
            part = mended_json.value(sqlite.as_bytes(data) or b" ", opencode_rows.PART, self.faults, f"part {own}")
            if part is not None:
                yield part


def read(
    source: Source, since: Position | None = None, *, agent: str = "opencode", clock: Callable[[], float] = time.time
) -> Iterator[Item]:
    """The sessions of a database, or the one of a session file."""
    faults = Faults(source.path, _ROLES)
    if source.path.suffix == ".json":
        session = mended_json.document(source.path, opencode_rows.SESSION, faults)
        if isinstance(session, Problem):
            yield session
        elif session.parent_id is None:
            rows = Tree(source.path.parents[2], faults)
            yield from _session(agent, structs.replace(session, id=session.id or source.path.stem), rows, clock())
        yield from faults.taken()
        return
    try:
        with sqlite.reading(source.path) as connection:
            sqlite.holds(connection, faults, "session", "session_v2")
            yield from _database(agent, Database(connection, faults), watermark.mark(since, 0.0), clock())
            yield from faults.taken()
    except sqlite3.Error as error:
        yield Problem(str(source.path), 0, f"cannot be read: {error}")


def _database(agent: str, database: Database, until: float, now: float) -> Iterator[Item]:
    for session in sorted(database.sessions(), key=_changed):
        changed = _changed(session)
        if session.parent_id is None and (changed == 0 or changed >= until):
            yield from watermark.marked(_session(agent, session, database, now), changed or until)


def _changed(session: Session) -> float:
    return _number(session.time.updated)


def _number(moment: float | str | None) -> float:
    return float(moment) if isinstance(moment, int | float) else 0


def _session(agent: str, session: Session, rows: Rows, now: float) -> Iterator[Item]:
    started = times.utc(session.time.created, now)
    build = Builder.start(Told(agent, session.id, session.title or "", started_at=started), now=now, signs=True)
    build.context(cwd=session.directory)
    for message, parts in rows.messages(session.id):
        rows.faults.knows(message.role)
        yield from _tell(build, rows, message, parts)
    yield from build.finish()


def _tell(build: Builder, rows: Rows, message: Message, parts: list[Part]) -> Iterator[Item]:
    moment = message.time.created
    if message.role == "user":
        said = [part.text for part in parts if part.type == "text" and part.text and not part.synthetic]
        told = message.summary.body if isinstance(message.summary, Summary) and not parts else None
        text = not_prompts.typed("\n".join(said) or message.text or told or "")
        if text is not None:
            prompt_id = message.id if len(message.id) >= _UNIQUE else None
            yield from build.prompt(text, offset=0, prompt_id=prompt_id, time=moment)
    elif message.role == "assistant":
        place = message.path if isinstance(message.path, Place) else Place()
        model = message.model or opencode_rows.Model()
        named = message.model_id or model.model_id or model.id
        build.context(cwd=place.cwd, root=place.root if place.root != "/" else None, model=named)
        for part in parts:
            _part(build, rows, part, moment)
        if message.time.completed or bytes(message.error) or message.finish:
            build.ended(time=message.time.completed)
    elif message.role == "shell":
        given = {"command": message.command or ""}
        tell.call(build, "shell (user)", given, output=message.output or "", ok=True, time=moment)


def _part(build: Builder, rows: Rows, part: Part, moment: float | str | None) -> None:
    if part.type == "text" and not part.synthetic and not part.ignored:
        build.answer(part.text or "", time=part.time.start or moment)
    elif part.type == "tool" and part.state is not None:
        _used(build, part, part.state, moment)
        shown = part.state.metadata or part.state.structured
        child = shown and (shown.session_id or shown.session_id_old)
        if child:
            _helped(build, rows, child, _DEPTH)


def _used(build: Builder, part: Part, state: State, moment: float | str | None, *, below: bool = False) -> None:
    when = state.time.start or part.time.created or moment
    ref = part.call_id or part.id
    tell.call(build, part.tool or part.name, state.input, ref=ref, time=when, below=below)
    if state.status in _WORKING:
        return
    shown = state.metadata or state.structured
    failed = state.status == "error" or (part.tool or part.name) == "invalid"
    diff = shown.diff if shown else None
    done = state.time.end or part.time.completed
    tell.result(build, ref, _output(state), ok=not failed, diff=diff, time=done, below=below)


def _output(state: State) -> str:
    if isinstance(state.error, str):
        return state.error
    if state.error is not None:
        return state.error.message or ""
    return state.output or "\n".join(block.text for block in state.content if block.text)


def _helped(build: Builder, rows: Rows, session_id: str, depth: int) -> None:
    """A sub-agent's tool calls, told as the parent's."""
    for message, parts in rows.messages(session_id):
        for part in parts:
            if message.role == "assistant" and part.type == "tool" and part.state is not None and depth:
                _used(build, part, part.state, message.time.created, below=True)


def _parts(path: Path) -> tuple[Path, ...]:
    """A database's log; a session file is touched with each of its messages."""
    return () if path.suffix == ".json" else wal(path)


_PATTERNS = ("storage/session/*/*.json", "session/*/*.json", "{name}.db", "{name}-*.db")


def _reader(agent: str, name: str) -> FolderReader:
    def places(env: Env) -> tuple[Path, ...]:
        return roots.data(env, name)

    patterns = tuple(pattern.format(name=name) for pattern in _PATTERNS)
    return FolderReader(agent, "fixture-only", places, patterns, partial(read, agent=agent), _parts)


OPENCODE = _reader("opencode", "opencode")
KILO = _reader("kilo", "kilo")
