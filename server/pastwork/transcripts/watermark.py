"""Positions of databases that hold many sessions: up to which change they were read. Pure.

Sessions are read oldest change first, whole; each of their turns carries the session's own change as
its mark, so a later read from the last turn's position takes up that session and all changed later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec
from msgspec import structs

from pastwork.transcripts.base import Item, Position, Turn

Mark = TypeVar("Mark", float, str)


def mark(since: Position | None, nothing: Mark) -> Mark:
    """How far changes were read; ``nothing`` at the first time, or where the mark is of another kind."""
    try:
        return msgspec.json.decode(since.carry, type=type(nothing)) if since else nothing
    except (msgspec.DecodeError, RecursionError):
        return nothing


def marked(items: Iterable[Item], until: float | str) -> Iterator[Item]:
    """A session's items, its turns found again at its change."""
    position = Position(0, msgspec.json.encode(until))
    for item in items:
        yield structs.replace(item, at=position) if isinstance(item, Turn) else item
