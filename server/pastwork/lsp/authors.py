"""Who wrote which line of the open documents, as the worker last said.

While somebody types, the answer is older than the text: then the lines before the first and after the
last difference are still known, and those between are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from pastwork.glance import Glance
from pastwork.palace.lines import Author, Authors


class Placed(Struct, frozen=True):
    """An answer and the lines it is about."""

    lines: Sequence[str]
    authors: Authors

    def author(self, line: int, now: Sequence[str]) -> Author | None:
        """Who wrote the line (1-based) of today's text."""
        then = line_then(line, self.lines, now)
        if then is None:
            return None
        for author in self.authors.authors:
            if any(first <= then <= last for first, last in author.lines):
                return author
        return None

    def line_now(self, line: int, now: Sequence[str]) -> int | None:
        """Where a line of then is in today's text, if that is still known."""
        return line_then(line, now, self.lines)

    def works(self, ids: Sequence[str]) -> list[Glance]:
        """The exchanges of these ids, in order."""
        known: Mapping[str, Glance] = {author.glance.id: author.glance for author in self.authors.authors}
        return [known[one] for one in ids if one in known]


def line_then(line: int, then: Sequence[str], now: Sequence[str]) -> int | None:
    """The number that today's ``line`` had, or None where the texts differ around it."""
    if not 1 <= line <= len(now):
        return None
    if then is now:
        return line
    if line <= len(then) and _same(then[:line], now[:line]):
        return line
    shift = len(then) - len(now)
    if line + shift >= 1 and _same(then[line + shift - 1 :], now[line - 1 :]):
        return line + shift
    return None


def _same(then: Sequence[str], now: Sequence[str]) -> bool:
    return list(then) == list(now)
