"""Reads transcripts the way the rest of the program does: whole, or growing with restarts between."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pastwork.model import Exchange, Problem, Session
from pastwork.transcripts.base import Env, Item, Position, Reader, Source, Turn


def items(reader: Reader, path: Path, since: Position | None = None, parts: tuple[Path, ...] = ()) -> list[Item]:
    return list(reader.read(Source(reader.agent, path, parts), since))


def turns(reader: Reader, path: Path, since: Position | None = None, parts: tuple[Path, ...] = ()) -> list[Turn]:
    return [item for item in items(reader, path, since, parts) if isinstance(item, Turn)]


def exchanges(reader: Reader, path: Path, parts: tuple[Path, ...] = ()) -> list[Exchange]:
    return [turn.exchange for turn in turns(reader, path, None, parts)]


def problems(reader: Reader, path: Path) -> list[Problem]:
    return [item for item in items(reader, path) if isinstance(item, Problem)]


def session(reader: Reader, path: Path) -> Session:
    """What is known of the session in the end."""
    return [item for item in items(reader, path) if isinstance(item, Session)][-1]


def found(reader: Reader, home: Path, **variables: str) -> list[Source]:
    return list(reader.locate(Env(home, variables)))


def words(exchange: Exchange, role: str = "assistant") -> list[str]:
    """The texts of one role, in order."""
    return [entry.text for entry in exchange.entries if entry.role == role]


def tools(exchange: Exchange) -> list[tuple[str, str, bool | None]]:
    """Name, summary and success of each tool call."""
    return [(entry.tool.name, entry.tool.summary, entry.tool.ok) for entry in exchange.entries if entry.tool]


def grown(reader: Reader, path: Path, data: bytes, cuts: Iterable[int]) -> list[Exchange]:
    """The exchanges known after a file grew by steps, each step read from the last turn's position."""
    known: dict[str, Exchange] = {}
    since: Position | None = None
    for cut in [*sorted(cuts), len(data)]:
        path.write_bytes(data[:cut])
        for turn in turns(reader, path, since):
            known[turn.exchange.id] = turn.exchange
            since = turn.at
    return list(known.values())
