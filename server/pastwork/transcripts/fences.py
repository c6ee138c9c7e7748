"""Markdown code fences: text in, ``Fence``s out. Pure; the one rule for every Markdown reader.

A fence opens with three or more backticks or tildes at the start of a line (up to three spaces
before it) and closes with a bare run of the same mark that is at least as long, as in CommonMark.
An opened fence that never closes ends with the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

#: Begins with the newline, a literal that the search can leap to.
_MARK = re.compile(r"\n {0,3}(`{3,}|~{3,})[ \t]*([^\n]*)")
_FIRST = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^\n]*)")


class Fence(Struct, frozen=True):
    """``text`` without the fence lines; ``start`` and ``end`` enclose these too."""

    info: str
    text: str
    start: int
    end: int
    closed: bool = True


def fences(text: str, start: int = 0, end: int | None = None) -> Iterator[Fence]:
    """The fenced blocks of ``text[start:end]`` in order; offsets are those of ``text``.

    ``start`` is the start of a line.
    """
    stop = len(text) if end is None else end
    opened: re.Match[str] | None = None
    for mark in _marks(text, start, stop):
        if opened is None:
            if mark[1][0] == "~" or "`" not in mark[2]:
                opened = mark
        elif _closes(mark, opened[1]):
            yield Fence(opened[2].strip(), text[opened.end() + 1 : mark.start()], _line(opened), mark.end())
            opened = None
    if opened is not None:
        yield Fence(opened[2].strip(), text[opened.end() + 1 : stop], _line(opened), stop, closed=False)


def inside(text: str, start: int, place: int) -> bool:
    """Whether ``place`` lies in a fence that was opened after ``start``."""
    last = None
    for last in fences(text, start, place):  # noqa: B007 - the last one is wanted
        pass
    return last is not None and not last.closed


def _marks(text: str, start: int, stop: int) -> Iterator[re.Match[str]]:
    if first := _FIRST.match(text, start, stop):
        yield first
    yield from _MARK.finditer(text, start, stop)


def _line(mark: re.Match[str]) -> int:
    return mark.start() + mark[0].startswith("\n")


def _closes(mark: re.Match[str], opener: str) -> bool:
    return mark[1][0] == opener[0] and len(mark[1]) >= len(opener) and not mark[2].strip()
