"""A recorded hunk as a change of lines: the old lines, the new ones, and which new lines are old ones.

A line that a hunk takes out and puts back, be it re-indented, is not new; transcripts that show old
and new text without a diff get one here.
"""

from __future__ import annotations

import re

from msgspec import Struct

from pastwork.anchor.align import Block, align, common_prefix
from pastwork.anchor.lines import Codes
from pastwork.model import Hunk

#: Context, or lines taken and put.
_PARTS = re.compile(r" +|[-+]+")


class Change(Struct, frozen=True):
    """``kept[i]`` is the index in ``old`` of the line that ``new[i]`` is, or -1 for a line that is new.

    ``start`` is the 0-based index of the first old line at edit time, None where the transcript has no numbers.
    ``ends`` says that the hunk reaches the end of the file: it has context, but none at its end.
    """

    old: str
    new: str
    kept: tuple[int, ...]
    start: int | None
    ends: bool = False


def change(hunk: Hunk, codes: Codes) -> Change:
    """The hunk in characters of ``codes``."""
    marked = _marked(hunk)
    marks = "".join([line[0] for line in marked])
    text = codes.learn([line[1:] for line in marked])
    old, new, kept = "", "", list[int]()
    for part in _PARTS.finditer(marks):
        lines = text[part.start() : part.end()]
        if part[0][0] == " ":
            kept += range(len(old), len(old) + len(lines))
            old, new = old + lines, new + lines
            continue
        taken = "".join([code for code, mark in zip(lines, part[0], strict=True) if mark == "-"])
        put = "".join([code for code, mark in zip(lines, part[0], strict=True) if mark == "+"])
        kept += [index if index < 0 else index + len(old) for index in same_lines(taken, put, codes.informative)]
        old, new = old + taken, new + put
    ends = marks[:1] == " " != marks[-1:]
    return Change(old, new, tuple(kept), _start(hunk, bool(old)), ends)


def same_lines(taken: str, put: str, telling: set[str], whole: bool = True) -> list[int]:
    """For each line put, the index of the line taken that it is, or -1.

    Runs that say nothing (brackets, blank lines) count at the very ends only, where their place tells;
    ``whole`` says that the ends of both do correspond.
    """
    pairs = [-1] * len(put)
    common = set(taken).intersection(put)
    if not common:
        return pairs
    for block in align(taken, put, whole) if not telling.isdisjoint(common) else _ends(taken, put, whole):
        if (whole and _at_end(block, taken, put)) or not telling.isdisjoint(put[block.new : block.new + block.length]):
            pairs[block.new : block.new + block.length] = range(block.old, block.old + block.length)
    return pairs


def _ends(taken: str, put: str, whole: bool) -> tuple[Block, ...]:
    """What is the same at both ends, where nothing between could count."""
    if not whole:
        return ()
    head = common_prefix(taken, put)
    tail = common_prefix(taken[head:][::-1], put[head:][::-1])
    return Block(0, 0, head), Block(len(taken) - tail, len(put) - tail, tail)


def _at_end(block: Block, taken: str, put: str) -> bool:
    head = block.old == 0 == block.new
    return head or (block.old + block.length == len(taken) and block.new + block.length == len(put))


def _marked(hunk: Hunk) -> list[str]:
    r"""Lines with their mark; an empty one is an empty context line, ``\ No newline`` is none."""
    return [line or " " for line in hunk.lines if line[:1] in ("", " ", "+", "-")]


def _start(hunk: Hunk, has_old: bool) -> int | None:
    """Diffs number an empty old side by the line before it."""
    if hunk.old_start is None:
        return None if hunk.new_start is None else max(0, hunk.new_start - 1)
    return max(0, hunk.old_start - 1 if has_old else hunk.old_start)
