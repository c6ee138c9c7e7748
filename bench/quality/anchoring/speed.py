"""What placing costs: processor time and memory on an invented file of a given size and history."""

from __future__ import annotations

import gc
import random
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

from pastwork.anchor.attribute import attribute
from pastwork.anchor.remembered import remember
from pastwork.model import Edit, Hunk
from pastwork.store.records import StoredEdit

#: Runs of which the least and the middle are told.
RUNS = 9
#: Edits that make one exchange.
EDITS_OF_AN_EXCHANGE = 5


@dataclass
class Cost:
    """Milliseconds of processor time (least, middle) and kilobytes."""

    lines: int
    edits: int
    created: bool
    remember: tuple[float, float]
    attribute: tuple[float, float]
    remembered_kb: float
    attribution_kb: float


def cost(lines: int, edits: int, created: bool) -> Cost:
    """Measured on a file that an exchange made (``created``) or that was there before."""
    history, text = invented(lines, edits, created, random.Random(1))
    gc.collect()
    tracemalloc.start()
    remembered = remember(history)
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    found = attribute(text, remembered)
    gc.collect()
    second = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    if not found.runs:
        raise AssertionError("the invented history left no line to attribute")
    return Cost(
        lines,
        edits,
        created,
        _timed(lambda: remember(history)),
        _timed(lambda: attribute(text, remembered)),
        first / 1000,
        (second - first) / 1000,
    )


def invented(lines: int, edits: int, created: bool, dice: random.Random) -> tuple[list[StoredEdit], str]:
    """A file's edits and its text today."""
    page = [_line(dice) for _ in range(lines)]
    made = [Edit("/w/f.py", "created", (Hunk(tuple(f"+{line}" for line in page)),), "content")] if created else []
    made += [Edit("/w/f.py", "edited", (_change(page, dice),), "patch") for _ in range(edits)]
    history = [
        StoredEdit(at, f"exchange {at // EDITS_OF_AN_EXCHANGE}", "session", at, "f.py", edit, "/w")
        for at, edit in enumerate(made)
    ]
    return history, "".join(line + "\n" for line in page)


def _change(page: list[str], dice: random.Random) -> Hunk:
    """Replaces up to five lines by up to eleven, with three lines of context; changes ``page``."""
    at, gone = dice.randrange(len(page) - 10), dice.randrange(6)
    new = [_line(dice) for _ in range(dice.randrange(12))]
    first = max(0, at - 3)
    hunk = [f" {line}" for line in page[first:at]] + [f"-{line}" for line in page[at : at + gone]]
    hunk += [f"+{line}" for line in new] + [f" {line}" for line in page[at + gone : at + gone + 3]]
    page[at : at + gone] = new
    return Hunk(tuple(hunk), first + 1, first + 1)


def _line(dice: random.Random) -> str:
    if dice.random() < 0.4:
        return "    " * dice.randrange(3) + dice.choice(["}", "", "end", "return None", "x = 1"])
    return "    " * dice.randrange(4) + f"value_{dice.randrange(10**6)} = compute_{dice.randrange(10**4)}(argument)"


def _timed(run: Callable[[], object]) -> tuple[float, float]:
    taken = []
    for _ in range(RUNS):
        start = time.process_time()
        run()
        taken.append(1000 * (time.process_time() - start))
    taken.sort()
    return taken[0], taken[RUNS // 2]
