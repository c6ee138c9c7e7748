"""Pieces of a remembered file: consecutive lines, their number and their claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from pastwork.anchor.ledger import Claims


class Fragment(Struct, eq=False):
    """Consecutive lines from 0-based line ``start`` on, and their claims."""

    start: int
    text: str
    claims: Claims

    @property
    def end(self) -> int:
        """The line behind the last."""
        return self.start + len(self.text)

    def holds(self, number: int, length: int) -> bool:
        """Whether all of these lines are in it."""
        return self.start <= number and number + length <= self.end

    def cut(self, at: int) -> Fragment:
        """Takes off the lines from index ``at`` on and gives them."""
        rest = Fragment(self.start + at, self.text[at:], self.claims[at:])
        self.text = self.text[:at]
        del self.claims[at:]
        return rest


class Sighting(NamedTuple):
    """``length`` lines of a hunk from ``place`` on stand in a fragment from ``spot`` on; ``drift`` lines off."""

    length: int
    drift: int
    rank: int
    spot: int
    place: int


def run(text: str, spot: int, old: str, index: int) -> tuple[int, int]:
    """How far the common run around a line reaches back, and its length."""
    before, after = 0, 1
    while spot > before and index > before and text[spot - before - 1] == old[index - before - 1]:
        before += 1
    while spot + after < len(text) and index + after < len(old) and text[spot + after] == old[index + after]:
        after += 1
    return before, before + after


def agree(fragments: Iterable[Fragment], old: str, number: int) -> bool:
    """Whether nothing remembered of the lines from ``number`` on differs from ``old``."""
    end = number + len(old)
    for fragment in fragments:
        low, high = max(number, fragment.start), min(end, fragment.end)
        there = fragment.text[max(0, low - fragment.start) : max(0, high - fragment.start)]
        if low < high and there != old[low - number : high - number]:
            return False
    return True


def sightings(
    fragments: Sequence[Fragment], old: str, number: int, telling: set[str], tries: int
) -> Iterator[Sighting]:
    """Runs of the hunk that are remembered under another number."""
    for index, code in enumerate(old):
        if code not in telling:
            continue
        for rank, fragment in enumerate(fragments):
            spot = fragment.text.find(code)
            for _ in range(tries):
                if spot < 0:
                    break
                drift = fragment.start + spot - number - index
                if drift:
                    before, length = run(fragment.text, spot, old, index)
                    yield Sighting(length, drift, rank, spot - before, index - before)
                spot = fragment.text.find(code, spot + 1)


def close(anchors: Iterable[tuple[int, int]], slack: int) -> list[tuple[int, int]]:
    """The largest part of a chain of anchors whose distances on both sides differ by at most ``slack``."""
    parts: list[list[tuple[int, int]]] = []
    for index, spot in anchors:
        last = parts[-1][-1] if parts else None
        if last and abs(spot - last[1] - (index - last[0])) <= slack:
            parts[-1].append((index, spot))
        else:
            parts.append([(index, spot)])
    return max(parts, key=len, default=[])
