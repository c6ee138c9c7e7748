"""All edits of the file that is open, under the names it has had.

``ask`` is the store's ``edits``. Earlier names come from git (``renames.py``) and from edits that
moved the file; an edit under an earlier name counts while the file had that name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from msgspec import Struct

from pastwork.anchor.paths import Places, key
from pastwork.anchor.remembered import seconds
from pastwork.store.records import StoredEdit

Ask = Callable[[Collection[str]], list[StoredEdit]]
#: Names of one file that are followed; also ends a circle of renames.
MOST_NAMES = 16


class Name(Struct, frozen=True):
    """A name the file had, as an absolute path, up to ``until`` in seconds since 1970 (None: to this day)."""

    path: str
    until: float | None = None


def gather(ask: Ask, places: Places, file: str, earlier: Iterable[Name] = ()) -> list[StoredEdit]:
    """The edits of ``file`` in order, each once."""
    waiting, seen = [Name(file), *earlier], set[str]()
    found: dict[tuple[int, int], StoredEdit] = {}
    while waiting and len(seen) < MOST_NAMES:
        name = waiting.pop(0)
        known = key(name.path, places.fold)
        if known in seen:
            continue
        seen.add(known)
        for stored in ask(places.keys(name.path)):
            if places.belongs(stored, name.path) and _in_time(stored, name.until):
                found[stored.row, stored.order] = stored
                waiting += _moved_from(stored, places)
    return sorted(found.values(), key=lambda stored: stored.order)


def _in_time(stored: StoredEdit, until: float | None) -> bool:
    made = seconds(stored.edit.time)
    return until is None or made is None or made <= until


def _moved_from(stored: StoredEdit, places: Places) -> list[Name]:
    old = stored.edit.previous_path
    return [Name(places.today(old, stored.workspace), seconds(stored.edit.time))] if old else []
