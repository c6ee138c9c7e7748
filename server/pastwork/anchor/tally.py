"""What became of each exchange's lines, counted over the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from msgspec import Struct, field

from pastwork.anchor.ledger import NOBODY, Claim


class Tally(Struct):
    """``added`` informative lines, those it replaced itself left out; ``enders`` counts who took lines out.

    ``room`` tells whether something stands where its lines were: they do, or others took their place.
    """

    added: int = 0
    enders: Counter[int] = field(default_factory=Counter)
    room: bool = False

    @property
    def ender(self) -> int:
        """Who took out more than half of what was added, or ``NOBODY``."""
        ender, count = next(iter(self.enders.most_common(1)), (NOBODY, 0))
        return ender if 2 * count > self.added else NOBODY


def tally(claims: Sequence[Claim], exchanges: Sequence[int], telling: Collection[str]) -> dict[int, Tally]:
    """By exchange; ``exchanges`` gives the exchange of each edit."""
    told = [claim for claim in claims if claim.code in telling and claim.edit != NOBODY]
    found: dict[int, Tally] = {}
    for edit, count in Counter([claim.edit for claim in told if claim.stands]).items():
        entry = found.setdefault(exchanges[edit], Tally())
        entry.added += count
        entry.room = True
    for claim in told:
        if not claim.stands:
            _count_ended(found.setdefault(exchanges[claim.edit], Tally()), claim, exchanges[claim.edit])
    return found


def _count_ended(entry: Tally, claim: Claim, writer: int) -> None:
    entry.room |= not claim.plainly
    if claim.ended_by == writer:
        return
    entry.added += 1
    if claim.ended_by != NOBODY:
        entry.enders[claim.ended_by] += 1
