"""Attribution compared with the truth, in lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

from bench.quality.anchoring.truth import Line, informative, squeezed
from pastwork.anchor.attribution import Attribution


@dataclass
class Score:
    """Counts of lines; add scores with ``+``.

    ``written``: lines some exchange truly wrote; ``others``: all the rest; ``untouched``: those of the
    rest that no edit ever put there.
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


def score(lines: Sequence[Line], found: Attribution) -> Score:
    """One text's score."""
    result = Score(texts=1)
    counts = Counter(squeezed(line.text) for line in lines)
    for number, line in enumerate(lines, 1):
        run = found.at(number)
        name = run.exchange_id if run else None
        right = name is not None and name == line.author
        result.written += line.author is not None
        result.others += line.author is None
        result.untouched += line.author is None and not line.touched
        if name is None:
            continue
        result.attributed += 1
        result.right += right
        result.false_others += line.author is None
        result.false_untouched += line.author is None and not line.touched
        if informative(line.text) and counts[squeezed(line.text)] == 1:
            result.unique += 1
            result.unique_right += right
    return result
