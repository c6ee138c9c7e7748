"""The two layers as texts by row, and how to tell which of them changed.

A lane that is not part of the store (full text, vectors of other texts) compares ``marks`` with those
of the texts it holds and takes up the difference.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from pastwork.index.base import Fields
from pastwork.model import PalaceObject
from pastwork.search.modes import Field

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

#: Row -> a mark of ``MARK`` bytes that changes with the row's text.
Marks = dict[int, bytes]
MARK = 16


class Distilled(Protocol):
    """What is needed of a stored exchange here."""

    @property
    def object(self) -> PalaceObject: ...

    @property
    def terms(self) -> str: ...


class News(Protocol):
    """Vectors that came after an id; not ``whole``: ask again after ``last``."""

    @property
    def last(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def whole(self) -> bool: ...
    @property
    def rows(self) -> NDArray[int64]: ...
    @property
    def matrix(self) -> NDArray: ...  # type: ignore[type-arg]


class Source(Protocol):
    """What searching needs of the store's reader."""

    @property
    def connection(self) -> sqlite3.Connection: ...

    def generation(self) -> int: ...

    def content(self) -> int: ...

    def kept(self, wanted: Collection[int]) -> Mapping[int, Distilled]: ...

    def vectors_since(self, recipe: str, last: int) -> News: ...

    def vector_rows(self, recipe: str) -> list[int]: ...


class Corpus(Protocol):
    """One layer's texts."""

    name: str

    def marks(self) -> Marks: ...

    def fields(self, row: int) -> Fields: ...


class Verbatim:
    """The masked verbatim; ``fields_of`` reads one row's, which takes about a millisecond."""

    def __init__(self, source: Source, fields_of: Callable[[int], Fields]) -> None:
        self.name = "verbatim"
        self._source = source
        self.fields = fields_of

    def marks(self) -> Marks:
        """After the store's own marks of each reading."""
        return {row: _mark(mark) for row, mark in self._source.connection.execute("SELECT row, content FROM exchange")}


class Objects:
    """Chosen fields of the palace objects; read all at once, they are short."""

    def __init__(self, source: Source, fields: tuple[Field, ...]) -> None:
        self.name = "distilled-" + "+".join(fields)
        self._source, self._chosen = source, fields
        self._texts: dict[int, str] = {}

    def marks(self) -> Marks:
        """A digest of each text."""
        rows = [row for (row,) in self._source.connection.execute("SELECT row FROM exchange")]
        kept = self._source.kept(rows)
        self._texts = {row: distilled_text(found.object, self._chosen, found.terms) for row, found in kept.items()}
        return {row: _mark(text.encode("utf-8", "replace")) for row, text in self._texts.items()}

    def fields(self, row: int) -> Fields:
        """As of the last ``marks``."""
        return Fields(prose=self._texts.get(row, ""))


def distilled_text(palace_object: PalaceObject, fields: Collection[Field], terms: str = "") -> str:
    """The chosen fields, a line each: sentences (key terms before the core), rooms by label, files by path."""
    lines = {
        "core": f"{terms}\n{palace_object.exchange_core}".lstrip("\n"),
        "context": palace_object.specific_context,
        "rooms": ", ".join(room.room_label for room in palace_object.room_assignments),
        "files": " ".join(touch.path for touch in palace_object.files_touched),
    }
    return "\n".join(lines[field] for field in lines if field in fields)


def difference(old: Marks, new: Marks) -> tuple[list[int], list[int]]:
    """Rows that are new or changed, and rows that are gone."""
    return [row for row, mark in new.items() if old.get(row) != mark], [row for row in old if row not in new]


def _mark(data: bytes) -> bytes:
    return blake2b(data, digest_size=MARK).digest()
