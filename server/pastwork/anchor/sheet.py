"""The file as far as the edits tell it: remembered lines with their claims, in numbered fragments.

Before an edit shows the whole content, only the surroundings of edits are known. Line numbers keep
fragments apart and in order; where a numbered hunk contradicts what is remembered, somebody else
changed the file meanwhile, and the lines from there on are renumbered by what the hunk shows.
Lines without a number, or torn out by a change nobody recorded, are held loose.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from pastwork.anchor.align import align, rising
from pastwork.anchor.fragments import Fragment, Sighting, agree, close, run, sightings
from pastwork.anchor.ledger import Claims
from pastwork.anchor.lines import GAP

#: Places of one line that are tried when a hunk is not where its number says.
MOST_TRIES = 8
#: Lines a file may have drifted by on the word of one or two lines; more takes a longer run.
NEAR = 48
#: Telling lines of a hunk that are believed against its number where nothing else is known of that place.
SURE = 3
#: Lines between the lines of one unnumbered hunk that may have gone since.
SLACK = 8


class Opened(NamedTuple):
    """A hunk's old lines as part of one fragment, and those claims of them that are known."""

    fragment: Fragment
    at: int
    claims: Claims


class Sheet:
    """Mutable: the replay's only state besides the ledger."""

    def __init__(self, telling: set[str]) -> None:
        self.fragments: list[Fragment] = []
        self.loose: list[Fragment] = []
        self.whole = False
        self._telling = telling

    @property
    def text(self) -> str:
        """The numbered lines, fragments apart."""
        return GAP.join(fragment.text for fragment in self.fragments)

    @property
    def everything(self) -> tuple[str, Claims]:
        """All lines, first the numbered ones, then the loose, fragments apart; and the claims beside them."""
        every = [*self.fragments, *self.loose]
        claims: Claims = []
        for index, fragment in enumerate(every):
            claims += [None, *fragment.claims] if index else fragment.claims
        return GAP.join(fragment.text for fragment in every), claims

    def replace(self, text: str, claims: Claims) -> None:
        """The whole content at once."""
        self.fragments, self.loose, self.whole = [Fragment(0, text, claims)], [], True

    def clear(self) -> None:
        """The file is gone."""
        self.fragments, self.loose, self.whole = [], [], False

    def open(self, old: str, number: int | None) -> Opened:
        """Makes the old lines of a hunk stand together; ``number`` is the 0-based line they begin at."""
        if number is None:
            return self._open_by_text(old)
        low, high = self._meeting(number, number + len(old))
        agreed = agree(self.fragments[low:high], old, number)
        if agreed and high - low == 1 and self.fragments[low].holds(number, len(old)):
            fragment, at = self.fragments[low], number - self.fragments[low].start
            return Opened(fragment, at, fragment.claims[at : at + len(old)])
        if not agreed:
            self._renumber(self._sighted(old, number, 0, len(self.fragments)))
        elif sum(code in self._telling for code in old) >= SURE and not self._holds(number, len(old)):
            low, high = self._meeting(number - NEAR, number + len(old) + NEAR)
            self._renumber([seen for seen in self._sighted(old, number, low, high) if seen.length == len(old)])
        return self._cover(old, number)

    def splice(self, opened: Opened, length: int, text: str, claims: Claims) -> None:
        """Puts lines in place of ``length`` old ones; numbered lines behind move."""
        fragment, at, _ = opened
        fragment.text = fragment.text[:at] + text + fragment.text[at + length :]
        fragment.claims[at : at + length] = claims
        if fragment in self.fragments:
            for later in self.fragments[self.fragments.index(fragment) + 1 :]:
                later.start += len(text) - length

    def tear(self, opened: Opened, length: int) -> None:
        """The hunk ends the file: what is remembered behind it has gone."""
        rest = self.fragments.index(opened.fragment) + 1
        self._loosen([opened.fragment.cut(opened.at + length), *self.fragments[rest:]])
        del self.fragments[rest:]

    # numbered hunks

    def _meeting(self, start: int, end: int) -> tuple[int, int]:
        """The ranks of the fragments that hold or touch lines ``start`` to ``end``, as [first, behind the last)."""
        high = bisect_right(self.fragments, end, key=_start)
        low = bisect_right(self.fragments, start, 0, high, key=_start)
        while low and self.fragments[low - 1].end >= start:
            low -= 1
        return low, high

    def _holds(self, number: int, length: int) -> bool:
        """Whether any of these lines is remembered."""
        low, high = self._meeting(number, number + length)
        return any(f.start < number + length and number < f.end for f in self.fragments[low:high])

    def _sighted(self, old: str, number: int, low: int, high: int) -> list[Sighting]:
        """Runs of the hunk that are remembered under another number, by fragments of these ranks."""
        return [
            sighting._replace(rank=sighting.rank + low)
            for sighting in sightings(self.fragments[low:high], old, number, self._telling, MOST_TRIES)
            if abs(sighting.drift) <= NEAR or sighting.length > 2
        ]

    def _renumber(self, found: list[Sighting]) -> None:
        """Lets the numbers from the best sighting on follow the hunk."""
        if not found:
            return
        best: Sighting = max(found, key=lambda sighting: (sighting.length, -abs(sighting.drift)))
        behind = self.fragments[best.rank].cut(best.spot)
        for later in (behind, *self.fragments[best.rank + 1 :]):
            later.start -= best.drift
        self.fragments.insert(best.rank + 1, behind)
        for fragment in self.fragments[: best.rank + 1]:
            if fragment.end > behind.start:
                self._loosen([fragment.cut(max(0, behind.start - fragment.start))])
        self.fragments = [fragment for fragment in self.fragments if fragment.text]

    def _cover(self, old: str, number: int) -> Opened:
        """One fragment that holds the hunk's old lines and all that is remembered next to them."""
        end = number + len(old)
        low, high = self._meeting(number, end)
        known: Claims = [None] * len(old)
        head, tail = Fragment(number, "", []), Fragment(end, "", [])
        for fragment in self.fragments[low:high]:
            if fragment.end > end:
                tail = fragment.cut(max(0, end - fragment.start))
            inner = fragment.cut(max(0, number - fragment.start))
            if fragment.text:
                head = fragment
            self._take_over(inner, old, number, known)
        merged = Fragment(head.start, head.text + old + tail.text, [*head.claims, *known, *tail.claims])
        self.fragments[low:high] = [merged]
        return Opened(merged, len(head.text), known)

    def _take_over(self, inner: Fragment, old: str, number: int, known: Claims) -> None:
        """Claims of the lines that the hunk shows as they are remembered; the others have gone."""
        gone = Fragment(0, "", [])
        for index, (code, claim) in enumerate(zip(inner.text, inner.claims, strict=True), inner.start - number):
            if old[index] == code:
                known[index] = claim
            else:
                gone.text += code
                gone.claims.append(claim)
        self._loosen([gone])

    def _loosen(self, gone: list[Fragment]) -> None:
        self.loose += [fragment for fragment in gone if not self._telling.isdisjoint(fragment.text)]

    # unnumbered hunks

    def _open_by_text(self, old: str) -> Opened:
        every = [*self.fragments, *self.loose]
        if old and (self.whole or not self._telling.isdisjoint(old)):
            for fragment in every:
                at = fragment.text.find(old)
                if at >= 0:
                    return Opened(fragment, at, fragment.claims[at : at + len(old)])
        return self._nearly(old, every) or self._apart(old)

    def _nearly(self, old: str, every: list[Fragment]) -> Opened | None:
        """Where telling lines stand that occur once in the hunk and on the sheet."""
        once = [
            (index, code)
            for index, code in enumerate(old)
            if code in self._telling and old.count(code) == 1 == sum(f.text.count(code) for f in every)
        ]
        best: list[tuple[int, int]] = []
        home: Fragment | None = None
        for fragment in every if once else ():
            spots = [(index, fragment.text.find(code)) for index, code in once]
            chain = close(rising([pair for pair in spots if pair[1] >= 0]), SLACK)
            if len(chain) > len(best):
                best, home = chain, fragment
        return None if home is None else self._overlay(old, home, best)

    def _overlay(self, old: str, fragment: Fragment, chain: list[tuple[int, int]]) -> Opened:
        """Puts the hunk's old lines over those that the chain spans; they keep the claims of the lines they repeat."""
        (first, spot), (last, spot_end) = chain[0], chain[-1]
        before, _ = run(fragment.text, spot, old, first)
        back, length = run(fragment.text, spot_end, old, last)
        first, start, end = first - before, spot - before, spot_end + length - back
        there, claims = fragment.text[start:end], fragment.claims[start:end]
        known: Claims = [None] * len(old)
        gone = Fragment(0, there, claims.copy())
        for block in align(there, old[first : last + length - back]):
            known[first + block.new : first + block.new + block.length] = claims[block.old : block.old + block.length]
            gone.text = gone.text[: block.old] + GAP * block.length + gone.text[block.old + block.length :]
        self._loosen([gone])
        fragment.text = fragment.text[:start] + old + fragment.text[end:]
        fragment.claims[start:end] = known
        return Opened(fragment, start, known)

    def _apart(self, old: str) -> Opened:
        claims: Claims = [None] * len(old)
        self.loose.append(Fragment(0, old, claims))
        return Opened(self.loose[-1], 0, claims.copy())


def _start(fragment: Fragment) -> int:
    return fragment.start
