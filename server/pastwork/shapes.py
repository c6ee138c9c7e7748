"""The shapes pastwork shows to the outside (command line with ``--json``, language server, MCP).

One struct per shape of the contract; ``msgspec.json.encode`` of each is exactly what is shown.
"""

from __future__ import annotations

from msgspec import Raw, Struct, field

from pastwork.model import Action, Role, Room, RoomType, Tier, TimeSource


class Touched(Struct, frozen=True):
    path: str
    action: Action


class ObjectShape(Struct, frozen=True):
    """A palace object; ``files_touched`` paths are relative to the workspace where they lie in it."""

    exchange_core: str
    specific_context: str
    room_assignments: tuple[Room, ...]
    files_touched: tuple[Touched, ...]
    distilled_by: str


class Why(Struct, frozen=True):
    """Normalised lane scores (0..1) and the query's terms that the exchange holds."""

    keyword: float | None = None
    vector: float | None = None
    terms: tuple[str, ...] = ()


class Snippet(Struct, frozen=True):
    """A passage of the masked verbatim; ``marks`` are [start, end) in UTF-16 units."""

    text: str = ""
    marks: tuple[tuple[int, int], ...] = ()


class Tokens(Struct, frozen=True):
    verbatim: int = 0
    distilled: int = 0


class Hit(Struct, frozen=True):
    """One exchange as every list shows it; ``prompt`` masked and cut to 500 characters.

    ``session_note`` tells of a found one which hit of the same session stands above it.
    """

    id: str
    agent: str
    session_id: str
    turn: int
    prompt: str
    object: ObjectShape
    score: float = 0.0
    why: Why = Why()
    title: str = ""
    open: bool = False
    fix: bool = False
    started_at: str | None = None
    time_source: TimeSource = "exact"
    workspace: str | None = None
    branch: str | None = None
    model: str | None = None
    snippet: Snippet = Snippet()
    tokens: Tokens = Tokens()
    session_note: str = ""


class SearchAnswer(Struct, frozen=True):
    query: str
    mode: str
    scope: str
    took_ms: float
    total: int
    notes: tuple[str, ...]
    hits: tuple[Hit, ...]


class Match(Struct, frozen=True):
    """Past work on a file or line: ``lines`` are [first, last] runs that stand today."""

    tier: Tier
    hit: Hit
    lines: tuple[tuple[int, int], ...] = ()
    survival: float | None = None
    action: Action = "edited"
    replaced_by: str | None = None
    undone: bool = False


class HistoryAnswer(Struct, frozen=True):
    file: str
    line: int | None
    matches: tuple[Match, ...]
    silence: str | None = None
    notes: tuple[str, ...] = ()


class BlameLine(Struct, frozen=True):
    line: int
    exchange_id: str
    session_id: str


class BlameAnswer(Struct, frozen=True):
    file: str
    lines: tuple[BlameLine, ...]
    silence: str | None = None


class WrittenAnswer(Struct, frozen=True):
    """Today's text of a file with what one exchange wrote put back; ``note`` says what could not be."""

    file: str
    text: str
    note: str | None = None


class TouchedFile(Struct, frozen=True):
    """A file as its transcript calls it, and the absolute path it has today below the client's folders."""

    path: str
    action: Action
    today: str | None = None


class TouchedAnswer(Struct, frozen=True):
    id: str
    files: tuple[TouchedFile, ...]


class ShownTool(Struct, frozen=True):
    name: str
    summary: str
    input: Raw
    output: str
    diff: str | None
    ok: bool | None


class ShownEntry(Struct, frozen=True):
    role: Role
    time: str | None
    text: str
    tool: ShownTool | None = None


class Source(Struct, frozen=True):
    path: str
    present: bool


class ShowAnswer(Struct, frozen=True):
    id: str
    hit: Hit
    verbatim: tuple[ShownEntry, ...]
    source: Source
    previous: str | None
    next: str | None
    resume: str | None
    notes: tuple[str, ...] = ()


class RoomCount(Struct, frozen=True):
    room_type: RoomType
    room_key: str
    room_label: str
    exchanges: int
    last: str | None


class RoomsAnswer(Struct, frozen=True):
    rooms: tuple[RoomCount, ...]
    notes: tuple[str, ...] = ()


class RoomAnswer(Struct, frozen=True):
    """The exchanges of one room, newest first."""

    room: RoomCount
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


class Skipped(Struct, frozen=True):
    file: str
    offset: int
    reason: str


class AgentStatus(Struct, frozen=True):
    """``unknown`` types of records and in how many files they were met; they are not among the skipped."""

    roots: tuple[str, ...]
    sessions: int
    exchanges: int
    edits: int
    last_seen: str | None
    gone: int
    expiring: int
    skipped: tuple[Skipped, ...]
    evidence: str = "real"
    unknown: dict[str, int] = {}


class VectorStatus(Struct, frozen=True):
    ready: int
    pending: int


class IndexStatus(Struct, frozen=True):
    state: str = "idle"
    done: int = 0
    total: int = 0
    finished_at: str | None = None


class StoreStatus(Struct, frozen=True):
    path: str
    bytes: int
    schema: int


class WriterStatus(Struct, frozen=True):
    pid: int
    mine: bool


class StatusAnswer(Struct, frozen=True):
    agents: dict[str, AgentStatus]
    vectors: VectorStatus
    index: IndexStatus
    store: StoreStatus
    writer: WriterStatus
    notes: tuple[str, ...] = ()


class IndexCounts(Struct, frozen=True):
    new: int = 0
    updated: int = 0
    known: int = 0


class IndexAnswer(Struct, frozen=True):
    files: int
    exchanges: IndexCounts
    skipped: int
    took_ms: float
    vectors: VectorStatus
    notes: tuple[str, ...] = ()


class Fault(Struct, frozen=True):
    what: str
    where: str
    remedy: str


class VerifyAnswer(Struct, frozen=True):
    ok: bool
    checked: dict[str, int]
    faults: tuple[Fault, ...]


class Finding(Struct, frozen=True):
    level: str
    what: str
    remedy: str = ""


class DoctorAnswer(Struct, frozen=True):
    findings: tuple[Finding, ...]


class ContextAnswer(Struct, frozen=True):
    """``exchanges`` are told in ``text``, ``folded`` of them by another's line; ``ids`` are the lines' own."""

    budget: int
    used: int
    exchanges: int
    left_out: int
    text: str
    tokenizer: str = ""
    notes: tuple[str, ...] = ()
    folded: int = 0
    ids: tuple[str, ...] = ()


class ForgetAnswer(Struct, frozen=True):
    forgotten: int


class DistillAnswer(Struct, frozen=True):
    distilled: int
    kept_extractive: int
    left: int
    estimate_s: float
    notes: tuple[str, ...] = ()


class ModelAnswer(Struct, frozen=True):
    path: str
    sha256: str
    ready: bool


class ErrorBody(Struct, frozen=True):
    code: str
    message: str
    remedy: str


class ErrorAnswer(Struct, frozen=True):
    error: ErrorBody = field()
