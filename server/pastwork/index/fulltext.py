"""The full-text lane: Whoosh with BM25F over fields.

In: texts by row. Out: rows by BM25F (S. Robertson, H. Zaragoza and M. Taylor, 2004: weigh the
frequencies, then score once). Whoosh's own BM25F scores field by field and adds, so that a word in two
fields counts twice and rare fields get rare words: MRR .61 where this has .77 (bench/quality/results).
A field's weight is therefore how often its tokens are written. The analyser is ``tokens.py``, stems
included, so that a query's tokens mean the same in every lane. The index is a derived folder; a stamp
beside it tells which texts are in it, and a checksum of its files that they are whole.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pastwork.index import derived
from pastwork.index.base import Fields, Matches, Scored
from pastwork.index.bm25 import K1, B
from pastwork.index.derived import Stamp
from pastwork.index.okapi import WEIGHTS
from pastwork.index.scoring import UNIT
from pastwork.index.tokens import tokens

#: Whoosh's objects, whose types it does not tell.
Whoosh = Any
#: The one field of the index.
TEXT = "text"
#: Documents of one commit, and megabytes a writer may use.
BATCH, MEMORY = 4_000, 256
FORMAT = 2


def weighted(fields: Fields) -> Iterator[str]:
    """Every token as often as its field counts, in halves."""
    for field, weight in WEIGHTS.items():
        yield from tokens(getattr(fields, field)) * weight


class Holdings(Stamp, frozen=True):
    """The folder's stamp, and the marks of the texts in it by row."""

    format: int
    marks: dict[int, bytes]


class FulltextLane:
    """BM25F in the folder ``place``; ``origin`` names the store whose texts it holds."""

    def __init__(self, place: Path, origin: str) -> None:
        self._place, self._origin = place, origin
        self._index: Whoosh = None
        self._marks: dict[int, bytes] = {}
        self._searcher: Whoosh = None
        self._rows: dict[int, int] = {}
        self._numbers: dict[int, int] = {}

    def update(self, marks: Mapping[int, bytes], fields: Callable[[int], Fields], generation: int = 0) -> int:
        """Brings the folder up to the texts that ``marks`` tell of; gives how many were taken up or out.

        A folder that is damaged, half written or of another origin is made anew.
        """
        if self._index is None:
            self._open()
        changed = [row for row, mark in marks.items() if self._marks.get(row) != mark]
        gone = [row for row in self._marks if row not in marks]
        if not changed and not gone:
            return 0
        self._forget_stamp()
        moved = len(changed) + len(gone)
        for start in range(0, max(1, len(changed)), BATCH):
            part = changed[start : start + BATCH]
            self._write(((row, fields(row)) for row in part), [*gone, *(row for row in part if row in self._marks)])
            gone = []
        self._marks = dict(marks)
        self._stamp(generation)
        return moved

    def add(self, rows: Iterable[tuple[int, Fields]]) -> None:
        """Adds or replaces rows whose marks nobody keeps."""
        found = dict(rows)
        kept = {row: mark for row, mark in self._marks.items() if row not in found}
        self.update(
            kept | {row: hashlib.blake2b(repr(f).encode(), digest_size=16).digest() for row, f in found.items()},
            found.__getitem__,
        )

    def remove(self, rows: Collection[int]) -> None:
        """Takes rows out."""
        gone = set(rows)
        self.update({row: mark for row, mark in self._marks.items() if row not in gone}, lambda row: Fields())

    def search(self, query: str, k: int, allowed: Collection[int] | None = None) -> list[Scored]:
        """The ``k`` best rows for the query's tokens."""
        return self.lookup(dict.fromkeys(tokens(query), 1.0), k, allowed).top

    def lookup(
        self, terms: Mapping[str, float], k: int, allowed: Collection[int] | None = None, also: Collection[int] = ()
    ) -> Matches:
        """The ``k`` best rows for weighted tokens, and the scores of those of ``also`` that match."""
        if not terms or k <= 0 or not self._marks:
            return Matches([], 0, {})
        from whoosh.query import Or, Term

        query = Or([Term(TEXT, term, boost=weight) for term, weight in terms.items()])
        searcher = self._reading()
        inside = None if allowed is None else self._numbers_of(allowed)
        asked = self._numbers_of(also) if inside is None else self._numbers_of(also) & inside
        if inside is not None and not inside:
            return Matches([], 0, {})
        results = searcher.search(query, limit=k, filter=inside)
        top = [Scored(self._rows[number], score) for score, number in results.top_n]
        told = searcher.search(query, limit=len(asked), filter=asked).top_n if asked else ()
        return Matches(top, len(results), {self._rows[number]: score for score, number in told})

    def _numbers_of(self, rows: Collection[int]) -> set[int]:
        """Whoosh's document numbers of the rows."""
        return {self._numbers[row] for row in rows if row in self._numbers}

    def close(self) -> None:
        if self._searcher is not None:
            self._searcher.close()
            self._searcher = None
        if self._index is not None:
            self._index.close()
            self._index = None

    # --- inside

    def _open(self) -> None:
        """The folder as an earlier process left it, or an empty one."""
        from whoosh import fields, index
        from whoosh.analysis import SpaceSeparatedTokenizer

        held = self._held()
        if held is not None:
            self._index, self._marks = index.open_dir(str(self._place)), dict(held.marks)
            return
        shutil.rmtree(self._place, ignore_errors=True)
        self._place.mkdir(parents=True, mode=0o700)
        row = fields.NUMERIC(int, bits=64, unique=True, stored=True, sortable=True)
        words = fields.TEXT(analyzer=SpaceSeparatedTokenizer(), phrase=False)
        schema = fields.Schema(row=row, **{TEXT: words})
        self._index, self._marks = index.create_in(str(self._place), schema), {}

    def _held(self) -> Holdings | None:
        """The stamp, where the files still are what it says."""
        held = derived.stamp(self._place, Holdings)
        same = held and held.format == FORMAT and held.origin == self._origin and held.count == len(held.marks)
        try:
            return held if held and same and held.checksum == derived.checksum(self._place) else None
        except OSError:
            return None

    def _write(self, documents: Iterable[tuple[int, Fields]], gone: Collection[int]) -> None:
        writer = self._index.writer(limitmb=MEMORY)
        for row in gone:
            writer.delete_by_term("row", row)
        for row, fields in documents:
            writer.add_document(row=row, **{TEXT: " ".join(weighted(fields))})
        writer.commit()
        derived.tighten(self._place)
        if self._searcher is not None:
            self._searcher.close()
            self._searcher = None

    def _reading(self) -> Whoosh:
        if self._searcher is None:
            from whoosh.scoring import BM25F

            self._searcher = self._index.searcher(weighting=BM25F(B=B, K1=K1 * UNIT))
            reader = self._searcher.reader()
            rows = reader.column_reader("row")
            self._rows = {number: int(rows[number]) for number in reader.all_doc_ids()}
            self._numbers = {row: number for number, row in self._rows.items()}
        return self._searcher

    def _stamp(self, generation: int) -> None:
        whole = derived.checksum(self._place)
        derived.vouch(self._place, Holdings(self._origin, generation, len(self._marks), whole, FORMAT, self._marks))

    def _forget_stamp(self) -> None:
        """While files change, no stamp vouches for them."""
        derived.stamp_of(self._place).unlink(missing_ok=True)
