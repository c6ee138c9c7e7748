"""Distils kept exchanges again by the built-in rules: those that a language model distilled, newest first.

Every object is committed as it is made, so a run that is stopped goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from pastwork.distill.digest import digest
from pastwork.model import PalaceObject
from pastwork.shapes import DistillAnswer
from pastwork.store.reader import StoreReader
from pastwork.store.writer import StoreWriter

EXTRACTIVE = "extractive"
#: Seconds an exchange takes, before any was timed (bench/results).
USUAL = 0.002
#: Exchanges timed for an estimate.
SAMPLE = 20


def waiting(store: StoreReader, limit: int | None) -> tuple[list[int], int]:
    """The rows to distil now, and how many are left for later."""
    rows = store.distilled_by_others(EXTRACTIVE)
    now = rows if limit is None else rows[:limit]
    return now, len(rows) - len(now)


def estimate(store: StoreReader, rows: Sequence[int], masking: bool) -> float:
    """Seconds for all of them, by timing a few."""
    begun = time.perf_counter()
    sample = rows[:SAMPLE]
    for row in sample:
        _try_digest(store, row, masking)
    each = (time.perf_counter() - begun) / len(sample) if sample else USUAL
    return round(each * len(rows), 1)


def redistil(
    writer: StoreWriter,
    rows: Sequence[int],
    masking: bool,
    stop: Callable[[], bool] = lambda: False,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> DistillAnswer:
    """Replaces objects, not rooms; ``left`` are those that ``stop`` kept from being done or that are damaged."""
    done = 0
    for row in rows:
        if stop():
            break
        found = _try_digest(writer, row, masking)
        if found is not None:
            writer.set_object(row, found[0], found[1])
            done += 1
        told(done, len(rows))
    return DistillAnswer(done, 0, len(rows) - done, 0.0)


def _try_digest(store: StoreReader, row: int, masking: bool) -> tuple[PalaceObject, int] | None:
    """The object and its size in tokens; None where the verbatim is damaged (verify names it)."""
    try:
        found = digest(store.verbatim(row), mask=masking)
    except ValueError:
        return None
    return replace(found.object, room_assignments=()), found.tokens_distilled
