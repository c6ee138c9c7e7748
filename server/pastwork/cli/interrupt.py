"""Ctrl-C for work that commits as it goes: the first asks it to stop, the second breaks it off."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], bool]]:
    """Yields a function that says whether Ctrl-C was pressed (or the process was told to end)."""
    asked: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    watched = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, note) for number in watched}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
