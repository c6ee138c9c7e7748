"""The open documents and where they lie.

A document's text is whatever the client last sent, saved or not. Lines end as the protocol says
(``\\r\\n``, ``\\n``, ``\\r``), not as Python's ``splitlines`` does. Documents that are no files on
this disk (``untitled:``, ``git:``, a notebook's cells, another host's share) have no path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

_LINE_END = re.compile(r"\r\n|\n|\r")
_DRIVE = re.compile(r"^/([A-Za-z]):(?=/|$)")
#: No system opens a longer one.
_LONGEST_PATH = 4096
_SURROGATE = re.compile("[\ud800-\udfff]")


def path_of(uri: str) -> Path | None:
    """The local file a URI names; None where it names none."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not path or "\0" in path:
        return None
    if len(path) > _LONGEST_PATH:
        return None
    if os.name == "nt":
        path = _DRIVE.sub(r"\1:", path)
    return Path(_SURROGATE.sub("\ufffd", path))


class Document:
    """One open document at one version; a change makes a new one."""

    def __init__(self, uri: str, version: int, text: str) -> None:
        self.uri = uri
        self.version = version
        self.text = text

    @cached_property
    def path(self) -> Path | None:
        return path_of(self.uri)

    @cached_property
    def lines(self) -> Sequence[str]:
        return _LINE_END.split(self.text) if "\r" in self.text else self.text.split("\n")

    def column(self, position: lsp.Position, codec: PositionCodec) -> int:
        """The index in its line that a position means; positions beyond the text are clamped."""
        if position.line >= len(self.lines):
            return 0
        units, wanted = 0, position.character
        for index, character in enumerate(self.lines[position.line]):
            if units >= wanted:
                return index
            units += codec.client_num_units(character)
        return len(self.lines[position.line])

    def changed(self, change: lsp.TextDocumentContentChangeEvent, version: int, codec: PositionCodec) -> Document:
        """The document after one change.

        Only whole texts are asked for; a client that sends ranges all the same is understood, with
        every position clamped into the text.
        """
        if not isinstance(change, lsp.TextDocumentContentChangePartial):
            return Document(self.uri, version, change.text)
        ends = sorted((self._offset(change.range.start, codec), self._offset(change.range.end, codec)))
        return Document(self.uri, version, self.text[: ends[0]] + change.text + self.text[ends[1] :])

    def _offset(self, position: lsp.Position, codec: PositionCodec) -> int:
        starts = [0, *(end.end() for end in _LINE_END.finditer(self.text))]
        if position.line >= len(starts):
            return len(self.text)
        return starts[position.line] + self.column(position, codec)


class Documents:
    """By URI, percent-encoding aside: clients do not always send the same spelling."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}

    def put(self, document: Document) -> None:
        self._open[unquote(document.uri)] = document

    def get(self, uri: str) -> Document | None:
        return self._open.get(unquote(uri))

    def close(self, uri: str) -> None:
        self._open.pop(unquote(uri), None)

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))
