"""Rooms: where exchanges about the same thing meet.

Each exchange proposes candidates of its own: files it changed, terms it is about, the kind of work.
``settle`` looks at the candidates of the whole history and decides the rooms of every exchange. It is
a pure function of that set, so the order of indexing never matters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from pastwork.model import Room

K = TypeVar("K")

#: Rooms of one exchange.
MOST = 3


def local(candidates: Sequence[Room]) -> tuple[Room, ...]:
    """The rooms of an exchange that is looked at alone."""
    return _chosen(candidates)


def settle(history: Mapping[K, Sequence[Room]]) -> dict[K, tuple[Room, ...]]:
    """The rooms of every exchange from everyone's candidates: at most three, none for an exchange about nothing."""
    spread: Counter[str] = Counter()
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    for candidates in history.values():
        for room in candidates:
            if room.room_type == "concept":
                spread[room.room_key] += 1
                labels[room.room_key][room.room_label] += 1
    names = {key: min(found, key=lambda label: (-found[label], label)) for key, found in labels.items()}
    ceiling = max(8, len(history) // 25)
    settled: dict[K, tuple[Room, ...]] = {}
    for row, candidates in history.items():
        kept = [
            replace(room, room_label=names[room.room_key]) if room.room_type == "concept" else room
            for room in candidates
            if room.room_type != "concept" or 2 <= spread[room.room_key] <= ceiling
        ]
        settled[row] = _chosen(kept)
    return settled


def _chosen(candidates: Sequence[Room]) -> tuple[Room, ...]:
    """One of each kind first, then what is left by relevance."""
    ranked = sorted(candidates, key=lambda room: (-room.relevance, room.room_key))
    by_kind = {kind: [room for room in ranked if room.room_type == kind] for kind in ("file", "concept", "workflow")}
    first = [room for kind in by_kind.values() for room in kind[:1]]
    rest = [*by_kind["file"][1:], *by_kind["concept"][1:]]
    return tuple((first + sorted(rest, key=lambda room: (-room.relevance, room.room_key)))[:MOST])
