"""Postings kept in the store's own tables, in immutable segments.

In: bags of words by row. Out: per segment and term the places and frequencies as arrays. Everything
happens inside the caller's transaction, so what a reader of the store sees is always one state of
both. Scoring is left to ``okapi.py``.

A new exchange is *pending* (its bag as one value) until there are ``FLUSH`` of them; those become a
segment, and ``FAN`` segments of one size class become one of the next: each posting is rewritten a
handful of times in its life (a log-structured merge, as in P. O'Neil et al., 1996). A replaced or
removed row of a segment is *dead* until that segment is rewritten.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from pastwork.index.segments import LARGEST, Bag, Flat, Segment, unpack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Question marks of one statement that every SQLite takes.
MOST_MARKS = 900
SCHEMA = """
CREATE TABLE IF NOT EXISTS okapi_meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS okapi_pending (row INTEGER PRIMARY KEY, bag BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS okapi_segment (
    id INTEGER PRIMARY KEY, rows BLOB NOT NULL, lengths BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS okapi_posting (
    segment INTEGER NOT NULL, term TEXT NOT NULL, places BLOB NOT NULL, PRIMARY KEY (segment, term)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS okapi_term (term TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS okapi_dead (
    segment INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (segment, place)) WITHOUT ROWID;
"""
TABLES = ("okapi_meta", "okapi_pending", "okapi_segment", "okapi_posting", "okapi_term", "okapi_dead")


class KeywordsDamaged(sqlite3.DatabaseError):
    """The tables hold what nobody wrote; they are made anew by the next pass."""


class Postings:
    """Reads and writes the ``okapi_*`` tables on the connection it is given."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._encode = msgspec.msgpack.Encoder().encode
        self._bag = msgspec.msgpack.Decoder(dict[str, int]).decode

    # --- reading

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One state of the tables for several reads; inside a transaction, that transaction's."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("COMMIT")

    def meta(self, key: str) -> int | None:
        """A number kept under ``key``; None where the tables or the key are absent."""
        try:
            found = self._db.execute("SELECT value FROM okapi_meta WHERE key = ?", (key,)).fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return None
            raise
        return None if found is None else int(found[0])

    def segment_ids(self) -> list[int]:
        return [i for (i,) in self._db.execute("SELECT id FROM okapi_segment ORDER BY id")]

    def segment(self, segment_id: int) -> Segment:
        """One segment's rows, lengths and living places.

        Raises:
            KeywordsDamaged: a value is not what was written.
        """
        import numpy as np

        rows, lengths = self._db.execute(
            "SELECT rows, lengths FROM okapi_segment WHERE id = ?", (segment_id,)
        ).fetchone()
        dead = [p for (p,) in self._db.execute("SELECT place FROM okapi_dead WHERE segment = ?", (segment_id,))]
        if len(rows) != 2 * len(lengths) or len(rows) % 8 or max(dead, default=0) * 8 >= max(1, len(rows)):
            raise KeywordsDamaged(f"the keyword index is damaged: segment {segment_id} does not add up")
        alive = np.ones(len(rows) // 8, np.bool_)
        alive[dead] = False
        return Segment(segment_id, np.frombuffer(rows, np.int64), np.frombuffer(lengths, np.float32), alive, len(dead))

    def dead_counts(self) -> dict[int, int]:
        return dict(self._db.execute("SELECT segment, count(*) FROM okapi_dead GROUP BY segment"))

    def pending(self) -> list[tuple[int, Bag]]:
        """What waits to become a segment.

        Raises:
            KeywordsDamaged: a value is not what was written.
        """
        found = self._db.execute("SELECT row, bag FROM okapi_pending").fetchall()
        try:
            return [(row, self._bag(bag)) for row, bag in found]
        except (msgspec.DecodeError, TypeError, RecursionError) as error:
            raise KeywordsDamaged(f"the keyword index is damaged: {error}") from error

    def lookup(self, segment_id: int, terms: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The packed postings of those of ``terms`` that the segment holds."""
        marks = ",".join("?" * len(terms))
        return iter(
            self._db.execute(
                f"SELECT term, places FROM okapi_posting WHERE segment = ? AND term IN ({marks})",  # noqa: S608 marks only
                (segment_id, *terms),
            )
        )

    def known(self, terms: Collection[str]) -> set[str]:
        """Those of the terms that some exchange held when it was written (or still holds)."""
        asked, found = list(terms), set()
        for start in range(0, len(asked), MOST_MARKS):
            part = asked[start : start + MOST_MARKS]
            marks = ",".join("?" * len(part))
            found |= {t for (t,) in self._db.execute(f"SELECT term FROM okapi_term WHERE term IN ({marks})", part)}  # noqa: S608 marks only
        return found

    def beginning(self, prefix: str, limit: int) -> list[str]:
        """Known terms that begin so, the shortest first."""
        found = self._db.execute(
            "SELECT term FROM okapi_term WHERE term >= ? AND term < ? ORDER BY length(term), term LIMIT ?",
            (prefix, prefix + "\U0010ffff", limit),
        )
        return [term for (term,) in found]

    # --- writing

    def create(self) -> None:
        for statement in SCHEMA.split(";\n"):
            self._db.execute(statement)

    def drop(self) -> None:
        for table in TABLES:
            self._db.execute(f"DROP TABLE IF EXISTS {table}")

    def set_meta(self, key: str, value: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO okapi_meta VALUES (?, ?)", (key, value))

    def put_pending(self, bags: Collection[tuple[int, Bag]]) -> None:
        self._learn(term for _, bag in bags for term in bag)
        self._db.executemany(
            "INSERT OR REPLACE INTO okapi_pending VALUES (?, ?)", [(row, self._encode(bag)) for row, bag in bags]
        )

    def drop_pending(self, rows: Collection[int]) -> None:
        self._db.executemany("DELETE FROM okapi_pending WHERE row = ?", [(row,) for row in rows])

    def clear_pending(self) -> None:
        self._db.execute("DELETE FROM okapi_pending")

    def kill(self, segment_id: int, places: Iterable[int]) -> None:
        self._db.executemany("INSERT OR IGNORE INTO okapi_dead VALUES (?, ?)", [(segment_id, p) for p in places])

    def write(self, bags: list[tuple[int, Bag]]) -> None:
        """One new segment of these documents."""
        import numpy as np

        bags.sort(key=lambda item: item[0])
        numbers: dict[str, int] = {}
        term = [numbers.setdefault(word, len(numbers)) for _, bag in bags for word in bag]
        sizes = [len(bag) for _, bag in bags]
        frequency = np.fromiter((n for _, bag in bags for n in bag.values()), np.uint8, len(term))
        place = np.repeat(np.arange(len(bags), dtype=np.int32), sizes)
        lengths = np.array([sum(bag.values()) for _, bag in bags], np.float32)
        rows = np.array([row for row, _ in bags], np.int64)
        self._learn(numbers)
        self._write(rows, lengths, Flat(list(numbers), np.array(term, np.int32), place, frequency))

    def merge(self, segments: Collection[Segment]) -> None:
        """One segment in place of these, without their dead."""
        import numpy as np

        numbers: dict[str, int] = {}
        rows = np.concatenate([s.rows[s.alive] for s in segments])
        lengths = np.concatenate([s.lengths[s.alive] for s in segments])
        order = np.argsort(rows, kind="stable")
        new_place = np.empty(len(rows), np.int32)
        new_place[order] = np.arange(len(rows), dtype=np.int32)
        parts, start = [], 0
        for segment in segments:
            count = int(segment.alive.sum())
            parts.append(self._flat(segment, new_place[start : start + count], numbers))
            start += count
        joined = [np.concatenate([part[i] for part in parts]) for i in range(3)]
        for segment in segments:
            self.delete(segment.id)
        if len(rows):
            self._write(rows[order], lengths[order], Flat(list(numbers), *joined))

    def relearn(self) -> None:
        """Forgets the terms that no posting has any more."""
        self._db.execute("DELETE FROM okapi_term")
        self._db.execute("INSERT OR IGNORE INTO okapi_term SELECT term FROM okapi_posting")
        self._learn(term for _, bag in self.pending() for term in bag)

    def _learn(self, terms: Iterable[str]) -> None:
        self._db.executemany("INSERT OR IGNORE INTO okapi_term VALUES (?)", [(term,) for term in sorted(set(terms))])

    def delete(self, segment_id: int) -> None:
        for table, key in (("okapi_posting", "segment"), ("okapi_dead", "segment"), ("okapi_segment", "id")):
            self._db.execute(f"DELETE FROM {table} WHERE {key} = ?", (segment_id,))  # noqa: S608 fixed names

    def faults(self, segment: Segment) -> list[str]:
        """One sentence for each thing in the segment that contradicts another."""
        import numpy as np

        sums = np.zeros(len(segment.rows), np.int64)
        for term, blob in self._db.execute("SELECT term, places FROM okapi_posting WHERE segment = ?", (segment.id,)):
            places, frequency = unpack(blob)
            if len(blob) % 3 or (len(places) and int(places.max()) >= len(sums)):
                return [f"keyword segment {segment.id}: the places of {term!r} are damaged"]
            np.add.at(sums, places, frequency)
        wrong = int((sums != segment.lengths).sum())
        return [f"keyword segment {segment.id}: {wrong} exchanges have words missing"] if wrong else []

    def _flat(
        self, segment: Segment, new_place: NDArray[np.int32], numbers: dict[str, int]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
        import numpy as np

        found = self._db.execute("SELECT term, places FROM okapi_posting WHERE segment = ?", (segment.id,)).fetchall()
        counts = np.array([len(blob) // 3 for _, blob in found], np.int64)
        term = np.repeat(np.array([numbers.setdefault(t, len(numbers)) for t, _ in found], np.int32), counts)
        old = np.frombuffer(b"".join(blob[: len(blob) // 3 * 2] for _, blob in found), np.uint16)
        frequency = np.frombuffer(b"".join(blob[len(blob) // 3 * 2 :] for _, blob in found), np.uint8)
        mapping = np.full(len(segment.rows), -1, np.int32)
        mapping[segment.alive] = new_place
        place = mapping[old]
        if segment.dead:
            living = place >= 0
            term, place, frequency = term[living], place[living], frequency[living]
        return term, place, frequency

    def _write(self, rows: NDArray[np.int64], lengths: NDArray[np.float32], flat: Flat) -> None:
        import numpy as np

        segment_id = fresh_number()
        self._db.execute("INSERT INTO okapi_segment VALUES (?, ?, ?)", (segment_id, rows.tobytes(), lengths.tobytes()))
        alphabetical = sorted(range(len(flat.terms)), key=flat.terms.__getitem__)
        rank = np.empty(len(flat.terms), np.int64)
        rank[alphabetical] = np.arange(len(flat.terms))
        key = rank[flat.term] * LARGEST + flat.place
        order = np.argsort(key, kind="stable")
        ends = np.cumsum(np.bincount(rank[flat.term], minlength=len(flat.terms)))
        place = flat.place[order].astype(np.uint16)
        frequency = flat.frequency[order]
        bounds = [0, *ends.tolist()]
        self._db.executemany(
            "INSERT INTO okapi_posting VALUES (?, ?, ?)",
            (
                (segment_id, flat.terms[t], place[a:b].tobytes() + frequency[a:b].tobytes())
                for t, a, b in zip(alphabetical, bounds, bounds[1:], strict=False)
                if b > a
            ),
        )


def fresh_number() -> int:
    """A number never used before: a counter would come again after a rollback, and caches believe in numbers."""
    return secrets.randbits(62)
