"""Git's word on who can have written a line: plain data from ``blame.py``, judged here.

A commit that made a line is a bound: an edit later than the commit did not write it, nor did an edit
near to no commit of a stranger.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pastwork.anchor.align import align
from pastwork.anchor.lines import Codes

#: Clocks of one machine and of a commit may differ by this much.
SKEW_SECONDS = 120.0
#: A stranger's commit this soon after an edit may well have carried it (a pair, a merge, another address).
NEAR_SECONDS = 3 * 86400.0
#: An amended commit keeps its first date; a line cannot be older than its edit by more than this.
AMENDED_SECONDS = 7 * 86400.0

Word = Literal["confirms", "denies", "silent"]


class Commit(Struct, frozen=True):
    """Times in seconds since 1970; ``ours`` where the author is the one who works here."""

    authored: float
    committed: float
    ours: bool


class Witness(Struct, frozen=True):
    """The blamed text of a file at one commit: its lines, and for each the index of the commit that made it."""

    head: str
    lines: tuple[str, ...]
    makers: tuple[int, ...]
    commits: tuple[Commit, ...]

    def makers_of(self, lines: list[str]) -> list[Commit | None]:
        """For each line of today's text the commit that made it; None where it is not committed."""
        codes = Codes()
        old, new = codes.learn(self.lines), codes.learn(lines)
        found: list[Commit | None] = [None] * len(new)
        for block in align(old, new):
            for offset in range(block.length):
                found[block.new + offset] = self.commits[self.makers[block.old + offset]]
        return found


def judge(commit: Commit | None, edited: float | None) -> Word:
    """What a line's commit says of an edit at that time having written the line."""
    if commit is None or edited is None:
        return "silent"
    if edited > commit.committed + SKEW_SECONDS or edited > commit.authored + AMENDED_SECONDS:
        return "denies"
    if not commit.ours and commit.authored - edited > NEAR_SECONDS:
        return "denies"
    return "confirms"
