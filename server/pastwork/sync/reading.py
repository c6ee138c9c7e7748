"""One transcript as a stream of steps: how it looked, what it holds, why not.

The same steps come from this process or from a helper process (``ahead.py``), where exchanges are
distilled too. The file is looked at before it is read, so that whatever is appended meanwhile shows
as growth the next time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pastwork.distill.text import cut
from pastwork.model import Entry, Exchange, Problem, Session
from pastwork.sync import stamp as stamps
from pastwork.sync.digest import Distilled
from pastwork.transcripts.base import Item, Position, Reader, Source, Turn


class Seen(Struct, frozen=True, tag=True):
    """How the files looked before they were read; comes first."""

    stamp: stamps.Stamp


class Refused(Struct, frozen=True, tag=True):
    """No file that can be read, and why; comes alone."""

    reason: str
    vanished: bool = False


class Told(Struct, frozen=True, tag=True):
    """One exchange, its tools' outputs cut to the bound; ``distilled`` where a helper did that already."""

    exchange: Exchange
    at: Position
    distilled: Distilled | None = None


class Met(Struct, frozen=True, tag=True):
    session: Session


class Bad(Struct, frozen=True, tag=True):
    problem: Problem


class Failed(Struct, frozen=True, tag=True):
    """The reader raised, or the helper was lost; comes last. What follows in the transcript is not known."""

    kind: str


Step = Seen | Refused | Told | Met | Bad | Failed


class Order(Struct, frozen=True):
    """What to read, and how: ``version`` of the readers goes into the stamp, ``bound`` bytes are kept of one
    tool's output."""

    source: Source
    since: Position | None = None
    version: str = ""
    bound: int = 1 << 30
    masking: bool = True

    def encoded(self) -> bytes:
        """Paths travel as the file system's bytes."""
        return msgspec.msgpack.encode(self, enc_hook=os.fsencode)

    @classmethod
    def decoded(cls, message: bytes) -> Order:
        return msgspec.msgpack.decode(message, type=cls, dec_hook=lambda _, name: Path(os.fsdecode(name)))


def steps(reader: Reader, order: Order, distil: Callable[[Exchange], Distilled] | None = None) -> Iterator[Step]:
    """A transcript's steps; exchanges are distilled where ``distil`` is given."""
    source = order.source
    try:
        yield Seen(stamps.look(source.path, source.parts, order.version))
    except stamps.Odd as odd:
        yield Refused(str(odd))
        return
    except FileNotFoundError:
        yield Refused("vanished before it could be read", vanished=True)
        return
    try:
        for item in reader.read(source, order.since):
            yield _step(item, order.bound, distil)
    except Exception as error:  # noqa: BLE001 readers never raise on bad input; if one does, it costs one transcript's rest
        yield Failed(type(error).__name__)


def bounded(exchange: Exchange, limit: int) -> Exchange:
    """The exchange with each tool's output cut to head and tail of about ``limit`` bytes in all."""
    if all(entry.tool is None or len(entry.tool.output) <= limit for entry in exchange.entries):
        return exchange
    return replace(exchange, entries=tuple(_bounded(entry, limit) for entry in exchange.entries))


def _step(item: Item, bound: int, distil: Callable[[Exchange], Distilled] | None) -> Step:
    match item:
        case Turn(exchange=exchange, at=at):
            exchange = bounded(exchange, bound)
            return Told(exchange, at, distil(exchange) if distil else None)
        case Session():
            return Met(item)
        case Problem():
            return Bad(item)


def _bounded(entry: Entry, limit: int) -> Entry:
    if entry.tool is None or len(entry.tool.output) <= limit:
        return entry
    return replace(entry, tool=replace(entry.tool, output=cut(entry.tool.output, limit)))
