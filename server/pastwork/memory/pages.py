"""A long text in pages of at most so many tokens; pure.

A page ends at a line's end where one is near, so that pages read well; a line longer than a page is
cut. Nothing is lost: the pages joined are the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

#: Characters that are counted in one call at the most: counting is linear, pages are short.
_PIECE = 600


def paged(text: str, budget: int, count: Callable[[Sequence[str]], list[int]]) -> list[str]:
    """At least one page, ``""`` for an empty text."""
    pieces = list(_pieces(text))
    pages: list[str] = []
    current: list[str] = []
    used = 0
    for piece, tokens in zip(pieces, count(pieces), strict=True):
        if current and used + tokens > budget:
            pages.append("".join(current))
            current, used = [], 0
        current.append(piece)
        used += tokens
    return [*pages, "".join(current)] if current or not pages else pages


def _pieces(text: str) -> list[str]:
    """Lines with their ends, long ones cut."""
    lines = text.splitlines(keepends=True)
    return [line[start : start + _PIECE] for line in lines for start in range(0, len(line), _PIECE)]
