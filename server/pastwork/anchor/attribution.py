"""The answer of this stage as plain data: who wrote which line of one text, and how much still stands.

Line numbers are 1-based and inclusive. A line that no run covers was written by nobody we know.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter

from msgspec import Struct

from pastwork.model import Action


class Run(Struct, frozen=True, array_like=True):
    """Consecutive lines that one exchange wrote."""

    first: int
    last: int
    exchange_id: str


class Work(Struct, frozen=True):
    """What one exchange did to this file and what is left of it.

    ``added`` counts the informative lines it wrote and did not itself replace, ``standing`` those of
    them that are in the text. ``replaced_by`` is the exchange that later replaced most of its lines,
    where none stands; ``undone`` says that none stands and what it had removed is back.
    """

    row: int
    exchange_id: str
    session_id: str
    action: Action
    added: int = 0
    standing: int = 0
    lines: tuple[tuple[int, int], ...] = ()
    replaced_by: str | None = None
    undone: bool = False

    @property
    def survival(self) -> float | None:
        """Share of the added lines that stand; None where the exchange added none."""
        return self.standing / self.added if self.added else None


class Attribution(Struct, frozen=True):
    """All of it for one text: ``runs`` in line order, ``works`` newest first.

    ``denied`` are lines that read as an exchange wrote them, but that git says it did not write.
    """

    line_count: int = 0
    runs: tuple[Run, ...] = ()
    works: tuple[Work, ...] = ()
    denied: tuple[tuple[int, int], ...] = ()

    def at(self, line: int) -> Run | None:
        """The run that covers this line."""
        index = bisect_right(self.runs, line, key=attrgetter("first")) - 1
        return self.runs[index] if index >= 0 and line <= self.runs[index].last else None

    def within(self, first: int, last: int) -> tuple[str, ...]:
        """Ids of the exchanges that wrote any of these lines, most lines first."""
        counts: dict[str, int] = {}
        for run in self.runs:
            shared = min(last, run.last) - max(first, run.first) + 1
            if shared > 0:
                counts[run.exchange_id] = counts.get(run.exchange_id, 0) + shared
        return tuple(sorted(counts, key=lambda name: -counts[name]))

    def work(self, exchange_id: str) -> Work | None:
        """What this exchange did to the file, if anything."""
        return next((work for work in self.works if work.exchange_id == exchange_id), None)
