"""Which copy of an exchange is shown.

The same exchange is found in many places: a fork or resumed session copies it under the same id, a
second tool (SpecStory) records it under an id of its own with the same twin. Each find is a row of
``carrier``; carriers that share an id or a twin belong to one exchange, whose content is that of
the best copy:

1. an agent's own transcript beats a second-hand recording;
2. a finished exchange beats one that is still open;
3. the heavier copy beats the lighter (bytes of its msgpack, where files, branch and ids are alike);
4. then the smaller session id, turn and content hash win: agents with time-ordered ids so show the
   original and not the fork, and for all others the choice is at least always the same.

The order is total and asks nothing but the copies themselves, so the order of indexing can't
matter. One exception keeps live transcripts right: what the shown copy's own transcript says now
replaces what it said before. When that makes the copy worse than another one, that other
transcript is read again.
"""

from __future__ import annotations

import sqlite3

import msgspec
from msgspec import Struct

from pastwork.model import Exchange
from pastwork.store import codec

#: Agent names under which other agents' exchanges are recorded a second time.
SECOND_HAND: frozenset[str] = frozenset({"specstory"})


class Copy(Struct, frozen=True):
    """One reading of one exchange in one source."""

    id: str
    twin: str | None
    agent: str
    session_id: str
    turn: int
    rank: int
    content: bytes

    @property
    def order(self) -> tuple[int, str, int, bytes]:
        """Smaller is better."""
        return -self.rank, self.session_id, self.turn, self.content


def copy_of(exchange: Exchange) -> Copy:
    return Copy(
        exchange.id,
        exchange.twin or None,
        exchange.agent,
        exchange.session_id,
        exchange.turn,
        rank(exchange),
        codec.content_hash(exchange),
    )


def rank(exchange: Exchange) -> int:
    """Rules 1 to 3 as one number, larger is better."""
    native = exchange.agent not in SECOND_HAND
    weight = len(msgspec.msgpack.encode((exchange.prompt, exchange.entries, exchange.edits)))
    return native << 61 | (not exchange.open) << 60 | weight


def rows_of(connection: sqlite3.Connection, copy: Copy) -> list[int]:
    """The exchanges that already have a carrier of this id or twin, smallest row first."""
    found = connection.execute(
        "SELECT row FROM carrier WHERE id = ? UNION SELECT row FROM carrier WHERE twin = ? ORDER BY 1",
        (copy.id, copy.twin),
    )
    return [row for (row,) in found]


def shown(connection: sqlite3.Connection, row: int) -> tuple[int, Copy]:
    """The source and the copy that an exchange shows."""
    source, *fields = connection.execute(
        "SELECT e.source_id, c.id, c.twin, c.agent, c.session_id, c.turn, c.rank, c.content"
        " FROM exchange e JOIN carrier c ON c.id = e.id AND c.source_id = e.source_id WHERE e.row = ?",
        (row,),
    ).fetchone()
    return source, Copy(*fields)


def record(connection: sqlite3.Connection, row: int, source_id: int, copy: Copy) -> None:
    """Notes the find; a later reading of the same source replaces the earlier."""
    connection.execute(
        "INSERT INTO carrier (id, source_id, row, twin, agent, session_id, turn, rank, content)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id, source_id) DO UPDATE SET row = excluded.row,"
        " twin = excluded.twin, agent = excluded.agent, session_id = excluded.session_id, turn = excluded.turn,"
        " rank = excluded.rank, content = excluded.content WHERE"
        " (row, twin, agent, session_id, turn, rank, content) IS NOT (excluded.row, excluded.twin, excluded.agent,"
        " excluded.session_id, excluded.turn, excluded.rank, excluded.content)",
        (copy.id, source_id, row, copy.twin, copy.agent, copy.session_id, copy.turn, copy.rank, copy.content),
    )


def better_elsewhere(connection: sqlite3.Connection, row: int, source_id: int, copy: Copy) -> list[int]:
    """Other sources that hold a better copy than this one: they should be read again."""
    found = connection.execute(
        "SELECT c.source_id, c.id, c.twin, c.agent, c.session_id, c.turn, c.rank, c.content FROM carrier c"
        " JOIN source s ON s.id = c.source_id WHERE c.row = ? AND c.source_id <> ? AND s.gone_at IS NULL",
        (row, source_id),
    )
    return [source for source, *fields in found if Copy(*fields).order < copy.order]
