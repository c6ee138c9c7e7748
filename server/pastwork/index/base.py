"""What every lane gives and takes.

``row`` is the store's integer key of an exchange. ``allowed`` narrows a search to a set of rows
(scope and filters are pushed into the lane, never applied afterwards).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol, TypeVar

from msgspec import Struct


class Scored(Struct, frozen=True, array_like=True):
    """One result of one lane; scores compare within one search of one lane only, larger is better."""

    row: int
    score: float


Query = TypeVar("Query", contravariant=True)
Text = TypeVar("Text", contravariant=True)


class Lane(Protocol[Query, Text]):
    """A ranked index over exchanges."""

    def add(self, rows: Iterable[tuple[int, Text]]) -> None:
        """Adds or replaces rows."""
        ...

    def remove(self, rows: Collection[int]) -> None:
        """Takes rows out; unknown ones are ignored."""
        ...

    def search(self, query: Query, k: int, allowed: Collection[int] | None = None) -> list[Scored]:
        """At most ``k`` rows, best first; an empty list when nothing matches."""
        ...
