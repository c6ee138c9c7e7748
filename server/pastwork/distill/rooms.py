"""Rooms: where exchanges about the same thing meet.

Each exchange proposes ``Candidates`` of its own: files it changed, terms it is about, the kind of
work. ``settle`` looks at the candidates of the whole history and decides the rooms of every exchange.
It is a pure function of that set, so the order of indexing never matters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct

from pastwork.model import Room

K = TypeVar("K")

#: Rooms of one exchange.
MOST = 3


class Term(Struct, frozen=True, array_like=True):
    """A key term: ``key`` is its normal form (words stemmed, joined by ``_``), ``label`` how it reads."""

    key: str
    label: str
    weight: float


class Candidates(Struct, frozen=True):
    """What one exchange proposes; small enough to hold for every exchange of the history."""

    files: tuple[Room, ...] = ()
    concepts: tuple[Term, ...] = ()
    workflow: Room | None = None


def local(candidates: Candidates) -> tuple[Room, ...]:
    """The rooms of an exchange that is looked at alone."""
    concepts = tuple(_room(term) for term in candidates.concepts[:1])
    return _chosen(candidates.files[:1], concepts, candidates.workflow)


def settle(history: Mapping[K, Candidates]) -> dict[K, tuple[Room, ...]]:
    """The rooms of every exchange: one to three, none where an exchange is about nothing."""
    spread: Counter[str] = Counter()
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    for candidates in history.values():
        for term in candidates.concepts:
            spread[term.key] += 1
            labels[term.key][term.label] += 1
    names = {key: min(found, key=lambda label: (-found[label], label)) for key, found in labels.items()}
    ceiling = max(8, len(history) // 25)
    settled: dict[K, tuple[Room, ...]] = {}
    for row, candidates in history.items():
        usable = [term for term in candidates.concepts if 2 <= spread[term.key] <= ceiling]
        ranked = sorted(usable, key=lambda term: (-term.weight, term.key))
        concepts = tuple(_room(Term(term.key, names[term.key], term.weight)) for term in ranked[:2])
        settled[row] = _chosen(candidates.files, concepts, candidates.workflow)
    return settled


def _room(term: Term) -> Room:
    return Room("concept", term.key, term.label, round(term.weight, 3))


def _chosen(files: tuple[Room, ...], concepts: tuple[Room, ...], workflow: Room | None) -> tuple[Room, ...]:
    """One of each kind first, then what is left by relevance."""
    first = [*files[:1], *concepts[:1], *((workflow,) if workflow else ())]
    rest = sorted((*files[1:], *concepts[1:]), key=lambda room: (-room.relevance, room.room_key))
    return tuple((first + rest)[:MOST])
