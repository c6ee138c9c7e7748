"""What the store gives back: rows without the verbatim, light enough to hold by the thousand."""

from __future__ import annotations

from msgspec import Struct

from pastwork.model import Action, Edit, PalaceObject, TimeSource


class Kept(Struct, frozen=True):
    """One exchange as stored, without its verbatim. ``prompt`` is masked and at most 500 characters."""

    row: int
    id: str
    agent: str
    session_id: str
    turn: int
    title: str
    prompt: str
    object: PalaceObject
    started_at: str | None = None
    ended_at: str | None = None
    time_source: TimeSource = "exact"
    workspace: str | None = None
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    open: bool = False
    fix: bool = False
    tokens_verbatim: int = 0
    tokens_distilled: int = 0


class FileWork(Struct, frozen=True):
    """One exchange's strongest touch of one file: ``path`` as recorded, ``relative`` to the exchange's workspace."""

    row: int
    path: str
    relative: str | None
    action: Action


class StoredEdit(Struct, frozen=True):
    """One edit with the exchange it belongs to; ``order`` sorts edits of all exchanges by time, then place.

    ``relative`` is the edit's path relative to ``workspace``, the exchange's.
    """

    row: int
    exchange_id: str
    session_id: str
    order: int
    relative: str | None
    edit: Edit
    workspace: str | None = None
