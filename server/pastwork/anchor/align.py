"""Which lines of one text are which lines of another: patience matching on one-character-a-line strings.

Lines that occur once in both texts anchor the rest (Cohen's patience diff), the longest increasing
sequence of them is kept, and what lies between is matched from its ends inwards, then by the same
rule again, then, where it is small, by longest common runs (Ratcliff and Obershelp, ``difflib``).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

#: Rows times columns up to which what has no anchor is compared run by run.
SMALL = 1 << 14


class Block(NamedTuple):
    """``length`` lines from ``old`` on are the lines from ``new`` on."""

    old: int
    new: int
    length: int


class _Span(NamedTuple):
    """A part of both texts still to be matched; whether what lies outside each end is matched, too."""

    old: int
    old_end: int
    new: int
    new_end: int
    head: bool
    tail: bool


def align(old: str, new: str, ends: bool = True) -> list[Block]:
    """The common lines in order, as maximal blocks.

    ``ends`` says that both texts are whole, so that their first and last lines may be compared
    without an anchor beside them.
    """
    found: list[Block] = []
    waiting = [_Span(0, len(old), 0, len(new), ends, ends)]
    while waiting:
        span = _trim(old, new, waiting.pop(), found)
        if span.old == span.old_end or span.new == span.new_end:
            continue
        anchors = _anchors(old, new, span)
        if anchors:
            found += (Block(i, j, 1) for i, j in anchors)
            waiting += _between(anchors, span)
        elif (span.old_end - span.old) * (span.new_end - span.new) <= SMALL:
            found += _runs(old, new, span)
    return merge(found)


def merge(blocks: list[Block]) -> list[Block]:
    """The same matches in order, neighbours on one diagonal made one."""
    merged: list[Block] = []
    for block in sorted(blocks):
        last = merged[-1] if merged else None
        if last and last.old + last.length == block.old and last.new + last.length == block.new:
            merged[-1] = Block(last.old, last.new, last.length + block.length)
        else:
            merged.append(block)
    return merged


def common_prefix(old: str, new: str) -> int:
    """How many leading characters are equal, by bisection on slices."""
    low, high = 0, min(len(old), len(new))
    if old[:high] == new[:high]:
        return high
    while low + 1 < high:
        middle = (low + high) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle
    return low


def rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of pairs (sorted by the first part) whose second parts rise."""
    tails: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        pile = bisect_left(tails, second)
        tails[pile : pile + 1] = [second]
        tops[pile : pile + 1] = [index]
        before.append(tops[pile - 1] if pile else -1)
    chain: list[tuple[int, int]] = []
    index = tops[-1] if tops else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _trim(old: str, new: str, span: _Span, found: list[Block]) -> _Span:
    """Takes equal lines off the ends that touch matched ground."""
    left, right = old[span.old : span.old_end], new[span.new : span.new_end]
    head = common_prefix(left, right) if span.head else 0
    if head:
        found.append(Block(span.old, span.new, head))
    tail = common_prefix(left[head:][::-1], right[head:][::-1]) if span.tail else 0
    if tail:
        found.append(Block(span.old_end - tail, span.new_end - tail, tail))
    return span._replace(
        old=span.old + head, old_end=span.old_end - tail, new=span.new + head, new_end=span.new_end - tail
    )


def _anchors(old: str, new: str, span: _Span) -> list[tuple[int, int]]:
    """Lines that occur once on either side, in the longest order-keeping choice."""
    left, right = old[span.old : span.old_end], new[span.new : span.new_end]
    once = {char for char, count in Counter(left).items() if count == 1}
    once &= {char for char, count in Counter(right).items() if count == 1}
    if not once:
        return []
    place = {char: index for index, char in enumerate(right, span.new) if char in once}
    return rising([(index, place[char]) for index, char in enumerate(left, span.old) if char in once])


def _between(anchors: list[tuple[int, int]], span: _Span) -> Iterator[_Span]:
    old, new, head = span.old, span.new, span.head
    for i, j in anchors:
        if i > old and j > new:
            yield _Span(old, i, new, j, head, True)
        old, new, head = i + 1, j + 1, True
    yield _Span(old, span.old_end, new, span.new_end, head, span.tail)


def _runs(old: str, new: str, span: _Span) -> Iterator[Block]:
    matcher = SequenceMatcher(None, old[span.old : span.old_end], new[span.new : span.new_end], autojunk=False)
    for i, j, length in matcher.get_matching_blocks():
        if length:
            yield Block(span.old + i, span.new + j, length)
