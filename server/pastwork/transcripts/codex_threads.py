"""Rollouts that belong together: forks and their parents, sub-agents and those that launched them.

A rollout's name ends in its thread's id, so that a related one is found by name. All files are only
looked at; a related file that is gone is simply unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.json import Decoder

from pastwork.transcripts.jsonl import Record, Row, records, rows

_THREAD = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_TURN = re.compile(rb'"turn_id":\s?"([^"]{1,100})"')
_INDEX = "session_index.jsonl"
_ROOTS = ("sessions", "archived_sessions")


class Listed(Struct):
    """A line of ``session_index.jsonl``."""

    id: str = ""
    thread_name: str = ""


_LISTED: Decoder[Listed] = Decoder(Listed)


def thread_in(text: str) -> Iterator[str]:
    """The thread ids that a text names."""
    yield from (found[0] for found in _THREAD.finditer(text))


def thread_of(path: Path) -> str | None:
    """The thread a rollout's name tells of."""
    found = _THREAD.findall(path.name)
    return found[-1] if found else None


def rollout(beside: Path, thread: str) -> Path | None:
    """The rollout of a thread, in the folders around another rollout, its archive included."""
    if not _THREAD.fullmatch(thread):
        return None
    return next((path for folder in _folders(beside) for path in _named(folder, thread) if path != beside), None)


def _folders(beside: Path) -> Iterator[Path]:
    yield beside.parent
    home = next((each.parent for each in beside.parents if each.name in _ROOTS), None)
    if home is not None:
        yield home / _ROOTS[1]
        yield from sorted((home / _ROOTS[0]).glob("*/*/*"), reverse=True)


def _named(folder: Path, thread: str) -> Iterator[Path]:
    for ending in ("jsonl", "jsonl.zst"):
        yield from folder.glob(f"*{thread}.{ending}")


def title(beside: Path, thread: str) -> str:
    """What the index in Codex's home calls a thread: it gets a line with each new name, so the last counts."""
    home = next((each.parent for each in beside.parents if each.name in _ROOTS), None)
    index = home / _INDEX if home is not None else None
    if index is None or not index.is_file():
        return ""
    found = rows(index, _LISTED, wanted=lambda line: thread.encode() in line)
    listed = (row.value for row in found if isinstance(row, Row))
    names = [each.thread_name.strip() for each in listed if each.id == thread and each.thread_name.strip()]
    return names[-1] if names else ""


def turns(path: Path) -> frozenset[str]:
    """The ids of all turns that a rollout mentions."""
    return frozenset(turn for line in _lines(path) for turn in _decoded(_TURN.findall(line)))


def mentions(path: Path, thread: str) -> bool:
    """Whether a rollout says that it launched the thread."""
    return any(thread.encode() in line and b"agent" in line.lower() for line in _lines(path))


def _lines(path: Path) -> Iterator[bytes]:
    yield from (record.data for record in records(path) if isinstance(record, Record))


def _decoded(found: list[bytes]) -> Iterator[str]:
    yield from (each.decode("utf-8", "replace") for each in found)
