"""Exchanges that had to do with one file, found by path within the workspace.

In: today's file and the places it may have been recorded under. Out: the exchanges, strongest deed
first, newest first. A bare name never counts across projects.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from msgspec import Struct

from pastwork.anchor.paths import Places, key
from pastwork.model import WROTE, Action
from pastwork.store.reader import StoreReader
from pastwork.store.records import Kept, RowFilter

#: From the deed that tells most of a file to the one that tells least.
_STRENGTH: dict[Action, int] = {"edited": 0, "created": 0, "deleted": 0, "read": 2, "mentioned": 3}
_ROOM = 1


class Worked(Struct, frozen=True):
    """One exchange and the strongest thing it did to the file; ``rank`` 0 wrote, 1 its room, 2 read, 3 named."""

    kept: Kept
    action: Action
    rank: int


def worked_on(store: StoreReader, places: Places, names: Iterable[str]) -> list[Worked]:
    """``names`` are the absolute paths the file has had."""
    wanted = {key(name, places.fold) for name in names}
    rows: set[int] = set()
    for base in {PurePath(name).name for name in names}:
        rows |= store.rows(RowFilter(file=base)) or set()
        rows |= store.rows(RowFilter(room=f"file:{base}")) or set()
    found = (_worked(kept, places, wanted) for kept in store.kept(rows).values())
    return sorted((work for work in found if work), key=_order, reverse=True)


def _worked(kept: Kept, places: Places, wanted: set[str]) -> Worked | None:
    touches = [file.action for file in kept.object.files_touched if places.today(file.path, kept.workspace) in wanted]
    action = min(touches, key=_STRENGTH.__getitem__, default=None)
    if action in WROTE:
        return Worked(kept, action, 0)
    if any(
        room.room_type == "file" and places.today(room.room_key, kept.workspace) in wanted
        for room in kept.object.room_assignments
    ):
        return Worked(kept, action or "mentioned", _ROOM)
    return None if action is None else Worked(kept, action, _STRENGTH[action])


def _order(work: Worked) -> tuple[int, str, int]:
    return -work.rank, work.kept.started_at or "", work.kept.turn
