"""The book of written lines: each line an exchange wrote is a claim, with what became of it.

A line that an exchange takes out of one place and puts into another is not new: the claim moves, in
whichever order the two happen, as long as it is one exchange that does both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

#: Stands for an edit or exchange that we do not know.
NOBODY = -1
#: How many places of one line are looked at when it may have moved.
MOST_PLACES = 8


class Claim(Struct, eq=False, gc=False):
    """One line written by edit number ``edit``, and whether it stands after the last edit.

    ``ended_by`` is the exchange that took it out, ``plainly`` says that it put nothing in its place.
    """

    code: str
    edit: int
    stands: bool = True
    ended_by: int = NOBODY
    plainly: bool = False


#: Claims beside the lines of a text; None where a line stood there before any edit we know.
Claims = list[Claim | None]


class Meeting(NamedTuple):
    """``length`` lines from ``at`` on are those from ``start`` on of a stretch in hand, whose claims these are."""

    at: int
    start: int
    length: int
    claims: Claims
    free: list[bool]


class Hand:
    """The stretches one exchange took out, or put in, by their telling lines; each line can be used once."""

    def __init__(self, telling: set[str]) -> None:
        self._telling = telling
        self._held: list[tuple[str, Claims, list[bool]]] = []
        self._spots: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._indexed = 0

    def hold(self, codes: str, claims: Claims) -> None:
        """Keeps a stretch."""
        self._held.append((codes, claims, [True] * len(codes)))

    def meet(self, codes: str) -> Iterator[Meeting]:
        """The stretches in hand that ``codes`` repeats, each used up as it is given."""
        self._index()
        floor = at = 0
        while self._spots and at < len(codes):
            places = self._spots.get(codes[at], [])[-MOST_PLACES:]
            found = [_reach(codes, at, floor, *self._held[held], index) for held, index in places]
            best = max(found, key=lambda meeting: meeting.length, default=None)
            at += 1
            if best and best.length:
                best.free[best.start : best.start + best.length] = [False] * best.length
                floor = at = best.at + best.length
                yield best

    def _index(self) -> None:
        """Of what was held since the last time."""
        for number in range(self._indexed, len(self._held)):
            for index, code in enumerate(self._held[number][0]):
                if code in self._telling:
                    self._spots[code].append((number, index))
        self._indexed = len(self._held)


class Ledger:
    """All claims of one file, and per exchange the telling lines of others that it took out.

    ``exchanges`` gives the exchange of each edit.
    """

    def __init__(self, telling: set[str], exchanges: list[int]) -> None:
        self.claims: list[Claim] = []
        self.taken: dict[int, Counter[str]] = {}
        self._telling = telling
        self._exchanges = exchanges
        self._out: dict[int, Hand] = defaultdict(lambda: Hand(telling))
        self._in: dict[int, Hand] = defaultdict(lambda: Hand(telling))

    def put(self, codes: str, edit: int) -> Claims:
        """Claims for a new stretch; lines that this exchange took out elsewhere keep the claim they had."""
        exchange = self._exchanges[edit]
        fresh = [Claim(code, edit) for code in codes]
        claims: Claims = [*fresh]
        for meeting in self._out[exchange].meet(codes):
            moved = meeting.claims[meeting.start : meeting.start + meeting.length]
            claims[meeting.at : meeting.at + meeting.length] = moved
            for claim in fresh[meeting.at : meeting.at + meeting.length]:
                claim.edit = NOBODY
            self._put_back(moved, codes[meeting.at : meeting.at + meeting.length], exchange)
        self.claims += fresh
        self._in[exchange].hold(codes, claims)
        return claims.copy()

    def take(self, codes: str, claims: Claims, exchange: int, plainly: bool) -> None:
        """Ends the claims of lines taken out; where this exchange had put them elsewhere before, they move there."""
        others = [self.writer(claim) != exchange for claim in claims]
        for code, claim, other in zip(codes, claims, others, strict=True):
            if other and code in self._telling:
                self.taken.setdefault(exchange, Counter())[code] += 1
            if claim is not None:
                claim.stands, claim.ended_by, claim.plainly = False, exchange, plainly
        for meeting in self._in[exchange].meet(codes) if any(others) else ():
            for offset in range(meeting.length):
                _hand_over(claims[meeting.at + offset], meeting.claims[meeting.start + offset])
        self._out[exchange].hold(codes, claims)

    def lose(self, claims: Claims) -> None:
        """Ends claims whose lines are gone by nobody's known hand."""
        for claim in filter(None, claims):
            claim.stands = False

    def writer(self, claim: Claim | None) -> int:
        """The exchange that wrote the line."""
        return NOBODY if claim is None or claim.edit == NOBODY else self._exchanges[claim.edit]

    def _put_back(self, claims: Claims, codes: str, exchange: int) -> None:
        for claim in filter(None, claims):
            claim.stands = True
        if exchange in self.taken:
            self.taken[exchange] -= Counter(codes)


def _reach(codes: str, at: int, floor: int, stretch: str, claims: Claims, free: list[bool], index: int) -> Meeting:
    """The longest common run around one line; of length 0 where that line is used already."""
    if not free[index]:
        return Meeting(at, index, 0, claims, free)
    before = 0
    while at - before > floor and index > before and _same(codes, at - before - 1, stretch, index - before - 1, free):
        before += 1
    after = 1
    while (
        at + after < len(codes)
        and index + after < len(stretch)
        and _same(codes, at + after, stretch, index + after, free)
    ):
        after += 1
    return Meeting(at - before, index - before, before + after, claims, free)


def _same(codes: str, at: int, stretch: str, index: int, free: list[bool]) -> bool:
    return free[index] and codes[at] == stretch[index]


def _hand_over(taken: Claim | None, put: Claim | None) -> None:
    """The line put earlier is the line taken now: its writer is the older one's, and that one is spent."""
    if put is None or not put.stands or put is taken:
        return
    put.edit = NOBODY if taken is None else taken.edit
    if taken is not None:
        taken.edit = NOBODY
