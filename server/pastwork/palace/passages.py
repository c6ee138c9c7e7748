"""The passage of an exchange that answers a query best, from its masked verbatim.

Most bytes of a verbatim are tool outputs that no search looks at: they are left out before masking.
Most texts hold no secret: one look at all of them together tells so, and spares masking each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pastwork.distill.redact import MESSAGE_CHARS, OUTPUT_CHARS, cut, masked, redact
from pastwork.distill.text import command_of, searchable
from pastwork.errors import NotFound
from pastwork.model import Entry, Exchange
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
            self._texts[row] = searched_text(store.verbatim(row), self._masking)
        return self._texts[row]

    def best(self, store: StoreReader, row: int, weights: Mapping[str, float], phrases: Sequence[str]) -> Snippet:
        """An empty snippet where the verbatim can't be read (``show`` says why)."""
        try:
            return snippet(self.text(store, row), weights, phrases)
        except (NotFound, ValueError):
            return Snippet()


def searched_text(exchange: Exchange, masking: bool) -> str:
    """What the keyword lane saw of the exchange, masked."""
    return searchable(searched(exchange, masking))


def searched(exchange: Exchange, masking: bool) -> Exchange:
    """The exchange as far as ``distill.text`` makes it searchable, masked: the same texts as at indexing."""
    needed = replace(exchange, entries=tuple(_needed(entry) for entry in exchange.entries), edits=())
    if not masking:
        return needed
    if _holds_secret(needed):
        return masked(needed)
    entries = tuple(_shortened(entry) for entry in needed.entries)
    return replace(needed, prompt=cut(needed.prompt, MESSAGE_CHARS), entries=entries)


def _shortened(entry: Entry) -> Entry:
    """Cut where masking cuts, so that both ways give the same text."""
    tool = entry.tool
    if tool is not None:
        given, output = cut(tool.input_json, OUTPUT_CHARS), cut(tool.output, OUTPUT_CHARS)
        return replace(entry, tool=replace(tool, input_json=given, output=output))
    return replace(entry, text=cut(entry.text, MESSAGE_CHARS)) if len(entry.text) > MESSAGE_CHARS else entry


def _holds_secret(exchange: Exchange) -> bool:
    """Whether masking any text would change it; a break between two texts ends every secret's pattern."""
    texts = [exchange.prompt]
    for entry in exchange.entries:
        texts.append(entry.text)
        if entry.tool is not None:
            texts += (entry.tool.input_json, entry.tool.output)
    joined = "\n\n".join(texts)
    return redact(joined) != joined


def _needed(entry: Entry) -> Entry:
    """The entry without what ``searchable`` leaves out: outputs of what went well, inputs that run nothing, diffs."""
    tool = entry.tool
    if tool is None:
        return entry
    output = tool.output if tool.ok is False else ""
    given = tool.input_json if command_of(tool) else "{}"
    return replace(entry, tool=replace(tool, summary="", input_json=given, output=output, diff=None))
