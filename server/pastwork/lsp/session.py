"""Everything one connection knows: folders, settings, documents, and the maps that answers come from.

Lens and hover are computed here from memory, in the event loop, in well under a millisecond; nothing
in this module touches a disk, a model or another process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from lsprotocol import types as lsp
from msgspec import Struct
from pygls.workspace import PositionCodec

from pastwork.anchor.paths import below, key
from pastwork.config import Config
from pastwork.errors import BadUsage
from pastwork.glance import Glance
from pastwork.lsp import code_lens, hover
from pastwork.lsp.authors import Placed
from pastwork.lsp.documents import Document, Documents, path_of
from pastwork.lsp.filemap import FileMap
from pastwork.lsp.references import referenced
from pastwork.lsp.settings import Abilities
from pastwork.palace.scope import Scope


class LensData(Struct, frozen=True):
    """What a lens carries to be resolved by."""

    uri: str
    line: int | None = None


class Session:
    """``clock`` gives UTC; ``documents_folder`` is where plain editors' verbatim files lie."""

    def __init__(self, home: Path, documents_folder: Path, clock: Callable[[], datetime]) -> None:
        self.abilities = Abilities()
        self.config = Config()
        self.folders: tuple[Path, ...] = ()
        self.documents = Documents()
        self.map = FileMap()
        self.scope = Scope.of((), home)
        self.placed: dict[str, Placed] = {}
        self.codec = PositionCodec()
        self._documents_folder = documents_folder
        self._clock = clock

    # --- where ------------------------------------------------------------------------------------------

    def key_of(self, uri: str) -> str | None:
        """Today's key of the file a URI names; None where it names none on this disk."""
        path = path_of(uri)
        return None if path is None else self.scope.places.today(str(path))

    def root_of(self, file: str) -> str | None:
        """The client's folder that holds the file; both are keys."""
        return next((root for root in self.scope.places.roots if below(file, root)), None)

    def singles(self) -> frozenset[Path]:
        """Open files outside of every folder."""
        paths = (document.path for document in self.documents)
        return frozenset(path for path in paths if path is not None and not self._is_inside(path))

    def _is_inside(self, path: Path) -> bool:
        return any(below(key(str(path)), key(str(folder))) for folder in self.folders)

    def works(self, uri: str) -> Sequence[Glance]:
        file = self.key_of(uri)
        return () if file is None else self.map.of(file)

    # --- answers ----------------------------------------------------------------------------------------

    def lenses(self, uri: str) -> list[lsp.CodeLens]:
        """None at all where there is nothing to say."""
        return [self.lens(uri, line, title) for line, title in self.lens_titles(uri)]

    def lens_titles(self, uri: str) -> Iterator[tuple[int | None, str]]:
        """(line, title): the file's own lens has no line."""
        works, now = self.works(uri), self._clock()
        if works and self.config.lens.file:
            yield None, code_lens.file_title(works, now)
        document, placed = self.documents.get(uri), self.placed.get(uri)
        if not self.config.lens.symbols or document is None or placed is None:
            return
        for piece in placed.authors.pieces:
            line = placed.line_now(piece.line, document.lines)
            if line is not None and (wrote := placed.works(piece.ids)):
                yield line, code_lens.symbol_title(wrote, now)

    def lens_facts(self, uri: str) -> object:
        """What the lenses of a document say, without how long ago it was: compared to know when they change."""
        placed = self.placed.get(uri) if self.config.lens.symbols else None
        return self.works(uri), placed.authors if placed else (), self.config.lens.file

    def resolved(self, lens: lsp.CodeLens) -> lsp.CodeLens:
        """The lens as it is now. Raises BadUsage for one that is not ours."""
        found = self._told_of(lens.data)
        if found is None:
            lens.command = lsp.Command("no past work any more", "")
            return lens
        return found

    def _told_of(self, data: object) -> lsp.CodeLens | None:
        try:
            asked = msgspec.convert(data, LensData)
        except msgspec.ValidationError as error:
            raise BadUsage(f"not a lens of this server: {error}") from None
        return next(
            (self.lens(asked.uri, line, title) for line, title in self.lens_titles(asked.uri) if line == asked.line),
            None,
        )

    def lens(self, uri: str, line: int | None, title: str) -> lsp.CodeLens:
        return code_lens.lens(title, uri, line, self.abilities.opens_history)

    def hover_at(self, uri: str, position: lsp.Position) -> hover.Told | None:
        """None where there is nothing to say."""
        document, file = self.documents.get(uri), self.key_of(uri)
        if not self.config.hover.enabled or document is None or file is None:
            return None
        if position.line >= len(document.lines):
            return None
        return hover.joined(self._hover_parts(document, file, position), self._style())

    def _hover_parts(self, document: Document, file: str, position: lsp.Position) -> Iterator[hover.Told]:
        line, now, style = position.line + 1, self._clock(), self._style()
        if other := self._named(document, file, position):
            name = self.scope.places.relative(other) or other
            yield hover.of_file(self.map.of(other), style, now, name)
            return
        placed = self.placed.get(document.uri)
        if author := placed and placed.author(line, document.lines):
            yield hover.of_line(author, style, now)
        if line == 1 and (works := self.map.of(file)):
            yield hover.of_file(works, style, now)

    def _named(self, document: Document, file: str, position: lsp.Position) -> str | None:
        """The file with past work that the text under the cursor names."""
        root = self.root_of(file)
        if root is None:
            return None
        text = document.lines[position.line]
        return referenced(text, document.column(position, self.codec), file, root, self.map)

    def _style(self) -> hover.Style:
        if not self.abilities.reads_markdown:
            return hover.plain()
        if self.abilities.command_links:
            return hover.Style(hover.command_link)
        if self.abilities.shows_exchanges:
            return hover.Style(hover.document_link)
        return hover.Style(lambda exchange_id: hover.file_link(self._documents_folder / f"{exchange_id}.md"))
