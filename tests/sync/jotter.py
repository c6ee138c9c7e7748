"""An invented agent, its transcripts and its reader: small, and everything that the sync looks at.

A line is one of ``{"ask": …}``, ``{"answer": …}``, ``{"write": path, "text": …}``, ``{"title": …}``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.json import Decoder

from pastwork.config import Config
from pastwork.model import Edit, Hunk, Problem, Session
from pastwork.store.writer import StoreWriter
from pastwork.sync.run import Sync
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.folders import FolderReader
from pastwork.transcripts.jsonl import rows

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Line(Struct):
    """One record; which fields are there says what it is."""

    ask: str = ""
    id: str | None = None
    time: str | None = None
    cwd: str | None = None
    answer: str = ""
    write: str = ""
    text: str = ""
    run: str = ""
    output: str = ""
    title: str = ""
    explode: bool = False


def read(source: Source, since: Position | None = None) -> Iterator[Item]:
    build = Builder.start(Session("jotter", source.path.stem.partition("@")[0]), since, now=NOW.timestamp())
    for row in rows(source.path, Decoder(Line), since.offset if since else 0):
        if isinstance(row, Problem):
            yield row
            continue
        yield from _tell(build, row.value, row.offset)
    for part in source.parts:
        build.answer(f"sub-agent: {part.read_text(encoding='utf-8')}")
    yield from build.finish()


def _tell(build: Builder, line: Line, offset: int) -> Iterator[Item]:
    if line.explode:
        raise RuntimeError("a fault of the reader")
    if line.cwd:
        build.context(cwd=line.cwd)
    if line.title:
        build.describe(title=line.title)
    if line.ask:
        yield from build.prompt(line.ask, offset=offset, prompt_id=line.id, time=line.time)
    build.answer(line.answer)
    if line.write:
        build.edit(Edit(line.write, "edited", (Hunk((f"+{line.text}",)),), "text"))
    if line.run:
        build.call(line.run, output=line.output, ok=True)


def parts(path: Path) -> tuple[Path, ...]:
    return tuple(sorted(path.parent.glob(f"{path.stem}.part*")))


JOTTER = FolderReader("jotter", "fixture-only", lambda env: (env.home / ".jotter",), ("*.jot", "*/*.jot"), read, parts)


def ask(text: str, number: int = 0, **more: str) -> bytes:
    """A prompt with an id of its own when ``number`` is given, and a plain answer."""
    fields: dict[str, object] = {"ask": text, "time": f"2026-02-01T10:{number % 60:02d}:00Z", **more}
    if number:
        fields["id"] = f"prompt-{number}"
    return line(**fields) + line(answer=f"About {text}: done.")


def line(**fields: object) -> bytes:
    return json.dumps(fields).encode() + b"\n"


class Home:
    """An invented developer's home folder, and the store of its transcripts."""

    def __init__(self, folder: Path, writer: StoreWriter | None = None, **env: object) -> None:
        self.folder = folder
        (folder / ".jotter").mkdir(parents=True, exist_ok=True)
        self.writer = writer or StoreWriter.empty()
        self.env = Env(folder, {}, **env)  # type: ignore[arg-type]

    def path(self, name: str) -> Path:
        return self.folder / ".jotter" / name

    def write(self, name: str, *content: bytes) -> Path:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(content))
        return path

    def append(self, name: str, *content: bytes) -> None:
        with self.path(name).open("ab") as file:
            file.write(b"".join(content))

    def sync(self, **changes: object) -> Sync:
        made: dict[str, object] = {
            "env": self.env,
            "config": Config(),
            "writer": self.writer,
            "readers": [JOTTER],
            "clock": lambda: NOW,
        }
        return Sync(**{**made, **changes})  # type: ignore[arg-type]

    def prompts(self) -> list[str]:
        """Every prompt that is kept, sorted."""
        found = self.writer.connection.execute("SELECT prompt FROM exchange ORDER BY prompt")
        return [prompt for (prompt,) in found]

    def problems(self) -> list[tuple[int, str]]:
        found = self.writer.connection.execute("SELECT offset, reason FROM problem ORDER BY offset, reason")
        return [(offset, reason) for offset, reason in found]
