"""Better objects by a language model, in the background of everything else: the queue of ``distill``.

Exchanges wait for a distiller until it made their object or was tried and could not; the newest come
first. What is made is written in small lots, so an editor's sync child gives the store away for
moments only, and a run that is stopped, or whose server dies, goes on where it was. Search and
hovers answer from the built-in objects all the while.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from pastwork.distill.digest import count_tokens, digest
from pastwork.distill.ollama import Outcome
from pastwork.distill.redact import masked
from pastwork.errors import NotFound, Unavailable
from pastwork.model import Exchange, PalaceObject
from pastwork.shapes import DistillAnswer
from pastwork.store.reader import StoreReader
from pastwork.store.writer import StoreWriter

#: Seconds an exchange takes before any was timed; a small model on a processor.
USUAL = 8.0
#: Objects, and seconds, after which a lot is written.
LOT, LOT_SECONDS = 8, 60.0
_TIMED = "seconds by "


class Distiller(Protocol):
    """What the queue needs of ``distill.ollama.OllamaDistiller``."""

    @property
    def name(self) -> str: ...

    def distil(self, exchange: Exchange, built_in: PalaceObject) -> Outcome: ...


class Run(Struct, frozen=True):
    """``write`` opens the store for one lot; ``stop`` is asked before each exchange, ``told`` after it."""

    write: Callable[[], AbstractContextManager[StoreWriter]]
    masking: bool = True
    seconds: float | None = None
    stop: Callable[[], bool] = lambda: False
    told: Callable[[int, int], None] = lambda done, total: None
    clock: Callable[[], float] = time.monotonic


class _Made(Struct, frozen=True):
    row: int
    content: bytes
    object: PalaceObject | None


def waiting(store: StoreReader, name: str, limit: int | None) -> tuple[list[int], int]:
    """The rows to distil now, and how many are left for later."""
    rows = store.undistilled_by(name)
    now = rows if limit is None else rows[:limit]
    return now, len(rows) - len(now)


def estimate(store: StoreReader, name: str, count: int) -> float:
    """Seconds for so many exchanges, by what the last run of this distiller took."""
    timed = store.fact(_TIMED + name)
    return round(count * (float(timed) if timed else USUAL), 1)


def upgrade(store: StoreReader, rows: Sequence[int], distiller: Distiller, run: Run) -> DistillAnswer:
    """Distils ``rows`` as far as time, ``stop`` and the server allow; every exchange that was asked about is noted."""
    begun = lot_begun = run.clock()
    lot: list[_Made] = []
    reasons: Counter[str] = Counter()
    better = asked = 0
    notes: list[str] = []
    for row in rows:
        if run.stop() or (run.seconds is not None and run.clock() - begun >= run.seconds):
            break
        try:
            made, reason = _distilled(store, row, distiller, run.masking)
        except Unavailable as gone:
            notes.append(f"{gone.message}; the rest waits")
            break
        lot.append(made)
        asked += 1
        better += made.object is not None
        reasons.update([reason] if reason else [])
        if len(lot) >= LOT or run.clock() - lot_begun >= LOT_SECONDS:
            _keep(run, distiller.name, lot, None)
            lot, lot_begun = [], run.clock()
        run.told(asked, len(rows))
    _keep(run, distiller.name, lot, (run.clock() - begun) / asked if asked else None)
    notes += [f"{count} kept as they were: {reason}" for reason, count in reasons.most_common(5)]
    left = len(rows) - asked
    return DistillAnswer(better, asked - better, left, estimate(store, distiller.name, left), tuple(notes))


def _distilled(store: StoreReader, row: int, distiller: Distiller, masking: bool) -> tuple[_Made, str]:
    """What a distiller made of one row, and why nothing where nothing.

    Raises:
        Unavailable: the server is gone.
    """
    (content,) = store.connection.execute("SELECT content FROM exchange WHERE row = ?", (row,)).fetchone() or (b"",)
    try:
        exchange = store.verbatim(row)
    except (ValueError, NotFound):
        return _Made(row, content, None), "the verbatim is damaged or gone"
    seen = masked(exchange) if masking else exchange
    outcome = distiller.distil(seen, digest(seen, mask=False).object)
    reasons = {"better": "", "refused": "the model's words were not the exchange's", "failed": outcome.reason}
    return _Made(row, content, outcome.object), reasons[outcome.verdict]


def _keep(run: Run, name: str, lot: Sequence[_Made], seconds: float | None) -> None:
    """Writes a lot; what changed or was forgotten meanwhile is left alone."""
    if not lot and seconds is None:
        return
    with run.write() as writer:
        for made in lot:
            now = writer.connection.execute("SELECT content FROM exchange WHERE row = ?", (made.row,)).fetchone()
            if now != (made.content,):
                continue
            if made.object is None:
                writer.set_tried(made.row, name)
            else:
                text = f"{made.object.exchange_core}\n{made.object.specific_context}"
                writer.set_object(made.row, replace(made.object, room_assignments=()), count_tokens(text))
        if seconds is not None:
            writer.set_fact(_TIMED + name, f"{seconds:.2f}")
