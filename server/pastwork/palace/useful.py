"""Which exchanges are worth the most to somebody who works on a file or in a room. Pure.

In: exchanges, newest first. Out: the same, stably sorted: who wrote the file before who read it and who
only named it; the exchanges that a room is most about before those it is partly about.
"""

from __future__ import annotations

from collections.abc import Sequence

from pastwork.model import Action
from pastwork.search.filters import Filters
from pastwork.store import paths
from pastwork.store.records import Kept

_STRENGTH: dict[Action, int] = {"edited": 0, "created": 0, "deleted": 0, "read": 1, "mentioned": 2}
_NONE = 3


def sorted_for(found: Sequence[Kept], filters: Filters) -> list[Kept]:
    """By the file asked for, else by the room, else as they came."""
    if filters.file:
        name = paths.posix(filters.file)
        return sorted(found, key=lambda kept: _deed(kept, name))
    if filters.room:
        name = filters.room
        return sorted(found, key=lambda kept: -_relevance(kept, name))
    return list(found)


def _deed(kept: Kept, name: str) -> int:
    """How little the exchange had to do with the file."""
    touched = ((paths.posix(file.path), file.action) for file in kept.object.files_touched)
    return min((_STRENGTH[action] for path, action in touched if f"/{path}".endswith(f"/{name}")), default=_NONE)


def _relevance(kept: Kept, name: str) -> float:
    """In tenths: finer differences say less than which is newer."""
    rooms = kept.object.room_assignments
    names = ((room.relevance, (f"{room.room_type}:{room.room_key}", room.room_key, room.room_label)) for room in rooms)
    return round(max((relevance for relevance, called in names if name in called), default=0.0), 1)
