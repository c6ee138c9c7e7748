"""Reads the store for the server, off the event loop.

A ``Mapper`` lives in one thread of its own, since a store's reader is confined to its thread. ``look``
is cheap when nothing has changed. A store that is not there yet gives an empty map; one that can't be
read gives no map and one sentence, so that the last one goes on being served. The next look tries again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from pastwork.anchor.paths import below
from pastwork.config import Config
from pastwork.errors import StoreUnusable
from pastwork.lsp.filemap import FileMap, Touches, build
from pastwork.palace import Palace
from pastwork.palace.opening import Opening
from pastwork.palace.scope import Scope
from pastwork.shapes import StatusAnswer
from pastwork.store import overview


class Interest(Struct, frozen=True):
    """What the map is of: the client's folders, and open files outside of them all."""

    folders: tuple[Path, ...] = ()
    aliases: dict[str, str] = {}
    singles: frozenset[Path] = frozenset()


class Look(Struct, frozen=True):
    """What a look found; ``map`` is None where nothing has changed. ``trouble`` is one sentence or ""."""

    map: FileMap | None = None
    scope: Scope | None = None
    trouble: str = ""


class Mapper:
    """``data`` is the data folder, ``home`` the user's home folder, ``clock`` gives UTC."""

    def __init__(self, data: Path, home: Path, clock: Callable[[], datetime]) -> None:
        self._data = data
        self._home = home
        self._clock = clock
        self._opening = Opening(data)
        self._seen: tuple[object, int, Interest] | None = None
        self._scope = Scope.of((), home)
        self._keys: dict[tuple[str, str | None], str | None] = {}

    def look(self, interest: Interest) -> Look:
        """The map, if the store or the interest differs from the last look's."""
        if self._seen is None or self._seen[2] != interest:
            self._scope = Scope.of(interest.folders, self._home, interest.aliases)
            self._keys.clear()
        try:
            reader = self._opening.reader()
            seen = (reader, reader.content(), interest)
            if seen == self._seen:
                return Look()
            found = self._build(reader.connection, interest)
        except (StoreUnusable, sqlite3.Error) as error:
            self.close()
            return Look(trouble=str(error))
        self._seen = seen
        return Look(found, self._scope)

    def status(self, config: Config) -> StatusAnswer:
        """Raises StoreUnusable."""
        with Palace(self._data, config, self._home, self._clock) as palace:
            return palace.status()

    def known(self, ids: Iterable[str]) -> set[str]:
        """Which of these exchanges the store still has; all of them where it can't be asked."""
        try:
            reader = self._opening.reader()
            return {exchange_id for exchange_id in ids if reader.row_of(exchange_id) is not None}
        except (StoreUnusable, sqlite3.Error):
            return set(ids)

    def close(self) -> None:
        self._opening.close()
        self._seen = None

    def _build(self, connection: sqlite3.Connection, interest: Interest) -> FileMap:
        spaces = overview.workspaces(connection)
        singles = {self._scope.places.today(str(path)) for path in interest.singles}
        wrote = list(self._placed(overview.written(connection), spaces, singles))
        roomed = list(self._placed(overview.roomed(connection), spaces, singles))
        inside = {space for space in set(spaces.values()) if not interest.folders or self._scope.holds(space)}
        own = frozenset(row for row, space in spaces.items() if space in inside)
        rows = own | {row for row, _ in wrote} | {row for row, _ in roomed}
        return build(overview.glances(connection, rows), own, wrote, roomed)

    def _placed(self, touches: Touches, spaces: dict[int, str | None], singles: set[str]) -> Iterator[tuple[int, str]]:
        """(row, today's key) of what lies in the folders or is open."""
        for row, path in touches:
            named = path, spaces.get(row)
            if named not in self._keys:
                key = self._scope.places.today(*named)
                wanted = key in singles or any(below(key, root) for root in self._scope.places.roots)
                self._keys[named] = key if wanted else None
            if (found := self._keys[named]) is not None:
                yield row, found
