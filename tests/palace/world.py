"""An invented developer's store, small enough to know by heart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import asdict

from pastwork.distill.digest import digest as digest_of
from pastwork.index.base import Fields
from pastwork.index.okapi import OkapiLane
from pastwork.model import Edit, Entry, Exchange, FileTouch, Hunk, PalaceObject, Room, Session, ToolCall
from pastwork.store.records import Digest
from pastwork.store.writer import StoreWriter

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

POOL = """import threading


class Pool:
    def __init__(self, size):
        self.waiting = threading.Semaphore(size)

    def take(self, timeout=30):
        if not self.waiting.acquire(timeout=timeout):
            raise PoolTimeout("no connection became free in time")
        return self.fresh_connection()
"""


def clock() -> datetime:
    return NOW


def room(kind: str, key: str, relevance: float = 0.8) -> Room:
    label = key.rpartition("/")[2].replace("_", " ") if kind != "file" else key.rpartition("/")[2]
    return Room(kind, key, label, relevance)  # type: ignore[arg-type]


def added(text: str, path: str, time: str | None = None) -> Edit:
    """A file created with this text."""
    return Edit(path, "created", (Hunk(tuple(f"+{line}" for line in text.splitlines()), 0, 1),), "content", time=time)


def exchange(
    number: int,
    workspace: str | None,
    prompt: str,
    answer: str = "Done.",
    *,
    agent: str = "claude-code",
    session: str = "5e551011-0000-4000-8000-000000000001",
    edits: Sequence[Edit] = (),
    tools: Sequence[ToolCall] = (),
    started_at: str | None = None,
    branch: str | None = "main",
    cwd: str | None = None,
    still_open: bool = False,
) -> Exchange:
    at = started_at or f"2026-01-{number:02d}T10:00:00Z"
    entries = [
        Entry("user", prompt, at),
        *(Entry("tool", "", at, tool) for tool in tools),
        Entry("assistant", answer, at),
    ]
    return Exchange(
        id=f"{number:016x}",
        agent=agent,
        session_id=session,
        turn=number,
        prompt=prompt,
        entries=tuple(entries),
        edits=tuple(edits),
        started_at=at,
        ended_at=at,
        workspace=workspace,
        cwd=cwd or workspace,
        branch=branch,
        model="sonnet",
        open=still_open,
    )


def digest(
    found: Exchange, core: str, rooms: Sequence[Room] = (), touched: Sequence[FileTouch] = (), fix: bool = False
) -> Digest:
    context = f"about {found.prompt.split()[0]}" if found.prompt else ""
    return Digest(
        PalaceObject(core, context, tuple(rooms), tuple(touched)),
        prompt=found.prompt[:500],
        fix=fix,
        tokens_verbatim=len(found.prompt.split()),
        tokens_distilled=len(core.split()),
    )


class World:
    """Fills the store in ``data``; every exchange's transcript is a file in ``data/transcripts``."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.writer = StoreWriter.open(data)
        self.lane = OkapiLane(self.writer.connection)
        with self.writer.transaction():
            self.lane.prepare()
        self.transcripts = data / "transcripts"
        self.transcripts.mkdir(exist_ok=True)

    def put(self, found: Exchange, distilled: Digest) -> int:
        path = self.transcripts / f"{found.session_id}.jsonl"
        path.touch()
        with self.writer.transaction():
            source = self.writer.source(found.agent, path)
            self.writer.put_session(Session(found.agent, found.session_id, "invented session", found.workspace))
            row = self.writer.put(found, distilled, source.id).row
            texts = [(row, Fields(**asdict(digest_of(found).texts)))]
            self.lane.add(texts)
            self.writer.put_fields(texts)
            return row

    def close(self) -> None:
        self.writer.close()


def fill(world: World, shop: str, other: str) -> None:
    """Two projects of one name: five exchanges in ``shop``, two in ``other``."""
    pool = f"{shop}/src/pool.py"
    first = exchange(1, shop, "Write a connection pool", edits=[added(POOL, pool, "2026-01-01T10:00:00Z")])
    world.put(
        first,
        digest(
            first,
            "Wrote the pool",
            [room("file", "src/pool.py"), room("concept", "connection_pool")],
            [FileTouch(pool, "created")],
        ),
    )
    second = exchange(2, shop, "Why do bookings hang with PoolTimeout?", "The semaphore is never released.")
    world.put(
        second,
        digest(
            second,
            "Bookings hang: semaphore never released",
            [room("file", "src/pool.py"), room("concept", "connection_pool")],
            [FileTouch(pool, "read")],
            fix=True,
        ),
    )
    third = exchange(
        3,
        shop,
        "Add a note on the pool to the README",
        tools=[ToolCall("Bash", "git log", '{"command": "git log"}', "abc", None, True)],
        branch="docs",
    )
    world.put(
        third,
        digest(
            third,
            "Named the pool in the README",
            [room("workflow", "documentation")],
            [FileTouch(pool, "mentioned"), FileTouch(f"{shop}/README.md", "edited")],
        ),
    )
    fourth = exchange(4, shop, "Plan the release", agent="codex", session="c0de0000-0000-4000-8000-000000000002")
    world.put(fourth, digest(fourth, "Planned the release", [room("workflow", "release")]))
    fifth = exchange(
        5,
        f"{shop}/server",
        "Start the server in a sub-folder",
        agent="codex",
        session="c0de0000-0000-4000-8000-000000000003",
        still_open=True,
    )
    world.put(fifth, digest(fifth, "Started the server", [room("concept", "server_start")]))
    pool_there = f"{other}/src/pool.py"
    sixth = exchange(
        6,
        other,
        "Write another pool",
        session="5e551011-0000-4000-8000-000000000009",
        edits=[added("class Swimming:\n    depth_in_metres = 3\n", pool_there)],
    )
    world.put(
        sixth,
        digest(
            sixth,
            "Wrote a swimming pool",
            [room("file", "src/pool.py"), room("concept", "connection_pool")],
            [FileTouch(pool_there, "created")],
        ),
    )
    seventh = exchange(7, "/", "Started at the root of the disk", session="5e551011-0000-4000-8000-00000000000a")
    world.put(seventh, digest(seventh, "Looked around", [room("concept", "disk")]))
