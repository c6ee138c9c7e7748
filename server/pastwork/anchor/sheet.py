"""The file as far as the edits tell it: remembered lines with their claims, in fragments where gaps are unknown.

A sheet is whole once an edit gave the whole content; before that it is a list of fragments in the
order of their line numbers, with ``GAP`` between them.
"""

from __future__ import annotations

from typing import NamedTuple

from pastwork.anchor.align import rising
from pastwork.anchor.ledger import Claims
from pastwork.anchor.lines import GAP

#: Where a fragment without line numbers goes: behind all others.
LAST = 1 << 40
#: Lines by which two anchors' distance in a hunk and on the sheet may differ.
SLACK = 24


class Place(NamedTuple):
    """Lines ``start`` to ``end`` of the sheet are the hunk's old lines from ``old`` to ``old_end``."""

    start: int
    end: int
    old: int
    old_end: int


class Sheet:
    """Mutable: the replay's only state besides the ledger."""

    def __init__(self, telling: set[str]) -> None:
        self.text = ""
        self.claims: Claims = []
        self.whole = False
        self._telling = telling
        self._numbers: list[int] = []

    def replace(self, text: str, claims: Claims) -> None:
        """The whole content at once."""
        self.text, self.claims, self.whole, self._numbers = text, claims, True, [0]

    def clear(self) -> None:
        """The file is gone, or nothing is known of it."""
        self.text, self.claims, self.whole, self._numbers = "", [], False, []

    def splice(self, start: int, end: int, text: str, claims: Claims) -> None:
        """Puts lines in place of others."""
        bridged = self.text.count(GAP, start, end)
        if bridged:
            first = self.text.count(GAP, 0, start)
            del self._numbers[first + 1 : first + 1 + bridged]
        self._shift(self.text.count(GAP, 0, start) + 1, len(text) - (end - start))
        self.text = self.text[:start] + text + self.text[end:]
        self.claims[start:end] = claims

    def add(self, text: str, claims: Claims, number: int | None) -> None:
        """A fragment of its own, where its line number (0-based) puts it."""
        if not self.text:
            self._numbers = []
        number = LAST if number is None else number
        rank = sum(known <= number for known in self._numbers)
        at = self._starts()[rank] if rank < len(self._numbers) else len(self.text)
        if at == len(self.text):
            text, claims = (GAP + text, [None, *claims]) if self.text else (text, claims)
        else:
            text, claims = text + GAP, [*claims, None]
        self.text = self.text[:at] + text + self.text[at:]
        self.claims[at:at] = claims
        self._numbers.insert(rank, number)

    def find(self, old: str, number: int | None) -> Place | None:
        """Where the old lines of a hunk stand exactly, else where most of them do; None where they are unknown."""
        start = self._exact(old, number)
        return self._nearly(old) if start is None else Place(start, start + len(old), 0, len(old))

    def _exact(self, old: str, number: int | None) -> int | None:
        if self.whole and number is not None and self.text.startswith(old, number):
            return number
        if self._telling.isdisjoint(old) and not self.whole:
            return None
        spots: list[int] = []
        at = self.text.find(old)
        while at >= 0:
            spots.append(at)
            at = self.text.find(old, at + 1)
        return min(spots, key=lambda spot: abs(spot - (number or 0)), default=None)

    def _nearly(self, old: str) -> Place | None:
        """Telling lines that occur once in hunk and sheet, in order and about as far apart, then their neighbours."""
        anchors = [
            (index, self.text.find(code))
            for index, code in enumerate(old)
            if code in self._telling and old.count(code) == 1 and self.text.count(code) == 1
        ]
        chain = _densest(rising(anchors))
        if not chain:
            return None
        (old_start, start), (old_end, end) = chain[0], chain[-1]
        while old_start and start and old[old_start - 1] == self.text[start - 1]:
            old_start, start = old_start - 1, start - 1
        while old_end + 1 < len(old) and end + 1 < len(self.text) and old[old_end + 1] == self.text[end + 1]:
            old_end, end = old_end + 1, end + 1
        return Place(start, end + 1, old_start, old_end + 1)

    def _starts(self) -> list[int]:
        starts, at = [0], self.text.find(GAP)
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find(GAP, at + 1)
        return starts

    def _shift(self, rank: int, by: int) -> None:
        if by:
            self._numbers[rank:] = [number + by for number in self._numbers[rank:]]


def _densest(chain: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The largest part of the chain within which the distances on both sides agree."""
    parts: list[list[tuple[int, int]]] = []
    for index, spot in chain:
        last = parts[-1][-1] if parts else None
        if last and abs((spot - last[1]) - (index - last[0])) <= SLACK:
            parts[-1].append((index, spot))
        else:
            parts.append([(index, spot)])
    return max(parts, key=len, default=[])
