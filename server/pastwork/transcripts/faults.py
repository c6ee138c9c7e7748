"""What of one transcript can't be used: collected while it is read, each thing told once; never an error.

Two kinds: damage (a record that is none, or holds something that had to be replaced), and records of a
kind that the reader does not know, of which the first of each kind is told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pastwork.model import UNKNOWN, Problem
from pastwork.transcripts.jsonl import Row

_UNTYPED = "a record without a type"
_LONGEST = 80

T = TypeVar("T")


class Faults:
    """Of one transcript; ``known`` are the kinds of records its reader knows, those it passes over included.

    ``page`` is the text of a document, in which its records' places are looked for.
    """

    page = b""

    def __init__(self, path: Path | str, known: Collection[str] = ()) -> None:
        self._path = str(path)
        self._kinds = set(known)
        self._told: set[tuple[int, str]] = set()
        self._new: list[Problem] = []

    def add(self, reason: str, offset: int = 0) -> None:
        """Something can't be used as it stands, at a byte of the transcript."""
        if (offset, reason) not in self._told:
            self._told.add((offset, reason))
            self._new.append(Problem(self._path, offset, reason))

    def knows(self, kind: str | None, offset: int = 0) -> bool:
        """Whether a record's kind is one the reader knows or one told before; else that is told."""
        if kind is None:
            self.add(_UNTYPED, offset)
            return False
        if kind not in self._kinds:
            self._kinds.add(kind)
            self.add(f"{UNKNOWN}{kind[:_LONGEST]}", offset)
            return False
        return True

    def taken(self) -> Iterator[Problem]:
        """What was found since the last time."""
        found, self._new = self._new, []
        yield from found


def kinds(words: str) -> frozenset[str]:
    """The kinds of records that a text names, between blanks."""
    return frozenset(words.split())


def of_known_kind(
    found: Iterable[Row[T] | Problem], faults: Faults, kind: Callable[[T], str | None]
) -> Iterator[Row[T] | Problem]:
    """The rows; before one of a kind met for the first time that is not known, a problem.

    A row saved from a damaged line was told already.
    """
    for row in found:
        if isinstance(row, Row) and not row.saved:
            faults.knows(kind(row.value), row.offset)
            yield from faults.taken()
        yield row
