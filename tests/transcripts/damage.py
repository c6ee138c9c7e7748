"""Damages transcripts of JSON lines in nine ways, knowing what each costs; pure.

A ``Line`` knows the exchanges it tells of. A damage changes lines and says which exchanges it harmed
(they may be lost or mixed up) and which lines are bad (each must be told once).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

#: Longest line that is read in these tests, in bytes; the giants are longer.
CAP = 20_000


@dataclass
class Line:
    """One line: ``of`` are the exchanges it tells of, ``marker`` a text in it that is decoded in any case.

    ``bad`` counts the problems it must be told with. An ``odd`` one is not one record as its agent
    wrote it, and is hit no more.
    """

    data: bytes
    of: set[int] = field(default_factory=set)
    marker: bytes = b""
    bad: int = 0
    odd: bool = False
    copied: Line | None = None


@dataclass
class Damaged:
    lines: list[Line]
    harmed: set[int]

    @property
    def data(self) -> bytes:
        return b"".join(line.data + b"\n" for line in self.lines)

    @property
    def bad(self) -> int:
        """How many lines must be told as problems."""
        return sum(line.bad for line in self.lines)


#: Two numbers choose where and how.
Kind = Callable[[Damaged, int, int], None]


def line(row: dict[str, Any], *of: int, marker: str = "") -> Line:
    return Line(json.dumps(row, separators=(",", ":")).encode(), set(of), marker.encode())


def cut(damaged: Damaged, where: int, how: int) -> None:
    """A line ends in the middle."""
    hit = damaged.lines[where % len(damaged.lines)]
    if not hit.odd and len(hit.data) > 2:
        hit.data = hit.data[: 1 + how % (len(hit.data) - 2)]
        hit.bad, hit.odd = 1, True
        damaged.harmed |= hit.of


def glue(damaged: Damaged, where: int, how: int) -> None:
    """Two records stand on one line."""
    if len(damaged.lines) > 1:
        at = where % (len(damaged.lines) - 1)
        first, second = damaged.lines[at : at + 2]
        if first.odd or second.odd:
            return
        marker = first.marker or second.marker
        glued = Line(first.data + second.data, first.of | second.of, marker, 1 + second.bad, odd=True)
        glued.copied = first.copied or second.copied
        damaged.lines[at : at + 2] = [glued]


def nul(damaged: Damaged, where: int, how: int) -> None:
    """A run of NUL bytes before a record, or on a line of its own."""
    at = where % len(damaged.lines)
    run = b"\0" * (1 + how % 400)
    if how % 2:
        damaged.lines.insert(at, Line(run, bad=1, odd=True))
    elif not damaged.lines[at].odd:
        damaged.lines[at].data = run + damaged.lines[at].data
        damaged.lines[at].bad, damaged.lines[at].odd = 1, True


def bytes_that_are_no_text(damaged: Damaged, where: int, how: int) -> None:
    _into_text(damaged, where, (b"\xff", b"\xed\xa0\xbc", b"\xe9")[how % 3])


def lone_surrogate(damaged: Damaged, where: int, how: int) -> None:
    _into_text(damaged, where, (b"\\ud83c", b"\\udcb2", b"\\uD800")[how % 3])


def _into_text(damaged: Damaged, where: int, put: bytes) -> None:
    marked = [each for each in damaged.lines if each.marker and not each.odd]
    if marked:
        hit = marked[where % len(marked)]
        hit.data = hit.data.replace(hit.marker, hit.marker + b" " + put)
        hit.bad = 1


def duplicate(damaged: Damaged, where: int, how: int) -> None:
    """A record stands there once more, at once or later; that is no bad record. A bad one's copy may not be known."""
    at = where % len(damaged.lines)
    hit = damaged.lines[at]
    damaged.harmed |= hit.of if hit.bad else set()
    again = at + 1 + how % (len(damaged.lines) - at)
    damaged.lines.insert(again, Line(hit.data, set(hit.of), hit.marker, hit.bad, hit.odd, hit))


def reorder(damaged: Damaged, where: int, how: int) -> None:
    """Two records stand the wrong way round; only a message among them changes what belongs where."""
    if len(damaged.lines) > 1:
        at = where % (len(damaged.lines) - 1)
        first, second = damaged.lines[at : at + 2]
        damaged.lines[at : at + 2] = [second, first]
        if first.of != second.of or first.marker or second.marker:
            damaged.harmed |= first.of | second.of


def wrong_type(damaged: Damaged, where: int, how: int) -> None:
    """A line that is no object, or a field of the wrong shape that costs nothing else."""
    at = where % len(damaged.lines)
    if how % 2:
        damaged.lines.insert(at, Line((b"null", b"42", b'"x"', b"[1,2]")[how // 2 % 4], bad=1, odd=True))
        return
    hit = damaged.lines[at]
    if hit.of and not hit.odd and not hit.bad:
        row = json.loads(hit.data) | {"timestamp": ([5], {"a": 1}, 7)[how // 2 % 3]}
        hit.data = json.dumps(row, separators=(",", ":")).encode()
        hit.bad = 1


def giant(damaged: Damaged, where: int, how: int) -> None:
    """A line longer than any that is read."""
    at = where % (len(damaged.lines) + 1)
    damaged.lines.insert(at, Line(b'{"type":"user","x":"' + b"g" * (CAP + how % 9000) + b'"}', bad=1, odd=True))


NINE: tuple[Kind, ...] = (cut, glue, nul, bytes_that_are_no_text, lone_surrogate, duplicate, reorder, wrong_type, giant)


def damaged(lines: Sequence[Line], deeds: Sequence[tuple[Kind, int, int]]) -> Damaged:
    """The lines after all deeds; a copy that no longer equals its original may stand for it, in the wrong place."""
    copies = [Line(each.data, set(each.of), each.marker) for each in lines]
    found = Damaged(copies, set())
    for deed, where, how in deeds:
        deed(found, where, how)
    for at, each in enumerate(found.lines):
        if each.copied is not None and (each.copied.odd or each.copied.bad or each.bad):
            near = found.lines[max(0, at - 1) : at + 2]
            found.harmed |= set[int]().union(*(line.of for line in near))
    return found
