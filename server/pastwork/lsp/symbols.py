"""``workspace/symbol``: past exchanges by words of their core or rooms, from memory, so that any editor can search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types as lsp

from pastwork.glance import Glance
from pastwork.marks import one_line

MOST = 50
_NAME_WIDTH = 160


def matching(works: Iterable[Glance], query: str) -> Iterator[Glance]:
    """Those that hold every word of the query, case aside, in the order given; all of them for no words."""
    words = query.casefold().split()
    for work in works:
        text = " ".join((work.core, *work.rooms)).casefold()
        if all(word in text for word in words):
            yield work


def symbol(work: Glance, uri: str) -> lsp.WorkspaceSymbol:
    """``uri`` is the verbatim's document."""
    start = lsp.Position(0, 0)
    return lsp.WorkspaceSymbol(
        lsp.Location(uri, lsp.Range(start, start)),
        one_line(work.core, _NAME_WIDTH) or work.id,
        lsp.SymbolKind.Event,
        container_name=one_line(", ".join(work.rooms), _NAME_WIDTH) or None,
    )
