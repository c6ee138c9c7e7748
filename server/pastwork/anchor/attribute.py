"""Which exchange wrote which line of a text: the one entry to this stage.

``remember(edits)`` (``remembered.py``) replays the edits once per store generation; ``attribute`` places
what they left on the text that is open now and is cheap enough to run while somebody types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pastwork.anchor.align import Block, align, merge
from pastwork.anchor.attribution import Attribution, Run, Work
from pastwork.anchor.ledger import NOBODY
from pastwork.anchor.lines import GAP, TAKEN, split, stretches
from pastwork.anchor.remembered import Past, Remembered, remember
from pastwork.anchor.witness import Witness, judge
from pastwork.store.records import StoredEdit

#: A line that occurs more often than this in a text tells no place in it.
OFTEN = 3


def attribute(text: str, edits: Sequence[StoredEdit] | Remembered, witness: Witness | None = None) -> Attribution:
    """The attribution of ``text`` under the edits of its file (any order); ``witness`` from ``blame.py``."""
    remembered = edits if isinstance(edits, Remembered) else remember(edits)
    lines = split(text)
    today = remembered.codes.known(lines)
    counts = Counter(today)
    telling = {code for code in remembered.codes.informative if 0 < counts[code] <= OFTEN}
    blocks = match(remembered, today, telling)
    writers = [NOBODY] * len(today)
    for block in blocks:
        writers[block.new : block.new + block.length] = remembered.writers[block.old : block.old + block.length]
    denied = _veto(writers, lines, remembered, witness)
    runs = tuple(_telling_runs(writers, today, remembered))
    return Attribution(len(lines), runs, tuple(_works(runs, today, writers, remembered)), denied)


def match(remembered: Remembered, today: str, telling: set[str]) -> list[Block]:
    """Remembered lines on today's, each block holding a telling line: in order first, then what has moved."""
    ordered = align(remembered.text[: remembered.ordered], today, remembered.whole)
    blocks = [block for block in ordered if _tells(block, today, telling)]
    return merge(blocks + list(_moved(remembered.text, today, blocks, telling)))


def _tells(block: Block, today: str, telling: set[str]) -> bool:
    return not telling.isdisjoint(today[block.new : block.new + block.length])


def _moved(old: str, today: str, blocks: Iterable[Block], telling: set[str]) -> Iterator[Block]:
    """Runs elsewhere in the text around lines that occur once on both sides."""
    left, right = list(old), list(today)
    for block in blocks:
        left[block.old : block.old + block.length] = GAP * block.length
        right[block.new : block.new + block.length] = TAKEN * block.length
    common = telling.intersection(left, right)
    once = _once(old, common) & _once(today, common)
    place = {code: index for index, code in enumerate(right) if code in once}
    for index, code in enumerate(left):
        if code in once and right[place[code]] == code and left[index] == code:
            yield _grow(left, right, index, place[code])


def _once(text: str, codes: set[str]) -> set[str]:
    counts = Counter(text) if codes else {}
    return {code for code in codes if counts[code] == 1}


def _grow(left: list[str], right: list[str], i: int, j: int) -> Block:
    """The longest run around one common line; its lines are used up."""
    before, after = 0, 1
    while i > before and j > before and left[i - before - 1] == right[j - before - 1]:
        before += 1
    while i + after < len(left) and j + after < len(right) and left[i + after] == right[j + after]:
        after += 1
    block = Block(i - before, j - before, before + after)
    left[block.old : block.old + block.length] = GAP * block.length
    right[block.new : block.new + block.length] = TAKEN * block.length
    return block


def _veto(
    writers: list[int], lines: list[str], remembered: Remembered, witness: Witness | None
) -> tuple[tuple[int, int], ...]:
    """Takes back what the witness denies, and without one what a blind edit says; gives what was denied.

    Where git knows the file but not the line, nobody had committed it before, so a blind edit is believed.
    """
    makers = witness.makers_of(lines) if witness else [None] * len(lines)
    denied = [False] * len(lines)
    for index, writer in enumerate(writers):
        if writer == NOBODY:
            continue
        edit = remembered.edits[writer]
        word = judge(makers[index], edit.time)
        denied[index] = word == "denies"
        if denied[index] or (edit.blind and witness is None):
            writers[index] = NOBODY
    return tuple((start + 1, end) for start, end in stretches(denied))


def _telling_runs(writers: list[int], today: str, remembered: Remembered) -> Iterator[Run]:
    """Consecutive lines of one exchange, but for runs that say nothing."""
    first, owner = 0, NOBODY
    for index, writer in enumerate([*writers, NOBODY]):
        past = NOBODY if writer == NOBODY else remembered.edits[writer].past
        if past == owner:
            continue
        if owner != NOBODY:
            if remembered.codes.informative.isdisjoint(today[first:index]):
                writers[first:index] = [NOBODY] * (index - first)
            else:
                yield Run(first + 1, index, remembered.pasts[owner].exchange_id)
        first, owner = index, past


def _works(runs: Sequence[Run], today: str, writers: Sequence[int], remembered: Remembered) -> Iterator[Work]:
    lines: dict[str, list[tuple[int, int]]] = {}
    for run in runs:
        lines.setdefault(run.exchange_id, []).append((run.first, run.last))
    telling = remembered.codes.informative
    stand = Counter([writer for code, writer in zip(today, writers, strict=True) if writer >= 0 and code in telling])
    standing = Counter[int]()
    for writer, count in stand.items():
        standing[remembered.edits[writer].past] += count
    present = set(today)
    for index in reversed(range(len(remembered.pasts))):
        past = remembered.pasts[index]
        yield Work(
            row=past.row,
            exchange_id=past.exchange_id,
            session_id=past.session_id,
            action=past.action,
            added=past.added,
            standing=standing[index],
            lines=tuple(lines.get(past.exchange_id, ())),
            replaced_by=past.replaced_by,
            undone=not standing[index] and _undone(past, present),
        )


def _undone(past: Past, present: set[str]) -> bool:
    """Nothing of it stands, and what it had taken out is back; where it took nothing, nothing took its place."""
    if past.removed:
        return present.issuperset(past.removed)
    return past.added > 0 and past.plainly
