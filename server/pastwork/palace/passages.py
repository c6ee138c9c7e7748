"""The passage of an exchange that answers a query best, from the masked text that was indexed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import asdict, astuple

from pastwork.distill.redact import masked
from pastwork.distill.text import texts
from pastwork.errors import NotFound
from pastwork.index.base import Fields
from pastwork.search.snippet import Seeker
from pastwork.shapes import Snippet
from pastwork.store.reader import StoreReader

#: Texts kept for the next search, which often finds the same exchanges (a query is typed letter by letter).
KEPT = 200
#: Texts read at once.
READ = 50


class Passages:
    """Texts are kept as long as the store's content stays the same."""

    def __init__(self, masking: bool) -> None:
        self._masking = masking
        self._texts: dict[int, str] = {}
        self._content = -1

    def text(self, store: StoreReader, row: int) -> str:
        """The row's masked searchable text. Raises NotFound, and ValueError where it is damaged."""
        self._follow(store)
        return self._text(store, row)

    def best(
        self, store: StoreReader, rows: Sequence[int], weights: Mapping[str, float], phrases: Sequence[str]
    ) -> Iterator[Snippet]:
        """The best passage of each row; an empty one where the verbatim can't be read (``show`` says why)."""
        self._follow(store)
        seeker = Seeker(weights, phrases)
        for start in range(0, len(rows), READ):
            part = rows[start : start + READ]
            self._bring(store, part)
            yield from (self._best(store, row, seeker) for row in part)

    def _best(self, store: StoreReader, row: int, seeker: Seeker) -> Snippet:
        try:
            return seeker.snippet(self._text(store, row))
        except (NotFound, ValueError):
            return Snippet()

    def _text(self, store: StoreReader, row: int) -> str:
        if row not in self._texts:
            self._keep({row: fields(store, row, self._masking)})
        return self._texts[row]

    def _bring(self, store: StoreReader, rows: Sequence[int]) -> None:
        """Reads the texts that are not in memory in one go."""
        self._keep(store.many_fields([row for row in rows if row not in self._texts]))

    def _keep(self, found: Mapping[int, Fields]) -> None:
        if len(self._texts) + len(found) > KEPT:
            self._texts.clear()
        for row, read in found.items():
            self._texts[row] = "\n\n".join(part for part in astuple(read) if part)

    def _follow(self, store: StoreReader) -> None:
        content = store.content()
        if content != self._content:
            self._texts.clear()
            self._content = content


def fields(store: StoreReader, row: int, masking: bool) -> Fields:
    """What the keyword lane saw of the exchange; distilled again where the store has not kept it.

    Raises NotFound, and ValueError where what is kept is damaged.
    """
    try:
        return store.fields(row)
    except NotFound:
        exchange = store.verbatim(row)
    return Fields(**asdict(texts(masked(exchange) if masking else exchange)))
