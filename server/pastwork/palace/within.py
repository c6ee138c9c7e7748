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
from pastwork.search.filters import PREFIXES, Filters, checked_moment, shown, sound
from pastwork.store.reader import StoreReader
from pastwork.store.records import RowFilter

#: More than anyone reads; a larger number is surely a mistake.
MOST = 10_000


class Within(Struct, frozen=True):
    """``scope`` is the one that was used: ``all`` where the workspace has no exchange at all, and a note says so."""

    where: RowFilter
    scope: Literal["workspace", "all"]
    notes: tuple[str, ...] = ()


class Recorded:
    """Which of the folders that the store names belong to a scope, looked up once while its content stays the same."""

    def __init__(self) -> None:
        self._of: tuple[StoreReader, int] | None = None
        self._all: list[str] = []
        self._held: dict[Scope, tuple[str, ...]] = {}

    def held(self, store: StoreReader, scope: Scope) -> tuple[tuple[str, ...], bool]:
        """Those that belong to the scope, and whether the store names any at all."""
        now = store, store.content()
        if self._of != now:
            self._of, self._all, self._held = now, store.folders(), {}
        if scope not in self._held:
            self._held[scope] = tuple(folder for folder in self._all if scope.holds(folder))
        return self._held[scope], bool(self._all)


def within(store: StoreReader, filters: Filters, folders: Sequence[Path], scope: Scope, recorded: Recorded) -> Within:
    """``filters`` as ``settled`` gives them; ``folders`` name the workspace that ``scope`` knows."""
    agent, unknown = _agent(store, filters.agent)
    where = RowFilter(
        agent=agent,
        room=filters.room,
        file=filters.file,
        since=filters.since,
        until=filters.until,
        branch=filters.branch,
        fixes=filters.fixes,
    )
    if filters.scope == "all":
        return Within(where, "all", unknown)
    held, any_at_all = recorded.held(store, scope)
    if held or not any_at_all:
        return Within(replace(where, folders=held), "workspace", unknown)
    names = ", ".join(str(folder) for folder in folders) or "the current folder"
    elsewhere = f"no past work is recorded in {names}; this is from all projects"
    return Within(where, "all", (elsewhere, *unknown))


def _agent(store: StoreReader, asked: str | None) -> tuple[str | None, tuple[str, ...]]:
    """The agent's own name (``claude`` is enough for ``claude-code``), and a note where there is none such."""
    if asked is None:
        return None, ()
    known = store.agents()
    wanted = asked.strip().lower()
    likely = [wanted] if wanted in known else [agent for agent in known if agent.startswith(wanted)]
    if len(likely) == 1 and wanted:
        return likely[0], ()
    return wanted, (f"no past work of an agent called {shown(asked)}; there is some of {', '.join(known) or 'none'}",)


def settled(filters: Filters, scope: Literal["workspace", "all"], limit: int, now: datetime) -> Filters:
    """The filters with the configured scope and limit where they leave them open, and exact moments.

    Raises BadUsage for a value that makes no sense.
    """
    count = limit if filters.limit is None else filters.limit
    if not 1 <= count <= MOST:
        raise BadUsage(f"a limit of {count} makes no sense", f"Use a number from 1 to {MOST}.")
    if filters.scope not in (None, "workspace", "all"):
        raise BadUsage(f"there is no scope {filters.scope!r}", "Use workspace or all.")
    typed = {name: value and sound(value) for name in PREFIXES if (value := getattr(filters, name)) is not None}
    filters = replace(filters, **typed)
    return replace(
        filters,
        scope=filters.scope or scope,
        limit=count,
        since=filters.since and checked_moment("since", filters.since, now),
        until=filters.until and checked_moment("until", filters.until, now),
    )
