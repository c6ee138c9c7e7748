"""Today's text with what one exchange wrote put back: the left side of a comparison with now.

In: today's text and the edits that the exchange made to this file. The edits are replayed on a sheet
of lines told apart by every character; what they leave is laid over the lines of today that it
corresponds to (``attribute.match``). All else stays as it is today, so that a comparison
shows what became of this exchange's work and nothing else.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import takewhile

from msgspec import Struct

from pastwork.anchor.align import rising
from pastwork.anchor.attribute import OFTEN, match
from pastwork.anchor.hunks import change
from pastwork.anchor.ledger import Claim, Claims
from pastwork.anchor.lines import GAP, TAKEN, Codes, informative, split
from pastwork.anchor.remembered import Remembered, is_whole
from pastwork.anchor.sheet import Sheet
from pastwork.model import Edit
from pastwork.store.records import StoredEdit

#: Share of common characters (``difflib``) from which two lines count as versions of one.
ALIKE = 0.7
#: Pairs of lines compared by likeness at the most (about a second).
MOST_COMPARED = 100_000


class Written(Struct, frozen=True):
    """``text`` has today's line ends. ``by_number`` changes left no trace today and are put where they were made.

    ``left_out`` changes have no known place; ``deleted`` says that the exchange deleted the file.
    """

    text: str
    by_number: int = 0
    left_out: int = 0
    deleted: bool = False


class _Piece(Struct):
    """Consecutive lines as the exchange left them; ``own`` are those it wrote, the others it only saw.

    ``start`` is the 0-based line they began at, None where that is not known; ``pairs`` are (line here, line today).
    """

    start: int | None
    lines: list[str]
    own: list[bool]
    pairs: list[tuple[int, int]]


class _Patch(Struct, order=True):
    """Lines in place of today's [start, end)."""

    start: int
    end: int
    lines: list[str]


class _Verbatim(Codes):
    """Codes that tell lines apart by every character, and give them back."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, str] = {}

    def learn(self, lines: Sequence[str]) -> str:
        find = self._codes.get
        text = "".join(chr(find(hash(line)) or self._learn(hash(line), line)) for line in lines)
        self.lines.update(zip(text, lines, strict=True))
        return text


def as_written(text: str, edits: Sequence[StoredEdit]) -> Written:
    """``edits`` are those of one exchange to one file, in any order."""
    made = [stored.edit for stored in sorted(edits, key=lambda stored: stored.order)]
    if made and made[-1].action == "deleted":
        return Written("", deleted=True)
    codes = _Verbatim()
    sheet = Sheet(codes.informative)
    for edit in made:
        _apply(edit, sheet, codes)
    pieces = _pieces(sheet, codes)
    if sheet.whole and len(pieces) == 1:
        return Written(_joined(pieces[0].lines, text))
    today = split(text)
    moved = _place(pieces, today)
    return _laid_over(pieces, today, moved, text)


def _apply(edit: Edit, sheet: Sheet, codes: Codes) -> None:
    """Each line that is put is claimed; who else wrote it before does not matter here."""
    if edit.action == "deleted":
        sheet.clear()
    elif edit.hunks and is_whole(edit):
        new = codes.learn([line[1:] for hunk in edit.hunks for line in hunk.lines if line[:1] == "+"])
        sheet.replace(new, [Claim(code, 0) for code in new])
    else:
        shift = 0
        for hunk in edit.hunks:
            step = change(hunk, codes)
            number = None if step.start is None else step.start + shift
            opened = sheet.open(step.old, number)
            if step.ends and number is not None:
                sheet.tear(opened, len(step.old))
            claims: Claims = [
                opened.claims[kept] if kept >= 0 else Claim(code, 0)
                for code, kept in zip(step.new, step.kept, strict=True)
            ]
            sheet.splice(opened, len(step.old), step.new, claims)
            shift += len(step.new) - len(step.old)


def _pieces(sheet: Sheet, codes: _Verbatim) -> list[_Piece]:
    """Numbered ones first, in order."""
    numbered = [(fragment.start, fragment) for fragment in sheet.fragments]
    found = [*numbered, *((None, fragment) for fragment in sheet.loose)]
    return [
        _Piece(
            start,
            [codes.lines.get(code, "") for code in fragment.text],
            [claim is not None for claim in fragment.claims],
            [],
        )
        for start, fragment in found
        if GAP not in fragment.text
    ]


def _place(pieces: list[_Piece], today: Sequence[str]) -> set[int]:
    """Pairs the pieces' lines with today's; gives today's lines that stood elsewhere then."""
    codes = Codes()
    learned = [codes.learn(piece.lines) for piece in pieces]
    known = codes.known(today)
    for index, piece in enumerate(pieces):
        start, end = piece.start or 0, (piece.start or 0) + len(piece.lines)
        if piece.start is not None and known[start:end] == learned[index]:
            piece.pairs = list(enumerate(range(start, end)))
            learned[index] = GAP * len(piece.lines)
            known = known[:start] + TAKEN * len(piece.lines) + known[end:]
    moved = _match(pieces, learned, known, codes)
    taken = moved.union(*({new for _, new in piece.pairs} for piece in pieces))
    budget = MOST_COMPARED // max(1, len(today))
    for piece in pieces:
        if not piece.pairs:
            looked_for = [index for index, own in enumerate(piece.own) if own and informative(piece.lines[index])]
            found = [(index, _most_alike(piece.lines[index], today, taken)) for index in looked_for[:budget]]
            piece.pairs = rising([(index, place) for index, place in found if place >= 0])
            budget -= len(found)
    return moved


def _match(pieces: list[_Piece], learned: list[str], known: str, codes: Codes) -> set[int]:
    """Pairs what is not paired by ``attribute.match``; gives today's lines of what has moved away."""
    counts = Counter(known)
    telling = {code for code in codes.informative if 0 < counts[code] <= OFTEN}
    ordered = GAP.join(text for text, piece in zip(learned, pieces, strict=True) if piece.start is not None)
    # The rest of the file is not known: its ends are no anchors.
    remembered = Remembered(codes, GAP.join(learned), (), len(ordered), False, (), ())
    blocks = match(remembered, known, telling)
    pairs = [(block.old + step, block.new + step) for block in blocks for step in range(block.length)]
    moved: set[int] = set()
    begin = 0
    for piece in pieces:
        within = [(old - begin, new) for old, new in pairs if begin <= old < begin + len(piece.lines)]
        if not piece.pairs:
            piece.pairs = _in_place(within, piece.own)
            moved.update({new for old, new in within if piece.own[old]} - {new for _, new in piece.pairs})
        begin += len(piece.lines) + 1
    return moved


def _in_place(pairs: list[tuple[int, int]], own: Sequence[bool]) -> list[tuple[int, int]]:
    """The pairs in one order; lines that the exchange only saw say where the place is."""
    seen = rising([pair for pair in pairs if not own[pair[0]]])
    fitting = []
    for pair in pairs:
        at = bisect_left(seen, pair)
        before, after = seen[max(0, at - 1) : at], seen[at : at + 1]
        if own[pair[0]] and all(one[1] < pair[1] for one in before) and all(pair[1] < one[1] for one in after):
            fitting.append(pair)
    return rising(sorted([*seen, *fitting]))


def _most_alike(line: str, today: Sequence[str], taken: set[int]) -> int:
    """The free line that is most likely a version of ``line``, or -1."""
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(line.strip())
    best, place = ALIKE, -1
    for number, other in enumerate(today):
        matcher.set_seq1(other.strip())
        if number in taken or matcher.real_quick_ratio() <= best or matcher.quick_ratio() <= best:
            continue
        if (ratio := matcher.ratio()) > best:
            best, place = ratio, number
    return place


def _laid_over(pieces: Sequence[_Piece], today: list[str], moved: set[int], text: str) -> Written:
    patches: list[_Patch] = []
    by_number = left_out = drift = 0
    for piece in pieces:
        if piece.pairs:
            patches.append(_over(piece, today))
            if piece.start is not None:
                drift = piece.pairs[0][1] - piece.start - piece.pairs[0][0]
        elif piece.start is not None and any(piece.own):
            first, last = _own_ends(piece)
            at = min(max(0, piece.start + first + drift), len(today))
            patches.append(_Patch(at, at, piece.lines[first : last + 1]))
            by_number += 1
        elif any(piece.own):
            left_out += 1
    lines, overlapping = _patched(today, patches, moved)
    return Written(_joined(lines, text), by_number, left_out + overlapping)


def _over(piece: _Piece, today: Sequence[str]) -> _Patch:
    """The piece over the lines it corresponds to; at its ends only what the exchange wrote."""
    (first, start), (last, end) = piece.pairs[0], piece.pairs[-1]
    stand = dict(piece.pairs)
    body = [
        today[stand[index]] if index in stand and not piece.own[index] else piece.lines[index]
        for index in range(first, last + 1)
    ]
    own_first, own_last = _own_ends(piece)
    head = piece.lines[own_first:first]
    tail = piece.lines[last + 1 : own_last + 1]
    start -= _versions(head[::-1], today[:start][::-1][: len(head)])
    end += 1
    end += _versions(tail, today[end : end + len(tail)])
    return _Patch(start, end, [*head, *body, *tail])


def _own_ends(piece: _Piece) -> tuple[int, int]:
    """The first and the last line that the exchange wrote; nothing where it wrote none."""
    own = [index for index, own in enumerate(piece.own) if own]
    return (own[0], own[-1]) if own else (len(piece.lines), -1)


def _versions(written: Sequence[str], today: Sequence[str]) -> int:
    """How many lines in a row are versions of the written ones beside them."""
    pairs = zip(written, today, strict=False)
    return sum(1 for _ in takewhile(lambda pair: _alike(*pair), pairs))


def _alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one.strip(), other.strip(), autojunk=False).ratio() >= ALIKE


def _patched(today: Sequence[str], patches: list[_Patch], moved: set[int]) -> tuple[list[str], int]:
    """The text, and how many patches met another."""
    lines: list[str] = []
    at = overlapping = 0
    for patch in sorted(patches):
        if patch.start < at:
            overlapping += 1
            continue
        lines += [today[index] for index in range(at, patch.start) if index not in moved]
        lines += patch.lines
        at = patch.end
    lines += [today[index] for index in range(at, len(today)) if index not in moved]
    return lines, overlapping


def _joined(lines: Sequence[str], today: str) -> str:
    """With the line ends of today's text."""
    end = "\r\n" if "\r\n" in today else "\n"
    closed = not today or today.endswith(("\n", "\r"))
    return end.join(lines) + (end if lines and closed else "")
