"""The edits of one file replayed: which of their lines should stand, who wrote each, what became of the others.

``remember`` is pure and runs once per store generation; ``attribute.py`` then places the result on
today's text as often as that changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from pastwork.anchor.hunks import Change, change, same_lines
from pastwork.anchor.ledger import NOBODY, Claims, Ledger
from pastwork.anchor.lines import Codes, stretches
from pastwork.anchor.sheet import Sheet
from pastwork.anchor.tally import Tally, tally
from pastwork.model import Action, Edit
from pastwork.store.records import StoredEdit


class Past(Struct, frozen=True):
    """One exchange's part: informative lines ``added`` (its own second thoughts left out), and who took most of them.

    ``removed`` are the informative lines of others that it took out; ``plainly`` says that all it
    added was taken out again with nothing put in its place.
    """

    row: int
    exchange_id: str
    session_id: str
    action: Action
    added: int = 0
    replaced_by: str | None = None
    plainly: bool = False
    removed: str = ""


class Written(Struct, frozen=True):
    """What a remembered line needs to know of its edit: the exchange's index, the time in seconds, how sure it is.

    ``blind`` edits gave a whole content for a file whose earlier content is unknown: any of the lines
    may have been there before.
    """

    past: int
    time: float | None
    blind: bool


class Remembered(Struct, frozen=True):
    """The text the edits lead to, a character a line, and beside it the index in ``edits`` that wrote the line, or -1.

    The first ``ordered`` lines are in the file's order, the place of the others is not known.
    ``pasts`` are in order of their last edit, oldest first.
    """

    codes: Codes
    text: str
    writers: tuple[int, ...]
    ordered: int
    whole: bool
    edits: tuple[Written, ...]
    pasts: tuple[Past, ...]


def remember(edits: Sequence[StoredEdit]) -> Remembered:
    """Replays the edits of one file, given in any order."""
    edits = sorted(edits, key=lambda stored: stored.order)
    ids = list(dict.fromkeys(stored.exchange_id for stored in reversed(edits)))[::-1]
    number = {name: index for index, name in enumerate(ids)}
    replay = Replay([number[stored.exchange_id] for stored in edits])
    for index, stored in enumerate(edits):
        replay.apply(index, stored.edit)
    return replay.result(edits, ids)


def seconds(time: str | None) -> float | None:
    """An ISO 8601 time as seconds since 1970; None where it is none."""
    try:
        return datetime.fromisoformat(time).timestamp() if time else None
    except ValueError:
        return None


class Replay:
    """One pass over the edits of one file; ``exchanges`` gives each edit's exchange."""

    def __init__(self, exchanges: list[int]) -> None:
        self.codes = Codes()
        self.sheet = Sheet(self.codes.informative)
        self.ledger = Ledger(self.codes.informative, exchanges)
        self.blind: set[int] = set()
        self._exchanges = exchanges

    def apply(self, index: int, edit: Edit) -> None:
        """The next edit."""
        if edit.action == "deleted":
            self._take(*self.sheet.everything, index, plainly=True)
            self.sheet.clear()
        elif edit.hunks and is_whole(edit):
            self._overwrite(index, edit)
        else:
            shift = 0
            for hunk in edit.hunks:
                step = change(hunk, self.codes)
                self._step(index, step, None if step.start is None else step.start + shift)
                shift += len(step.new) - len(step.old)

    def _overwrite(self, index: int, edit: Edit) -> None:
        new = self.codes.learn([line[1:] for hunk in edit.hunks for line in hunk.lines if line[:1] == "+"])
        old, claims = self.sheet.everything
        if not self.sheet.whole and edit.action != "created":
            self.blind.add(index)
        kept = same_lines(old, new, self.codes.informative, self.sheet.whole and not self.sheet.loose)
        self.sheet.replace(new, self._rewrite(index, old, claims, new, kept))

    def _step(self, index: int, step: Change, number: int | None) -> None:
        opened = self.sheet.open(step.old, number)
        if step.ends and number is not None:
            self.sheet.tear(opened, len(step.old))
        claims = self._rewrite(index, step.old, opened.claims, step.new, step.kept)
        self.sheet.splice(opened, len(step.old), step.new, claims)

    def _rewrite(self, index: int, old: str, claims: Claims, new: str, kept: Sequence[int]) -> Claims:
        """The claims of the new lines; those of old lines that are not kept end."""
        if not old:
            return self.ledger.put(new, index)
        result: Claims = [claims[place] if place >= 0 else None for place in kept]
        fresh = list(stretches(place < 0 for place in kept))
        plainly = all(self.codes.informative.isdisjoint(new[start:end]) for start, end in fresh)
        stays = set(kept)
        for start, end in stretches(place not in stays for place in range(len(old))):
            self._take(old[start:end], claims[start:end], index, plainly)
        for start, end in fresh:
            result[start:end] = self.ledger.put(new[start:end], index)
        return result

    def _take(self, codes: str, claims: Claims, index: int, plainly: bool) -> None:
        self.ledger.take(codes, claims, self._exchanges[index], plainly)

    def result(self, edits: Sequence[StoredEdit], ids: Sequence[str]) -> Remembered:
        """What is left when all edits are applied."""
        text, claims = self.sheet.everything
        return Remembered(
            codes=self.codes,
            text=text,
            writers=tuple(NOBODY if claim is None else claim.edit for claim in claims),
            ordered=len(self.sheet.text),
            whole=self.sheet.whole,
            edits=tuple(
                Written(past, seconds(stored.edit.time), index in self.blind)
                for index, (past, stored) in enumerate(zip(self._exchanges, edits, strict=True))
            ),
            pasts=tuple(self._pasts(edits, ids)),
        )

    def _pasts(self, edits: Sequence[StoredEdit], ids: Sequence[str]) -> Iterator[Past]:
        tallies = tally(self.ledger.claims, self._exchanges, self.codes.informative)
        first = {stored.exchange_id: stored for stored in reversed(edits)}
        actions: dict[str, list[Action]] = {}
        for stored in edits:
            actions.setdefault(stored.exchange_id, []).append(stored.edit.action)
        for index, name in enumerate(ids):
            told = tallies.get(index, Tally())
            yield Past(
                row=first[name].row,
                exchange_id=name,
                session_id=first[name].session_id,
                action="created" if "created" in actions[name] else actions[name][-1],
                added=told.added,
                replaced_by=None if told.ender == NOBODY else ids[told.ender],
                plainly=not told.room,
                removed="".join(self.ledger.taken.get(index, Counter[str]()).elements()),
            )


def is_whole(edit: Edit) -> bool:
    """Whether the hunks hold the file's whole new content."""
    if edit.evidence == "content":
        return True
    return edit.action == "created" and all(line[:1] == "+" for hunk in edit.hunks for line in hunk.lines)
