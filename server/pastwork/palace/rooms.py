"""Rooms with their counts, and the exchanges of one."""

from __future__ import annotations

from msgspec.structs import replace

from pastwork.errors import NotFound
from pastwork.palace.hits import hit
from pastwork.shapes import RoomAnswer, RoomCount, RoomsAnswer
from pastwork.store.reader import StoreReader
from pastwork.store.records import RowFilter


def rooms(store: StoreReader, where: RowFilter, limit: int, notes: tuple[str, ...] = ()) -> RoomsAnswer:
    """The fullest first."""
    found = store.rooms(where)
    if len(found) > limit:
        notes = (*notes, f"{len(found) - limit} more rooms; raise the limit to see them")
    return RoomsAnswer(tuple(found[:limit]), notes)


def room(store: StoreReader, name: str, where: RowFilter, limit: int, notes: tuple[str, ...] = ()) -> RoomAnswer:
    """The exchanges of ``type:key``, a key or a label, newest first. Raises NotFound."""
    inside = replace(where, room=name)
    counts = [count for count in store.rooms(inside) if _is_called(count, name)]
    rows = store.recent(inside, limit)
    if not counts or not rows:
        raise NotFound(f"no room is called {name} here", "`pastwork rooms` lists them; `--scope all` looks everywhere.")
    kept = store.kept(rows)
    if counts[0].exchanges > len(rows):
        notes = (*notes, f"the newest {len(rows)} of {counts[0].exchanges} exchanges")
    return RoomAnswer(counts[0], tuple(hit(kept[row]) for row in rows if row in kept), notes)


def _is_called(count: RoomCount, name: str) -> bool:
    return name in (f"{count.room_type}:{count.room_key}", count.room_key, count.room_label) or (
        name == f"{count.room_type}:{count.room_label}"
    )
