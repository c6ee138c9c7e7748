"""Reads every row again and compares what has to agree. Changes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from zlib import crc32

from pastwork.index import derived
from pastwork.index.base import Fields
from pastwork.index.okapi import OkapiLane
from pastwork.model import Exchange, Hunk
from pastwork.shapes import Fault, VerifyAnswer
from pastwork.store import codec, contents
from pastwork.store.places import DERIVED
from pastwork.store.reader import StoreReader

REBUILD = "Run `pastwork doctor`; it can rebuild the store."
DERIVE = "Run `pastwork index --full`."
#: What reading a damaged row may raise: a hit on its header makes a column another one, of another type.
DAMAGE = (sqlite3.DatabaseError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
#: Faults listed at the most: a damaged disk has more than anyone reads.
MOST = 100

Found = Iterator[Fault]


def verify(store: StoreReader, told: Callable[[int, int], None] = lambda done, total: None) -> VerifyAnswer:
    """Every table, the file itself, the keyword lane; ``told`` hears how many of the checks are done."""
    checked: dict[str, int] = {}
    faults: list[Fault] = []
    for done, (name, check) in enumerate(_CHECKS.items()):
        told(done, len(_CHECKS))
        try:
            for fault in check(store):
                faults.append(fault)
                if len(faults) >= MOST:
                    break
            checked[name] = _count(store, name)
        except DAMAGE as error:
            faults.append(Fault(f"the store's file is damaged: {error}", name, REBUILD))
    return VerifyAnswer(not faults, checked, tuple(faults[:MOST]))


def _file(store: StoreReader) -> Found:
    for (said,) in store.connection.execute("PRAGMA integrity_check(20)"):
        if said != "ok":
            yield Fault(f"the store's file is damaged: {said}", "file", REBUILD)
    for table, row, *_ in store.connection.execute("PRAGMA foreign_key_check"):
        yield Fault("a row belongs to nothing", f"{table} {row}", REBUILD)


def _exchanges(store: StoreReader) -> Found:
    """The verbatim is what it was, and everything that hangs on it is of the same exchange."""
    found = store.connection.execute(
        "SELECT e.row, e.id, v.data,"
        " (SELECT count(*) FROM carrier c WHERE c.row = e.row AND c.id = e.id AND c.source_id = e.source_id)"
        " FROM exchange e LEFT JOIN verbatim v ON v.row = e.row"
    )
    for row, exchange_id, data, carriers in found:
        try:
            exchange = codec.unpack(data or b"", Exchange)
        except ValueError as error:
            yield Fault(f"the verbatim can't be read: {error}", exchange_id, REBUILD)
            continue
        yield from _told(store, row, exchange)
        if carriers != 1:
            yield Fault("no transcript is noted for it", exchange_id, REBUILD)


def _told(store: StoreReader, row: int, exchange: Exchange) -> Found:
    """The row and its edits say what the verbatim says."""
    own = f"SELECT {contents.OWN_COLUMNS} FROM exchange WHERE row = ?"
    kept = store.connection.execute(own, (row,)).fetchone()
    told = contents.told_by(exchange, kept[-2])
    if kept[0] != told[0] or kept[-1] != told[-1]:
        yield Fault("the verbatim is not the one that was stored", kept[0], REBUILD)
    elif kept != told:
        yield Fault("its row does not say what the verbatim says", kept[0], REBUILD)
    listed = f"SELECT {contents.EDIT_COLUMNS} FROM edit WHERE row = ? ORDER BY seq"
    edits, wanted = store.connection.execute(listed, (row,)).fetchall(), contents.edits_of(exchange)
    if len(edits) != len(wanted):
        yield Fault(f"{len(edits)} of {len(wanted)} edits are there", kept[0], DERIVE)
    elif [edit[:-1] for edit in edits] != [edit[:-1] for edit in wanted]:
        yield Fault("its edits are not those of the verbatim", kept[0], DERIVE)


def _searched(store: StoreReader) -> Found:
    for row, data in store.connection.execute("SELECT row, data FROM searched"):
        try:
            codec.unpack(data, Fields)
        except ValueError as error:
            yield Fault(f"its searched text can't be read: {error}", f"row {row}", DERIVE)


def _objects(store: StoreReader) -> Found:
    for row, rooms in contents.proposals(store.connection):
        if rooms is None:
            yield Fault("the rooms it proposes can't be read", f"row {row}", DERIVE)
    missing = "SELECT e.id FROM exchange e WHERE NOT EXISTS (SELECT 1 FROM object o WHERE o.row = e.row)"
    for (exchange_id,) in store.connection.execute(missing):
        yield Fault("it has no palace object", exchange_id, DERIVE)


def _edits(store: StoreReader) -> Found:
    for number, data in store.connection.execute("SELECT id, hunks FROM edit WHERE hunks IS NOT NULL"):
        try:
            codec.unpack(data, tuple[Hunk, ...])
        except ValueError as error:
            yield Fault(f"hunks can't be read: {error}", f"edit {number}", DERIVE)


def _vectors(store: StoreReader) -> Found:
    widths: dict[str, int] = {}
    for row, recipe, crc, data in store.connection.execute("SELECT row, recipe, crc, data FROM vector"):
        if crc32(data) != crc or len(data) != widths.setdefault(recipe, len(data)):
            yield Fault("a vector is damaged", f"row {row}, {recipe}", DERIVE)


def _keywords(store: StoreReader) -> Found:
    kept = {row for (row,) in store.connection.execute("SELECT row FROM exchange")}
    try:
        held = set(_lane(store).rows())
        for fault in _lane(store).faults():
            yield Fault(fault, "keyword index", DERIVE)
    except sqlite3.OperationalError:  # its tables are made by the first pass
        held = set()
    if kept != held:
        what = f"{len(kept - held)} exchanges are missing from it, {len(held - kept)} are not kept"
        yield Fault(what, "keyword index", DERIVE)


def _lane(store: StoreReader) -> OkapiLane:
    return OkapiLane(store.connection)


def _tombstones(store: StoreReader) -> Found:
    risen = "SELECT c.id FROM carrier c JOIN tombstone t ON (t.kind, t.value) IN (('id', c.id), ('twin', c.twin))"
    for (exchange_id,) in store.connection.execute(risen):
        yield Fault("it was forgotten and is here", exchange_id, f"Run `pastwork forget {exchange_id}`.")


def _derived(store: StoreReader) -> Found:
    for path in derived.unsound(store.home / DERIVED) if store.home is not None else ():
        yield Fault("a derived file is damaged", str(path), "Nothing to do: it is made anew when it is next used.")


_CHECKS: dict[str, Callable[[StoreReader], Found]] = {
    "file": _file,
    "exchanges": _exchanges,
    "texts": _searched,
    "objects": _objects,
    "edits": _edits,
    "vectors": _vectors,
    "keywords": _keywords,
    "tombstones": _tombstones,
    "derived": _derived,
}
_COUNTED = {
    "exchanges": "SELECT count(*) FROM exchange",
    "texts": "SELECT count(*) FROM searched",
    "objects": "SELECT count(*) FROM object",
    "edits": "SELECT count(*) FROM edit",
    "vectors": "SELECT count(*) FROM vector",
    "tombstones": "SELECT count(*) FROM tombstone",
}


def _count(store: StoreReader, name: str) -> int:
    if name == "keywords":
        return len(_lane(store).rows())
    if name == "derived":
        return 0 if store.home is None else derived.count(store.home / DERIVED)
    query = _COUNTED.get(name)
    return int(store.connection.execute(query).fetchone()[0]) if query else 1
