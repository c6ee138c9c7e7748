"""What the store takes and gives back: rows without the verbatim, light enough to hold by the thousand."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pastwork.model import Action, Edit, PalaceObject, Room, TimeSource

#: What became of an exchange that was handed to the writer.
Outcome = Literal["new", "updated", "known", "forgotten"]


class Kept(Struct, frozen=True):
    """One exchange as stored, without its verbatim. ``prompt`` is masked and at most 500 characters; ``terms``
    are its key terms, looked for together with the core."""

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
    terms: str = ""


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


class Digest(Struct, frozen=True):
    """Everything distilled of one exchange, all of it from masked text.

    ``object.room_assignments`` are the rooms shown until the next ``settle_rooms``; ``candidates``
    are what this exchange proposes, from which settling chooses; ``terms`` are
    embedded with core and context. ``recipe`` names the rules it was
    made by, so that a change of rules can find what is old.
    """

    object: PalaceObject
    prompt: str = ""
    candidates: tuple[Room, ...] = ()
    terms: tuple[str, ...] = ()
    fix: bool = False
    tokens_verbatim: int = 0
    tokens_distilled: int = 0
    recipe: str = ""


class RowFilter(Struct, frozen=True, kw_only=True):
    """Which exchanges are meant; an unset field restricts nothing, set ones all have to hold.

    ``workspaces`` are folders: an exchange is in one when its workspace or its cwd is that folder
    or lies below it; ``folders`` are recorded folders compared whole (none of them: no exchange).
    ``room`` is ``type:key``, a key or a label; ``file`` a recorded path, a path
    relative to the workspace, the end of one, or a bare name. ``since`` and ``until`` are ISO times
    (or dates) compared with the start, both inclusive; what has no time is outside of both.
    """

    workspaces: tuple[str, ...] = ()
    folders: tuple[str, ...] | None = None
    agent: str | None = None
    room: str | None = None
    file: str | None = None
    since: str | None = None
    until: str | None = None
    branch: str | None = None
    fixes: bool = False
    sessions: tuple[str, ...] = ()


class Put(Struct, frozen=True):
    """Where an exchange came to lie; ``row`` is 0 where it stays forgotten.

    ``removed`` are rows that turned out to be the same exchange: lanes have to drop them.
    """

    row: int
    outcome: Outcome
    removed: tuple[int, ...] = ()


class SourceState(Struct, frozen=True):
    """How far one transcript has been read.

    ``stamp`` is the sync's own fingerprint of the files (opaque here); ``offset`` and ``carry`` the
    ``Position`` of the last exchange read; ``done`` False while a first reading was cut short.
    """

    id: int
    agent: str
    path: str
    size: int = 0
    mtime_ns: int = 0
    stamp: bytes = b""
    offset: int = 0
    carry: bytes = b""
    done: bool = False
    gone_at: str | None = None
