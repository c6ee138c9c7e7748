"""Derives again what a change of rules made old, from the kept verbatim: transcripts need not exist any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pastwork.distill import rooms
from pastwork.errors import NotFound
from pastwork.index.base import Fields
from pastwork.index.okapi import OkapiLane
from pastwork.store.records import Put
from pastwork.store.writer import StoreWriter
from pastwork.sync.batch import Batch
from pastwork.sync.ingest import Rules

#: A key of ``meta``: the content's generation for which rooms were chosen.
SETTLED = "settled"


def keyword_lane(writer: StoreWriter, lane: OkapiLane, rules: Rules) -> None:
    """Makes the lane's tables; those of another recipe anew in one transaction: readers see the old or the new."""
    with writer.transaction():
        if lane.prepare():
            lane.add(_fields(writer, rules))


def digests(writer: StoreWriter, batch: Batch, rules: Rules, told: Callable[[int, int], None]) -> bool:
    """Distils what other rules distilled; whether there was anything."""
    stale = writer.stale(rules.recipe)
    for done, row in enumerate(stale):
        batch.begin()
        told(done, len(stale))
        _digest(writer, batch, rules, row)
        batch.commit_if_due()
    return bool(stale)


def settle(writer: StoreWriter) -> bool:
    """Chooses the rooms anew, over all exchanges at once; False where nothing changed since it was done last.

    What was settled is noted afterwards: a pass that is killed in between has it done again.
    """
    if writer.fact(SETTLED) == str(writer.content()):
        return False
    writer.settle_rooms(rooms.settle(writer.candidates()))
    writer.set_fact(SETTLED, str(writer.content()))
    return True


def _digest(writer: StoreWriter, batch: Batch, rules: Rules, row: int) -> None:
    try:
        exchange = writer.verbatim(row)
    except ValueError:  # damaged: what was distilled of it is all there is; verify names it
        writer.keep_digest(row, rules.recipe)
        return
    distilled = rules.distil(exchange)
    writer.refill(row, exchange, distilled.digest)
    batch.index(Put(row, "updated"), distilled.fields)


def _fields(writer: StoreWriter, rules: Rules) -> Iterator[tuple[int, Fields]]:
    for (row,) in writer.connection.execute("SELECT row FROM exchange ORDER BY row").fetchall():
        try:
            yield row, writer.fields(row)
        except (NotFound, ValueError):
            yield from _distilled_again(writer, rules, row)


def _distilled_again(writer: StoreWriter, rules: Rules, row: int) -> Iterator[tuple[int, Fields]]:
    """The searched text of one exchange, or nothing where its verbatim is damaged (verify names it)."""
    try:
        yield row, rules.distil(writer.verbatim(row)).fields
    except ValueError:
        return
