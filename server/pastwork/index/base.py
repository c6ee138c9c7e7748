"""What every lane gives and takes.

``row`` is the store's integer key of an exchange. ``allowed`` narrows a search to a set of rows
(scope and filters are pushed into the lane, never applied afterwards).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from numpy import bool_, int64
    from numpy.typing import NDArray


#: Greatest row for which a set keeps a byte a row: a look-up is twenty times as fast as a search.
DENSE = 4_000_000


class Scored(Struct, frozen=True, array_like=True):
    """One result of one lane; scores compare within one search of one lane only, larger is better."""

    row: int
    score: float


class Matches(Struct, frozen=True):
    """A keyword lane's answer: its best rows, how many rows matched at all, and the scores of rows asked about."""

    top: list[Scored]
    total: int
    also: dict[int, float]


class Fields(Struct, frozen=True):
    """What an exchange's keywords are looked for in, masked: each field counts by a weight of its own."""

    prompt: str = ""
    prose: str = ""
    commands: str = ""
    errors: str = ""


class RowSet(Collection[int]):
    """A set of rows as a sorted array: what a lane wants as ``allowed``, made once for many searches."""

    __slots__ = ("_bits", "array")

    def __init__(self, array: NDArray[int64]) -> None:
        self.array = array
        self._bits: NDArray[bool_] | None = None

    @classmethod
    def of(cls, rows: Iterable[int]) -> RowSet:
        """The rows, sorted and without repetitions; a ``RowSet`` is given back as it is."""
        if isinstance(rows, RowSet):
            return rows
        import numpy as np

        return cls(np.unique(np.fromiter(rows, np.int64)))

    def has(self, rows: NDArray[int64]) -> NDArray[bool_]:
        """For each of ``rows`` (-1 or greater) whether it is in the set."""
        import numpy as np

        if not len(self.array):
            return np.zeros(len(rows), np.bool_)
        if int(self.array[-1]) < DENSE:
            return self._looked_up(rows)
        places = np.searchsorted(self.array, rows)
        places[places == len(self.array)] = 0
        found: NDArray[bool_] = self.array[places] == rows
        return found

    def _looked_up(self, rows: NDArray[int64]) -> NDArray[bool_]:
        """The same from one bit a row up to the greatest, and one more that is never set."""
        import numpy as np

        if self._bits is None:
            self._bits = np.zeros(int(self.array[-1]) + 2, np.bool_)
            self._bits[self.array] = True
        found: NDArray[bool_] = self._bits[np.minimum(rows, len(self._bits) - 1)]
        return found

    def __contains__(self, row: object) -> bool:
        import numpy as np

        return isinstance(row, int) and bool(self.has(np.array([row], np.int64))[0])

    def __iter__(self) -> Iterator[int]:
        return iter(self.array.tolist())

    def __len__(self) -> int:
        return len(self.array)


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
