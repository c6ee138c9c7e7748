"""Tokens and time of a pack of many exchanges.

Byte pairs are counted with the vocabulary ``o200k_base`` where ``rs-bpe`` is installed (it carries the
vocabulary, so nothing is fetched), else taken to be ``APPROXIMATELY`` of the word pieces.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer

from pastwork.palace import Palace
from pastwork.palace.context import Form, Packing, pack
from pastwork.palace.tokenizer import tokenizer
from pastwork.search.filters import Filters
from pastwork.store.reader import StoreReader
from pastwork.store.records import RowFilter

#: Byte pairs for each word piece, as measured on packs where the vocabulary was there.
APPROXIMATELY = 0.875
TIMES = 20
#: A budget that holds all there is.
EVERYTHING = 10_000_000


@dataclass(frozen=True)
class Packed:
    """One pack: tokens by both tokenizers, marks and all."""

    what: str
    exchanges: int
    folded: int
    pieces: int
    pairs: int


@dataclass(frozen=True)
class Timed:
    """Milliseconds: the first pack of a process (words not counted before), the median of later ones by the clock
    and by processor time, and of ``Palace.context`` as a whole, which finds the exchanges and reads them too."""

    first: float
    packing: float
    processor: float
    whole: float


class Counts:
    """Both tokenizers; ``pairs_by`` says what counts byte pairs."""

    def __init__(self, model: Path) -> None:
        self._pieces = Tokenizer.from_file(str(model / "tokenizer.json"))
        self._pieces.no_truncation()
        self._pieces.no_padding()
        self.pairs_by = "o200k_base" if find_spec("rs_bpe") else f"estimated: {APPROXIMATELY} of the word pieces"
        self._pairs = _pairs()

    def of(self, text: str) -> tuple[int, int]:
        """(word pieces, byte pairs)."""
        pieces = len(self._pieces.encode(text, add_special_tokens=False).ids)
        return pieces, round(pieces * APPROXIMATELY) if self._pairs is None else self._pairs(text)


def packed(palace: Palace, counts: Counts, count: int, query: str) -> Iterator[Packed]:
    """The newest exchanges, those best for a query, the newest as Markdown, and the newest without any trimming."""
    everything = Filters(scope="all", limit=count)
    asked: list[tuple[str, str | None, Form]] = [
        ("the newest", None, "text"),
        ("the best for a query", query, "text"),
        ("the newest, as Markdown", None, "markdown"),
    ]
    for what, words, form in asked:
        answer = palace.context(everything, EVERYTHING, words, form=form)
        yield Packed(what, answer.exchanges, answer.folded, *counts.of(answer.text))


def whole_objects(store: StoreReader, counts: Counts, count: int) -> Packed:
    """Cores and contexts of the same newest exchanges as they are stored, without ids, days and files."""
    kept = store.kept(store.recent(RowFilter(), count)).values()
    text = "\n".join(f"{each.object.exchange_core}\n{each.object.specific_context}" for each in kept)
    return Packed("cores and contexts alone, as stored", len(kept), 0, *counts.of(text))


def timed(palace: Palace, store: StoreReader, count: int) -> Timed:
    """Of the newest ``count`` exchanges."""
    kept = store.kept(store.recent(RowFilter(), count))
    found = list(kept.values())
    short = store.short([each.id for each in found])
    packing = Packing(EVERYTHING, tokenizer=tokenizer(palace.config, palace.data), nonce="0" * 16)
    first = _milliseconds(lambda: pack(found, short, packing))
    later = [_milliseconds(lambda: pack(found, short, packing)) for _ in range(TIMES)]
    processor = [_milliseconds(lambda: pack(found, short, packing), time.process_time) for _ in range(TIMES)]
    filters = Filters(scope="all", limit=count)
    whole = [_milliseconds(lambda: palace.context(filters, EVERYTHING)) for _ in range(TIMES)]
    return Timed(first, *map(statistics.median, (later, processor, whole)))


def _pairs() -> Callable[[str], int] | None:
    """None where the vocabulary is not installed."""
    if not find_spec("rs_bpe"):
        return None
    counter: Callable[[str], int] = import_module("rs_bpe.bpe").openai.o200k_base().count
    return counter


def _milliseconds(deed: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    begun = clock()
    deed()
    return (clock() - begun) * 1000
