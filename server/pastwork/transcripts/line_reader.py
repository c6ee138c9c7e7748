"""The read function of an agent that appends JSON lines: the loop that they all share.

    QWEN = FolderReader("qwen", "fixture-only", places, ("*/chats/*.jsonl",), reading("qwen", ROWS, tell))

``tell`` gets the builder and one decoded row, and yields what ``Builder.prompt`` gives.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TypeVar

from msgspec.json import Decoder

from pastwork.model import Problem, Session
from pastwork.transcripts.base import Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.faults import Faults, of_known_kind
from pastwork.transcripts.folders import Read, mtime
from pastwork.transcripts.jsonl import Row, rows

T = TypeVar("T")
Tell = Callable[[Builder, Row[T]], Iterator[Item]]


def stem(path: Path) -> str:
    """The session's id is the file's name."""
    return path.stem


def nothing(build: Builder, source: Source) -> None:
    """For transcripts that say all of themselves."""


def reading(
    agent: str,
    decoder: Decoder[T],
    tell: Tell[T],
    *,
    named: Callable[[Path], str] = stem,
    begin: Callable[[Builder, Source], None] = nothing,
    signs: bool = False,
    kind: Callable[[T], str | None] | None = None,
    known: Collection[str] = (),
    clock: Callable[[], float] = time.time,
) -> Read:
    """A read function that resumes where it is told to.

    ``named`` makes the session's id from the path; ``begin`` tells what files beside the transcript
    know; ``signs`` as in ``Builder.start``. ``kind`` names a row's kind: those that are not ``known`` are
    told, once a kind.
    """

    def read(source: Source, since: Position | None) -> Iterator[Item]:
        session = Session(agent, named(source.path))
        build = Builder.start(session, since, now=clock(), mtime=mtime(source.path), signs=signs)
        build.context(cwd=source.workspace)
        begin(build, source)
        found = rows(source.path, decoder, since.offset if since else 0)
        for row in found if kind is None else of_known_kind(found, Faults(source.path, known), kind):
            if isinstance(row, Problem):
                yield row
            else:
                yield from tell(build, row)
        yield from build.finish()

    return read
