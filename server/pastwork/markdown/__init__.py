"""Answers as Markdown that nothing in a transcript can make active.

One renderer for every client: the drill-down document, hovers, ``pastwork show --format markdown``.
Text of transcripts is escaped or fenced, hidden characters are shown as marks, links are our own.
"""

from pastwork.markdown.exchange import exchange_document
from pastwork.markdown.inline import code, document_address, document_link, escape
from pastwork.markdown.prose import fence, formatted, literal, literal_line

__all__ = [
    "code",
    "document_address",
    "document_link",
    "escape",
    "exchange_document",
    "fence",
    "formatted",
    "literal",
    "literal_line",
]
