"""The passage of an exchange that answers a query best, from the masked text that was indexed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import asdict, astuple

from pastwork.distill.redact import masked
from pastwork.distill.text import texts
from pastwork.errors import NotFound
from pastwork.index.base import Fields
from pastwork.search.snippet import snippet
from pastwork.shapes import Snippet
from pastwork.store.reader import StoreReader

#: Texts kept for the next search, which often finds the same exchanges (a query is typed letter by letter).
KEPT = 200


class Passages:
    """Texts are kept as long as the store's content stays the same."""

    def __init__(self, masking: bool) -> None:
        self._masking = masking
        self._texts: dict[int, str] = {}
        self._content = -1

    def text(self, store: StoreReader, row: int) -> str:
        """The row's masked searchable text. Raises NotFound, and ValueError where it is damaged."""
        content = store.content()
        if content != self._content or len(self._texts) >= KEPT:
            self._texts.clear()
            self._content = content
        if row not in self._texts:
            self._texts[row] = "\n\n".join(part for part in astuple(fields(store, row, self._masking)) if part)
        return self._texts[row]

    def best(self, store: StoreReader, row: int, weights: Mapping[str, float], phrases: Sequence[str]) -> Snippet:
        """An empty snippet where the verbatim can't be read (``show`` says why)."""
        try:
            return snippet(self.text(store, row), weights, phrases)
        except (NotFound, ValueError):
            return Snippet()


def fields(store: StoreReader, row: int, masking: bool) -> Fields:
    """What the keyword lane saw of the exchange; distilled again where the store has not kept it.

    Raises NotFound, and ValueError where what is kept is damaged.
    """
    try:
        return store.fields(row)
    except NotFound:
        exchange = store.verbatim(row)
    return Fields(**asdict(texts(masked(exchange) if masking else exchange)))
