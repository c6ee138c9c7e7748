"""How the time that something takes grows with what it is given: a ratio within one run, so that no machine is too slow."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

#: Four times the input may take this much longer: 4 is linear, 16 is every part looking at every other.
LINEAR = 9.0
_TRIES = 3


def growth(work: Callable[[T], object], small: T, large: T) -> float:
    """The processor time of ``large`` by that of ``small``, each the best of three after a first try of ``small``."""
    work(small)
    return min(_seconds(work, large) for _ in range(_TRIES)) / min(_seconds(work, small) for _ in range(_TRIES))


def text_growth(work: Callable[[str], object], text: str) -> float:
    """``growth`` from a quarter of the text, which keeps both its ends, to the whole."""
    end = len(text) // 8
    return growth(work, text[:end] + text[-end:], text)


def _seconds(work: Callable[[T], object], given: T) -> float:
    begun = time.process_time()
    work(given)
    return time.process_time() - begun
