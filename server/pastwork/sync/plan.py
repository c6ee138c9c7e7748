"""What there is to read: every located transcript against what was noted when it was read last."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from pastwork.store.records import SourceState
from pastwork.sync import stamp as stamps
from pastwork.sync.sources import Found
from pastwork.transcripts.base import Position, Source

#: The stamp of a file that can't be read; such a file is only looked at, not read, until it can.
ODD = stamps.encode(stamps.Stamp("odd", ()))

Known = Mapping[tuple[str, str], SourceState]


class Job(Struct, frozen=True):
    """One transcript to read: from ``since`` on, or from the start; ``size`` bytes, last changed at ``newest`` (ns)."""

    found: Found
    state: SourceState | None
    since: Position | None
    size: int
    newest: int


def jobs(found: Iterable[Found], known: Known, reader: str) -> list[Job]:
    """The transcripts that changed, the latest first: recent work is asked for soonest."""
    todo = []
    for each in found:
        state = known.get((each.source.agent, str(each.source.path)))
        change = change_of(each, state, reader)
        if change != "same":
            todo.append(Job(each, state, _since(each.source, state, change, reader), *_size_and_time(each.source.path)))
    todo.sort(key=lambda job: (-job.newest, str(job.found.source.path)))
    return todo


def change_of(found: Found, state: SourceState | None, reader: str) -> stamps.Change:
    """What happened to one transcript; a first reading that was cut short goes on where it stopped."""
    if state is None:
        return "new"
    path, parts = found.source.path, found.source.parts
    try:
        if state.stamp == ODD:
            stamps.mark(path)
            return "new"
        change = stamps.compare(stamps.decode(state.stamp), path, parts, reader)
    except stamps.Odd:
        return "same" if state.stamp == ODD else "new"
    except FileNotFoundError:
        return "same"
    return "grown" if change == "same" and not state.done else change


def gone(found: Iterable[Found], known: Known) -> list[int]:
    """The transcripts that were there and are not; one that is only not looked for is not gone."""
    here = {(each.source.agent, str(each.source.path)) for each in found}
    return [
        state.id
        for key, state in known.items()
        if key not in here and state.gone_at is None and not os.path.lexists(state.path)
    ]


def back(found: Iterable[Found], known: Known) -> list[int]:
    """The transcripts that were gone and are there again."""
    keys = ((each.source.agent, str(each.source.path)) for each in found)
    return [known[key].id for key in keys if key in known and known[key].gone_at is not None]


def _since(source: Source, state: SourceState | None, change: stamps.Change, reader: str) -> Position | None:
    """Where reading goes on: where it was left in a file that grew or a database whose position still holds."""
    if state is None or not (state.carry or state.offset):
        return None
    if change == "grown" or _holds(source, state, reader):
        return Position(state.offset, state.carry)
    return None


def _holds(source: Source, state: SourceState, reader: str) -> bool:
    """Whether the position of a database that was read whole by this program still means what it meant."""
    old = stamps.decode(state.stamp) if state.done and source.in_place else None
    return old is not None and old.reader == reader


def _size_and_time(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
