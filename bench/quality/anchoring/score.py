"""Attribution compared with the truth, in lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from bench.quality.anchoring.truth import Line, informative, squeezed
from pastwork.anchor.attribution import Attribution
from pastwork.store.records import StoredEdit


@dataclass
class Score:
    """Counts of lines; add scores with ``+``.

    ``written``: lines some exchange truly wrote; ``others``: all the rest; ``untouched``: those of the
    rest that no edit ever put there; ``alike``: informative lines of the rest that read like a line
    some exchange wrote.
    """

    texts: int = 0
    written: int = 0
    others: int = 0
    untouched: int = 0
    attributed: int = 0
    right: int = 0
    unique: int = 0
    unique_right: int = 0
    false_others: int = 0
    false_untouched: int = 0
    alike: int = 0
    false_alike: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @property
    def precision(self) -> float:
        return self.right / self.attributed if self.attributed else 1.0

    @property
    def unique_precision(self) -> float:
        """On informative lines that occur once in the text."""
        return self.unique_right / self.unique if self.unique else 1.0

    @property
    def coverage(self) -> float:
        return self.right / self.written if self.written else 1.0

    @property
    def false_rate(self) -> float:
        """Of the lines no exchange wrote, the share that is attributed."""
        return self.false_others / self.others if self.others else 0.0

    @property
    def false_alike_rate(self) -> float:
        """The same of those that read like a line some exchange wrote."""
        return self.false_alike / self.alike if self.alike else 0.0


def score(lines: Sequence[Line], found: Attribution, edits: Iterable[StoredEdit]) -> Score:
    """One text's score."""
    result = Score(texts=1)
    hunks = (hunk for stored in edits for hunk in stored.edit.hunks)
    shown = {squeezed(text[1:]) for hunk in hunks for text in hunk.lines if text[:1] == "+"}
    counts = Counter(squeezed(line.text) for line in lines)
    for number, line in enumerate(lines, 1):
        run = found.at(number)
        name = run.exchange_id if run else None
        right = name is not None and name == line.author
        result.written += line.author is not None
        result.others += line.author is None
        result.untouched += line.author is None and not line.touched
        alike = line.author is None and informative(line.text) and squeezed(line.text) in shown
        result.alike += alike
        if name is None:
            continue
        result.attributed += 1
        result.right += right
        result.false_others += line.author is None
        result.false_untouched += line.author is None and not line.touched
        result.false_alike += alike
        if informative(line.text) and counts[squeezed(line.text)] == 1:
            result.unique += 1
            result.unique_right += right
    return result
