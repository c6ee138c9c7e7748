"""Rooms: where exchanges about the same thing meet.

Each exchange proposes candidates of its own: files it changed, phrases it is about, the kind of work.
``settle`` looks at the candidates of the whole history and decides the rooms of every exchange. It is
a pure function of that set, so the order of indexing never matters.

A concept becomes a room when several exchanges propose it and not too many do. Longer phrases lead to
the room of a shorter one that they contain (``shadow branch log`` to ``shadow branch``) where that is
the more common, and spellings that differ in their gaps only (``data base``, ``DataBase``) are one, so
that one topic has one room. A room's key is its label with ``_`` for blanks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import TypeVar

from pastwork.distill.terms import singular
from pastwork.model import Room

K = TypeVar("K")

#: Rooms of one exchange, and concepts among them.
MOST, CONCEPTS = 3, 2
#: The room of an exchange about nothing of its own: a yes, a choice, a go-on.
STEERING = Room("workflow", "steering", "steering", 0.1)
#: Exchanges that make a room; the share of the history, and the number, above which a concept tells nothing.
FEWEST, WIDEST, WIDE = 2, 0.03, 12


def local(candidates: Sequence[Room]) -> tuple[Room, ...]:
    """The rooms of an exchange that is looked at alone."""
    return _chosen(candidates, [_called(room) for room in candidates if room.room_type == "concept"][:1])


def settle(history: Mapping[K, Sequence[Room]]) -> dict[K, tuple[Room, ...]]:
    """The rooms of every exchange from everyone's candidates, one to three."""
    proposed = [room for candidates in history.values() for room in candidates if room.room_type == "concept"]
    spread = Counter([room.room_key for room in proposed])
    whole = _whole(spread, _closed(proposed))
    common: Counter[str] = Counter()
    for key, count in spread.items():
        common[whole[key]] += count
    widest = max(WIDE, int(len(history) * WIDEST))
    leads = _leads(common, widest)
    joined = _joined(history, whole, leads)
    # A room that the longer phrases would make too wide is better without them.
    leads = {key: lead if joined[lead] <= widest else key for key, lead in leads.items()}
    joined = _joined(history, whole, leads)
    tell = {key: log(1 + len(history) / count) for key, count in joined.items() if FEWEST <= count <= widest}
    worth = {key: (leads[whole[key]], tell.get(leads[whole[key]], 0.0)) for key in spread}
    labels = Counter([(room.room_key, room.room_label) for room in proposed])
    names = {key: label for key, label in _names(labels, worth).items() if joined[key] <= widest}
    ranked = {row: _ranked(candidates, worth) for row, candidates in history.items()}
    met = Counter([key for found in ranked.values() for _, key in found[:CONCEPTS]])
    return {
        row: _chosen(candidates, _shared(candidates, ranked[row], met, tell, names, worth))
        for row, candidates in history.items()
    }


def _shared(
    candidates: Sequence[Room],
    ranked: Sequence[tuple[float, str]],
    met: Mapping[str, int],
    tell: Mapping[str, float],
    names: Mapping[str, str],
    worth: Mapping[str, tuple[str, float]],
) -> Sequence[Room]:
    """The concepts where others are met, too; one of its own where the exchange has no other room."""
    shared = [pair for pair in ranked if met[pair[1]] >= FEWEST][:CONCEPTS]
    if not shared and candidates and candidates[0].room_type == candidates[-1].room_type == "concept":
        return _own(candidates, names, worth)
    return [_called(Room("concept", key, names[key], round(-weight / tell[key], 3))) for weight, key in shared]


def _own(
    candidates: Sequence[Room], names: Mapping[str, str], worth: Mapping[str, tuple[str, float]]
) -> Sequence[Room]:
    """The first concept whose room is not too wide, under that room's name."""
    found = ((room, names.get(worth[room.room_key][0])) for room in candidates)
    return [_called(Room("concept", "", label, room.relevance)) for room, label in found if label][:1]


def _called(room: Room) -> Room:
    """The room under a key that reads like its label, not like a stem."""
    return Room(room.room_type, room.room_label.replace(" ", "_"), room.room_label, room.relevance)


def _whole(spread: Mapping[str, int], closed: Mapping[str, str]) -> dict[str, str]:
    """Each key's spelling among those that differ in their gaps only: the most common, gaps in favour."""
    best: dict[str, tuple[int, str]] = {}
    for key, count in spread.items():
        best[closed[key]] = min(best.get(closed[key], (0, "")), (-count * (1 + 2 * key.count("_")), key))
    return {key: best[closed[key]][1] for key in spread}


def _closed(proposed: Sequence[Room]) -> dict[str, str]:
    """Each key's label without gaps and endings, by the label that comes first in the alphabet."""
    labels: dict[str, str] = {}
    for room in proposed:
        labels[room.room_key] = min(labels.get(room.room_key, room.room_label), room.room_label)
    return {key: singular(label.replace(" ", "")) for key, label in labels.items()}


def _leads(spread: Mapping[str, int], widest: int) -> dict[str, str]:
    """Each phrase's room: its most common part of one word less, as long as that is more common and not too wide."""
    leads: dict[str, str] = {}
    for key in sorted(spread, key=lambda key: (key.count("_"), key)):
        parts = key.split("_")
        shorter = ("_".join(parts[:-1]), "_".join(parts[1:])) if len(parts) > 1 else ("",)
        best = max(shorter, key=lambda part: (spread.get(part, 0), part))
        leads[key] = leads[best] if max(spread[key], FEWEST) <= spread.get(best, 0) <= widest else key
    return leads


def _joined(history: Mapping[K, Sequence[Room]], whole: Mapping[str, str], leads: Mapping[str, str]) -> Counter[str]:
    """How many exchanges propose each room."""
    joined: Counter[str] = Counter()
    for candidates in history.values():
        joined.update({leads[whole[room.room_key]] for room in candidates if room.room_type == "concept"})
    return joined


def _names(labels: Mapping[tuple[str, str], int], worth: Mapping[str, tuple[str, float]]) -> dict[str, str]:
    """The most common label of each room, the first by alphabet of equals."""
    names: dict[str, tuple[int, str]] = {}
    for (key, label), count in labels.items():
        room, _ = worth[key]
        if key.count("_") == room.count("_") and (-count, label) < names.get(room, (0, "")):
            names[room] = (-count, label)
    return {key: label for key, (_, label) in names.items()}


def _ranked(candidates: Sequence[Room], worth: Mapping[str, tuple[str, float]]) -> list[tuple[float, str]]:
    """The concept rooms an exchange could be in, best first, by relevance times what the room tells (negated)."""
    found: dict[str, float] = {}
    for room in candidates:
        if room.room_type == "concept":
            key, tells = worth[room.room_key]
            weight = room.relevance * tells
            if weight > found.get(key, 0.0):
                found[key] = weight
    return sorted([(-weight, key) for key, weight in found.items()])


def _chosen(candidates: Iterable[Room], concepts: Sequence[Room]) -> tuple[Room, ...]:
    """One of each kind first, then what is left by relevance; ``candidates`` have the best of each kind first."""
    files = [room for room in candidates if room.room_type == "file"]
    kinds = [room for room in candidates if room.room_type == "workflow"]
    first = [*files[:1], *concepts[:1], *kinds[:1]] or [STEERING]
    if len(first) < MOST:
        rest = [*files[1:], *concepts[1:]]
        first += sorted(rest, key=lambda room: (-room.relevance, room.room_key))[: MOST - len(first)]
    return tuple(first)
