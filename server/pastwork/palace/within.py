"""Which exchanges a question is about: the filters and the workspace as the store's ``RowFilter``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pastwork.errors import BadUsage
from pastwork.palace.scope import Scope
from pastwork.search.filters import Filters, checked_moment
from pastwork.store.reader import StoreReader
from pastwork.store.records import RowFilter

#: More than anyone reads; a larger number is surely a mistake.
MOST = 10_000


class Within(Struct, frozen=True):
    """``scope`` is the one that was used: ``all`` where the workspace has no exchange at all, and a note says so."""

    where: RowFilter
    scope: Literal["workspace", "all"]
    notes: tuple[str, ...] = ()


def within(store: StoreReader, filters: Filters, folders: Sequence[Path], scope: Scope) -> Within:
    """``filters`` as ``settled`` gives them; ``folders`` name the workspace that ``scope`` knows."""
    where = RowFilter(
        agent=filters.agent,
        room=filters.room,
        file=filters.file,
        since=filters.since,
        until=filters.until,
        branch=filters.branch,
        fixes=filters.fixes,
    )
    if filters.scope == "all":
        return Within(where, "all")
    recorded = store.folders()
    held = tuple(folder for folder in recorded if scope.holds(folder))
    if held or not recorded:
        return Within(replace(where, folders=held), "workspace")
    names = ", ".join(str(folder) for folder in folders) or "the current folder"
    return Within(where, "all", (f"no past work is recorded in {names}; this is from all projects",))


def settled(filters: Filters, scope: Literal["workspace", "all"], limit: int, now: datetime) -> Filters:
    """The filters with the configured scope and limit where they leave them open, and exact moments.

    Raises BadUsage for a value that makes no sense.
    """
    count = limit if filters.limit is None else filters.limit
    if not 1 <= count <= MOST:
        raise BadUsage(f"a limit of {count} makes no sense", f"Use a number from 1 to {MOST}.")
    if filters.scope not in (None, "workspace", "all"):
        raise BadUsage(f"there is no scope {filters.scope!r}", "Use workspace or all.")
    return replace(
        filters,
        scope=filters.scope or scope,
        limit=count,
        since=filters.since and checked_moment("since", filters.since, now),
        until=filters.until and checked_moment("until", filters.until, now),
    )
