"""Who wrote which line of a text that is open: what an editor's hovers and symbol lenses show."""

from __future__ import annotations

from msgspec import Struct

from pastwork.anchor.attribution import Attribution
from pastwork.anchor.placer import Placed
from pastwork.anchor.symbols import symbols
from pastwork.glance import Glance
from pastwork.store import overview
from pastwork.store.reader import StoreReader


class Author(Struct, frozen=True):
    """An exchange that wrote lines which stand, ``standing`` of ``added``; ``lines`` are [first, last] runs."""

    glance: Glance
    lines: tuple[tuple[int, int], ...]
    standing: int
    added: int


class Piece(Struct, frozen=True):
    """A function or class that exchanges wrote: the line of its name, and their ids, most lines first."""

    name: str
    line: int
    ids: tuple[str, ...]


class Authors(Struct, frozen=True):
    """``authors`` newest first. ``settled`` says that asking again would not change it."""

    authors: tuple[Author, ...] = ()
    pieces: tuple[Piece, ...] = ()
    settled: bool = True


def authors(store: StoreReader, placed: Placed, file: str, text: str, with_pieces: bool) -> Authors:
    """``with_pieces`` also looks for the functions and classes of the text."""
    works = [work for work in placed.attribution.works if work.lines]
    glances = overview.glances(store.connection, [work.row for work in works])
    found = tuple(
        Author(glances[work.row], work.lines, work.standing, work.added) for work in works if work.row in glances
    )
    return Authors(found, tuple(_pieces(placed.attribution, file, text)) if with_pieces else (), placed.settled)


def _pieces(attribution: Attribution, file: str, text: str) -> list[Piece]:
    found = [(symbol, attribution.within(symbol.first, symbol.last)) for symbol in symbols(file, text)]
    return [Piece(symbol.name, symbol.line, ids) for symbol, ids in found if ids]
