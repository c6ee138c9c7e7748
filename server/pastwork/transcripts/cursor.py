"""Cursor's carriers: workspace and global ``state.vscdb``, agent transcripts, the CLI's ``store.db``.

The same conversation may stand in several; all go by its id, so the store sees one. Agent
transcripts have no times, ids or results. Their folder's name can't be turned back into a path: known
project folders are turned into such names and compared.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Raw, Struct, field, structs
from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts import cursor_store, roots, tell
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.cursor_bubbles import typed
from pastwork.transcripts.cursor_state import AGENT, State, folder_of
from pastwork.transcripts.faults import Faults, of_known_kind
from pastwork.transcripts.folders import FolderReader, mtime, wal
from pastwork.transcripts.jsonl import Row, records, rows

_ROLE = re.compile(r"(user|assistant):\s*$")
_KINDS = ("user", "assistant", "system", "tool", "turn_ended", "error")
_TRANSCRIPTS = "agent-transcripts"


class Block(Struct):
    type: str | None = None
    text: str | None = None
    name: str | None = None
    input: Raw = Raw()
    ref: str | None = field(name="id", default=None)


class Message(Struct):
    content: str | list[Block] | None = None


class Line(Struct):
    role: str | None = None
    type: str | None = None
    message: Message | None = None


_LINES: Decoder[Line] = Decoder(Line)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The exchanges of one carrier."""
    if source.path.suffix == ".vscdb":
        source = structs.replace(source, workspace=source.workspace or folder_of(source.path))
        yield from State(source, since, clock()).items()
    elif source.path.suffix == ".db":
        yield from cursor_store.items(source, clock())
    elif source.path.suffix == ".txt":
        yield from _read_text(source, clock())
    else:
        yield from _read_lines(source, since, clock())


def _start(source: Source, since: Position | None, now: float) -> Builder:
    session = Session(AGENT, source.path.stem)
    build = Builder.start(session, since, now=now, mtime=mtime(source.path), signs=True)
    build.context(cwd=source.workspace)
    return build


def _read_lines(source: Source, since: Position | None, now: float) -> Iterator[Item]:
    build = _start(source, since, now)
    found = rows(source.path, _LINES, since.offset if since else 0)
    for row in of_known_kind(found, Faults(source.path, _KINDS), lambda line: line.role or line.type):
        if isinstance(row, Problem):
            yield row
        else:
            yield from _tell(build, row)
    yield from build.finish()


def _tell(build: Builder, row: Row[Line]) -> Iterator[Item]:
    line = row.value
    content = line.message.content if line.message else None
    blocks = [Block("text", content)] if isinstance(content, str) else content or []
    if line.role == "user":
        prompt = typed("\n".join(block.text for block in blocks if block.type == "text" and block.text))
        if prompt is not None:
            yield from build.prompt(prompt, offset=row.offset)
    elif line.role == "assistant":
        for block in blocks:
            if block.type in ("tool_use", "tool_call"):
                tell.call(build, block.name, block.input, ref=block.ref, ok=True)
            elif block.text:
                build.answer(block.text)
        build.ended()
    elif line.type == "turn_ended":
        build.ended()


def _read_text(source: Source, now: float) -> Iterator[Item]:
    """The oldest transcripts: plain text under ``user:`` and ``assistant:``."""
    build = _start(source, None, now)
    role, held = "", list[str]()
    for record in records(source.path):
        if isinstance(record, Problem):
            yield record
            continue
        line = record.data.decode("utf-8", "replace").rstrip("\r\n")
        if found := _ROLE.fullmatch(line):
            yield from _text_turn(build, role, held)
            role, held = found[1], []
        else:
            held.append(line)
    yield from _text_turn(build, role, held)
    yield from build.finish()


def _text_turn(build: Builder, role: str, lines: list[str]) -> Iterator[Item]:
    text = "\n".join(lines)
    if role == "user" and (prompt := typed(text)):
        yield from build.prompt(prompt, offset=0)
    elif role == "assistant":
        build.answer(text.strip())
        build.ended()


class Cursor(FolderReader):
    """Adds what only other files tell: which folder a transcript's project folder means."""

    def locate(self, env: Env) -> Iterator[Source]:
        """The carriers present, agent transcripts with their folder where it is known."""
        slugs = {_slug(str(folder)): str(folder) for folder in (*env.projects, *env.scans)}
        for root in self.roots(env):
            for database in root.glob("workspaceStorage/*/workspace.json"):
                if folder := folder_of(database):
                    slugs[_slug(folder)] = folder
        for source in FolderReader.locate(self, env):
            parts = source.path.parts
            if _TRANSCRIPTS in parts:
                slug = parts[parts.index(_TRANSCRIPTS) - 1]
                source = structs.replace(source, workspace=slugs.get(slug))
            yield source


def _slug(folder: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", folder).strip("-")


def _places(env: Env) -> tuple[Path, ...]:
    named = env.variables.get("CURSOR_DATA_PATH")
    return (*roots.users(env, ("Cursor",)), *((Path(named).expanduser(),) if named else ()), env.home / ".cursor")


CURSOR = Cursor(
    agent=AGENT,
    proof="real",
    places=_places,
    patterns=(
        "workspaceStorage/*/state.vscdb",
        "globalStorage/state.vscdb",
        f"projects/*/{_TRANSCRIPTS}/*.jsonl",
        f"projects/*/{_TRANSCRIPTS}/*/*.jsonl",
        f"projects/*/{_TRANSCRIPTS}/*.txt",
        "chats/*/*/store.db",
        "acp-sessions/*/store.db",
    ),
    reading=read,
    parts=wal,
    loose=("*.vscdb", "store.db", "*.jsonl"),
)
