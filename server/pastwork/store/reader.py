"""The store as everyone but the writer sees it: read-only, thread-confined, cheap to open."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from pastwork.errors import NotFound
from pastwork.index.base import Fields
from pastwork.model import Exchange
from pastwork.shapes import RoomCount
from pastwork.store import codec, connect, counts, filters, ids, rows, sources, vectors
from pastwork.store.records import FileWork, Kept, RowFilter, SourceState, StoredEdit
from pastwork.store.vectors import News

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class StoreReader:
    """Everything that can be asked of the store; ``row`` is its integer key of an exchange."""

    def __init__(self, connection: sqlite3.Connection, home: Path | None) -> None:
        self.connection = connection
        self.home = home

    @classmethod
    def open(cls, home: Path) -> Self:
        """Raises:
        StoreMissing: nothing is indexed yet.
        StoreUnusable: the store can't be read."""
        return cls(connect.read_only(home), home)

    @classmethod
    def empty(cls) -> Self:
        """A store of nothing, in memory, for answers before the first index."""
        return cls(connect.in_memory(), None)

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def generation(self) -> int:
        """Grows with every commit that readers can see."""
        return self._number("generation")

    def content(self) -> int:
        """Like ``generation``, but not for vectors and bookkeeping: exchanges, objects, rooms, edits."""
        return self._number("content")

    def kept(self, wanted: Collection[int]) -> dict[int, Kept]:
        """The exchanges of these rows; unknown rows are left out."""
        return rows.kept(self.connection, wanted)

    def find(self, exchange_id: str) -> Kept | None:
        """The exchange known by this id, or by it in any of its carriers."""
        row = self.row_of(exchange_id)
        return None if row is None else self.kept([row]).get(row)

    def row_of(self, exchange_id: str) -> int | None:
        found = self.connection.execute(
            "SELECT row FROM exchange WHERE id = ? UNION ALL SELECT row FROM carrier WHERE id = ? LIMIT 1",
            (exchange_id, exchange_id),
        ).fetchone()
        return None if found is None else int(found[0])

    def beginning(self, prefix: str) -> dict[int, str]:
        """Row -> id shown, of the exchanges known by an id that begins so; ``AMBIGUOUS`` of them at the most."""
        return ids.beginning(self.connection, prefix)

    def short(self, wanted: Collection[str]) -> dict[str, str]:
        """Each id's shortest beginning that no other id of the store shares."""
        return ids.short(self.connection, wanted)

    def verbatim(self, row: int) -> Exchange:
        """The original text.

        Raises:
            NotFound: no such row.
            ValueError: the stored text is damaged.
        """
        found = self.connection.execute("SELECT data FROM verbatim WHERE row = ?", (row,)).fetchone()
        if found is None:
            raise NotFound(f"no exchange in row {row}")
        return codec.unpack(found[0], Exchange)

    def fields(self, row: int) -> Fields:
        """The masked text that keywords are looked for in.

        Raises:
            NotFound: no such row, or nothing kept for it.
            ValueError: the stored text is damaged.
        """
        found = self.connection.execute("SELECT data FROM searched WHERE row = ?", (row,)).fetchone()
        if found is None:
            raise NotFound(f"no searched text in row {row}")
        return codec.unpack(found[0], Fields)

    def many_fields(self, wanted: Collection[int]) -> dict[int, Fields]:
        """``fields`` of these rows; those for which nothing is kept, or nothing readable, are left out."""
        return rows.searched(self.connection, wanted)

    def source_of(self, row: int) -> tuple[str, bool]:
        """The transcript's path and whether it is still there; a present copy before one that is gone.

        Raises:
            NotFound: no such row.
        """
        found = self.connection.execute(
            "SELECT s.path, s.gone_at IS NULL FROM carrier c JOIN source s ON s.id = c.source_id"
            " JOIN exchange e ON e.row = c.row WHERE c.row = ?"
            " ORDER BY s.gone_at IS NULL DESC, s.id = e.source_id DESC, s.path LIMIT 1",
            (row,),
        ).fetchone()
        if found is None:
            raise NotFound(f"no exchange in row {row}")
        return rows.shown_path(found[0]), bool(found[1])

    def neighbours(self, row: int) -> tuple[str | None, str | None]:
        """The ids before and after it in its session, copies that other sessions own included."""
        return rows.neighbours(self.connection, row)

    def rows(self, where: RowFilter) -> set[int] | None:
        """The rows that match; None when the filter restricts nothing."""
        clause, values = filters.where(where)
        if not clause:
            return None
        return {row for (row,) in self.connection.execute(f"SELECT e.row FROM exchange e{clause}", values)}

    def count(self, where: RowFilter) -> int:
        """How many rows match."""
        clause, values = filters.where(where)
        return int(self.connection.execute(f"SELECT count(*) FROM exchange e{clause}", values).fetchone()[0])

    def recent(self, where: RowFilter, limit: int) -> list[int]:
        """Newest first; what has no time comes last."""
        clause, values = filters.where(where)
        query = f"SELECT e.row FROM exchange e{clause} ORDER BY e.started_at DESC, e.session_id, e.turn DESC LIMIT ?"
        return [row for (row,) in self.connection.execute(query, [*values, limit])]

    def distilled_by_others(self, distiller: str) -> list[int]:
        """Rows whose palace object somebody else made, the newest first."""
        found = self.connection.execute(
            "SELECT o.row FROM object o JOIN exchange e ON e.row = o.row WHERE o.distilled_by <> ?"
            " ORDER BY e.started_at DESC, o.row",
            (distiller,),
        )
        return [row for (row,) in found]

    def undistilled_by(self, distiller: str) -> list[int]:
        """Rows that neither have an object of this distiller nor were tried by it, the newest first."""
        found = self.connection.execute(
            "SELECT o.row FROM object o JOIN exchange e ON e.row = o.row"
            " WHERE ? NOT IN (o.distilled_by, o.tried) AND NOT e.open ORDER BY e.started_at DESC, o.row",
            (distiller,),
        )
        return [row for (row,) in found]

    def all_file_work(self) -> Iterator[FileWork]:
        """Every touch of every file, by row."""
        found = self.connection.execute("SELECT row, path, relative, action FROM file_touch ORDER BY row, path")
        return (FileWork(*fields) for fields in found)

    def edits(self, keys: Collection[str]) -> list[StoredEdit]:
        """Edits of the files named by recorded path or workspace-relative path, in order of time."""
        return rows.edits(self.connection, keys)

    def rooms(self, where: RowFilter) -> list[RoomCount]:
        """Rooms of the matching exchanges, the fullest first."""
        return counts.rooms(self.connection, where)

    def room(self, room: str, where: RowFilter) -> list[int]:
        """The exchanges of one room (``type:key``, key or label), newest first."""
        return self.recent(msgspec.structs.replace(where, room=room), -1)

    def vectors(self, recipe: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows (n,) and matrix (n, 384) of what is embedded by this recipe."""
        return vectors.load(self.connection, recipe)

    def vectors_since(self, recipe: str, last: int) -> News:
        """What was embedded after the vector with id ``last`` (0: all)."""
        return vectors.since(self.connection, recipe, last)

    def vector_rows(self, recipe: str) -> list[int]:
        """The rows that are embedded by this recipe."""
        return vectors.rows_of(self.connection, recipe)

    def sources(self) -> list[SourceState]:
        """Every transcript ever read."""
        return sources.load(self.connection)

    def source_state(self, agent: str, path: Path) -> SourceState | None:
        """How far one transcript has been read; None when it never was."""
        found = sources.load(self.connection, "agent = ? AND path = ?", (agent, os.fsencode(path)))
        return found[0] if found else None

    def agents(self) -> list[str]:
        """Every agent that has an exchange."""
        return [agent for (agent,) in self.connection.execute("SELECT DISTINCT agent FROM exchange ORDER BY agent")]

    def workspaces(self) -> dict[str, int]:
        """Recorded workspaces ("" where there is none) and how many exchanges each has."""
        return dict(
            self.connection.execute("SELECT coalesce(workspace, ''), count(*) FROM exchange GROUP BY workspace")
        )

    def folders(self) -> list[str]:
        """Every workspace and cwd that an exchange names."""
        found = self.connection.execute("SELECT workspace FROM exchange UNION SELECT cwd FROM exchange")
        return [folder for (folder,) in found if folder]

    def fact(self, key: str) -> str | None:
        """A small thing the sync remembers (JSON text)."""
        found = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if found is None else str(found[0])

    def status_counts(self, recipe: str, now: float) -> counts.StatusCounts:
        """What ``status`` tells of the store; ``now`` in seconds since 1970."""
        return counts.status(self.connection, self.home, recipe, now)

    def _number(self, key: str) -> int:
        return int(self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()[0])
