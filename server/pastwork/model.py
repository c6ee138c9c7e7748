"""The words of pastwork as plain data.

Every stage takes and gives these frozen structs; nothing here reads a file, a clock or the
environment, and nothing of ours is imported. Line numbers are 1-based and inclusive. Times are
ISO 8601 in UTC with a trailing ``Z``. Paths are text as the transcript recorded them.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Role = Literal["user", "assistant", "tool"]
TimeSource = Literal["exact", "session", "inferred", "mtime"]
Action = Literal["edited", "created", "deleted", "read", "mentioned"]
Evidence = Literal["patch", "text", "content", "diff", "named"]
RoomType = Literal["file", "concept", "workflow"]
Tier = Literal["line", "symbol", "file"]

#: Touch actions that changed the file; the others only looked at or named it.
WROTE: frozenset[str] = frozenset({"edited", "created", "deleted"})


class Hunk(Struct, frozen=True, array_like=True):
    """One contiguous change: lines that begin with ``" "``, ``"-"`` or ``"+"``, without line ends.

    ``old_start`` and ``new_start`` are the numbers at edit time, or None where the transcript
    gives none.
    """

    lines: tuple[str, ...]
    old_start: int | None = None
    new_start: int | None = None


class Edit(Struct, frozen=True):
    """One successful change to one file.

    ``evidence`` says what the transcript showed: numbered hunks (``patch``), old and new text
    (``text``), the whole new content (``content``: one hunk of ``+`` lines), a diff printed in
    Markdown (``diff``), or nothing but the name (``named``: no hunks).
    """

    path: str
    action: Action
    hunks: tuple[Hunk, ...] = ()
    evidence: Evidence = "named"
    previous_path: str | None = None
    time: str | None = None
    tool_id: str | None = None


class ToolCall(Struct, frozen=True):
    """What the agent ran: ``input_json`` is the call's JSON object as text, ``ok`` None while unknown."""

    name: str
    summary: str = ""
    input_json: str = "{}"
    output: str = ""
    diff: str | None = None
    ok: bool | None = None
    id: str | None = None


class Entry(Struct, frozen=True):
    """One piece of the verbatim, in transcript order; ``tool`` only where role is ``tool``."""

    role: Role
    text: str = ""
    time: str | None = None
    tool: ToolCall | None = None


class FileTouch(Struct, frozen=True, order=True):
    """A file and the strongest thing the exchange did to it."""

    path: str
    action: Action


class Session(Struct, frozen=True):
    """One conversation with an agent, by the agent's own id."""

    agent: str
    id: str
    title: str = ""
    workspace: str | None = None
    parent_id: str | None = None
    started_at: str | None = None


class Exchange(Struct, frozen=True):
    """One human prompt and everything the agent did until the next: the unit of memory.

    ``workspace`` is the root the work belongs to (a git root where the transcript or the disk
    tells one, else the session's first folder); ``cwd`` where the agent stood at the prompt.
    ``turn`` counts from 1 within the session. ``open`` while the agent is still at work.
    ``twin`` is the same for every carrier of the exchange, whatever agent name it goes by.
    """

    id: str
    agent: str
    session_id: str
    turn: int
    prompt: str
    entries: tuple[Entry, ...]
    edits: tuple[Edit, ...] = ()
    reads: tuple[str, ...] = ()
    started_at: str | None = None
    ended_at: str | None = None
    time_source: TimeSource = "exact"
    workspace: str | None = None
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    open: bool = False
    twin: str = ""


class Room(Struct, frozen=True):
    """A place where related exchanges meet; ``relevance`` in 0..1."""

    room_type: RoomType
    room_key: str
    room_label: str
    relevance: float


class PalaceObject(Struct, frozen=True):
    """The distilled exchange, in the exchange's own words."""

    exchange_core: str
    specific_context: str
    room_assignments: tuple[Room, ...] = ()
    files_touched: tuple[FileTouch, ...] = ()
    distilled_by: str = "extractive"


#: Begins the reason of a problem that is no damage: a record of a type its reader does not know. The type follows.
UNKNOWN = "unknown type of record: "
#: Begins the reason of a problem with the whole transcript, which may be over at the next look.
UNREADABLE = "cannot be read: "


class Problem(Struct, frozen=True):
    """Something a reader could not use: where, and why in one sentence."""

    path: str
    offset: int
    reason: str
