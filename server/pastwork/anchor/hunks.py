"""A recorded hunk as a change of lines: the old lines, the new ones, and which new lines are old ones.

A line that a hunk takes out and puts back, be it re-indented, is not new; transcripts that show old
and new text without a diff get one here.
"""

from __future__ import annotations

from itertools import groupby

from msgspec import Struct

from pastwork.anchor.align import Block, align
from pastwork.anchor.lines import Codes
from pastwork.model import Hunk


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
    old, new, kept = "", "", list[int]()
    marked = _marked(hunk)
    for context, group in groupby(marked, key=lambda line: line[0] == " "):
        lines = list(group)
        taken = codes.learn([line[1:] for line in lines if line[0] != "+"])
        put = taken if context else codes.learn([line[1:] for line in lines if line[0] == "+"])
        pairs = range(len(put)) if context else same_lines(taken, put, codes.informative)
        kept += [index if index < 0 else index + len(old) for index in pairs]
        old, new = old + taken, new + put
    ends = bool(marked) and marked[0][0] == " " != marked[-1][0]
    return Change(old, new, tuple(kept), _start(hunk, bool(old)), ends)


def same_lines(taken: str, put: str, telling: set[str], whole: bool = True) -> list[int]:
    """For each line put, the index of the line taken that it is, or -1.

    Runs that say nothing (brackets, blank lines) count at the very ends only, where their place tells;
    ``whole`` says that the ends of both do correspond.
    """
    pairs = [-1] * len(put)
    for block in align(taken, put, whole):
        if (whole and _at_end(block, taken, put)) or not telling.isdisjoint(put[block.new : block.new + block.length]):
            pairs[block.new : block.new + block.length] = range(block.old, block.old + block.length)
    return pairs


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
