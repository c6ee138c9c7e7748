"""Segments of postings in memory: pure.

A posting list is packed as its places (16 bits each, ascending) and then its frequencies (8 bits
each). When segments are merged is decided here; ``postings.py`` reads and writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Exchanges that become a segment, and segments of one size class that become one of the next.
FLUSH, FAN = 64, 4
#: Places within a segment are 16 bits.
LARGEST = 1 << 16
#: Frequencies are 8 bits; more repetitions say nothing more.
CAP = 255

#: Term -> how often.
Bag = Mapping[str, int]
#: A term's places in one segment and its frequencies there.
Posting = tuple["NDArray[np.uint16]", "NDArray[np.uint8]"]


class Segment(Struct, frozen=True):
    """Rows (ascending) and lengths of one segment, and which of its places are alive."""

    id: int
    rows: NDArray[np.int64]
    lengths: NDArray[np.float32]
    alive: NDArray[np.bool_]
    dead: int


class Flat(Struct, frozen=True):
    """Postings as three parallel arrays: the term's number, the document's place, the frequency."""

    terms: list[str]
    term: NDArray[np.int32]
    place: NDArray[np.int32]
    frequency: NDArray[np.uint8]


def full_class(segments: list[Segment], largest: int) -> list[Segment]:
    """``FAN`` segments of one size class that fit into one of at most ``largest``; empty when there are none."""
    classes: dict[int, list[Segment]] = {}
    for segment in segments:
        size, level = len(segment.rows), 0
        while size >= FLUSH * FAN:
            size, level = size // FAN, level + 1
        group = classes.setdefault(level, [])
        group.append(segment)
        if len(group) == FAN:
            if sum(int(s.alive.sum()) for s in group) <= largest:
                return group
            group.pop(0)
    return []


def unpack(blob: bytes) -> Posting:
    """A term's places and frequencies."""
    import numpy as np

    count = len(blob) // 3
    return np.frombuffer(blob, np.uint16, count), np.frombuffer(blob, np.uint8, count, 2 * count)


def pack(bags: list[tuple[int, Bag]]) -> tuple[Segment, dict[str, bytes]]:
    """Pending documents as a segment in memory, numbered 0, and its packed postings."""
    import numpy as np

    bags.sort(key=lambda item: item[0])
    found: dict[str, tuple[list[int], list[int]]] = {}
    for place, (_, bag) in enumerate(bags):
        for term, count in bag.items():
            places, counts = found.setdefault(term, ([], []))
            places.append(place)
            counts.append(count)
    packed = {term: np.array(p, np.uint16).tobytes() + bytes(c) for term, (p, c) in found.items()}
    rows = np.array([row for row, _ in bags], np.int64)
    lengths = np.array([sum(bag.values()) for _, bag in bags], np.float32)
    return Segment(0, rows, lengths, np.ones(len(bags), np.bool_), 0), packed
