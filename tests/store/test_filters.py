"""Which exchanges a filter means."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pastwork.model import FileTouch, PalaceObject, Room
from pastwork.store.records import RowFilter
from pastwork.store.writer import StoreWriter
from tests.store.samples import WORKSPACE, digest, exchange, keep

#: Exchange number -> what sets it apart.
CHANGES: dict[int, dict[str, object]] = {
    1: {},
    2: {"agent": "codex", "session_id": "session-b"},
    3: {"workspace": f"{WORKSPACE}2", "cwd": f"{WORKSPACE}2", "branch": "side"},
    4: {"workspace": f"{WORKSPACE}/sub", "cwd": f"{WORKSPACE}/sub/deep", "started_at": "2026-05-01T00:00:00.250Z"},
    5: {"workspace": "C:\\Work\\Ferry", "cwd": "C:\\Work\\Ferry", "started_at": None},
    6: {"workspace": None, "cwd": f"{WORKSPACE}/sub"},
}


@pytest.fixture(scope="module")
def store() -> Iterator[StoreWriter]:
    writer = StoreWriter.empty()
    for number, changes in CHANGES.items():
        of = exchange(number, **changes)
        touches = (FileTouch(f"src/part{number}.py", "edited"), FileTouch(f"/opt/tools/run{number}.sh", "read"))
        rooms = (
            Room("file", f"src/part{number}.py", f"part{number}.py", 0.9),
            Room("workflow", "release", "Release", 0.5),
        )
        made = digest(of, object=PalaceObject("core", "context", rooms[: 1 + number % 2], touches), fix=number == 2)
        keep(writer, of, f"/logs/{number}", made)
    yield writer
    writer.close()


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (RowFilter(workspaces=(WORKSPACE,)), {1, 2, 4, 6}),
        (RowFilter(workspaces=(f"{WORKSPACE}/",)), {1, 2, 4, 6}),
        (RowFilter(workspaces=(f"{WORKSPACE}/sub",)), {4, 6}),
        (RowFilter(workspaces=("c:/work/ferry",)), {5}),
        (RowFilter(workspaces=(f"{WORKSPACE}2", "C:\\Work")), {3, 5}),
        (RowFilter(workspaces=("/nowhere",)), set()),
        (RowFilter(workspaces=("/",)), {1, 2, 3, 4, 6}),
        (RowFilter(folders=(WORKSPACE,)), {1, 2}),
        (RowFilter(folders=()), set()),
        (RowFilter(agent="codex"), {2}),
        (RowFilter(branch="side"), {3}),
        (RowFilter(fixes=True), {2}),
        (RowFilter(since="2026-02-03T10:03:00Z"), {3, 4, 6}),
        (RowFilter(until="2026-02-03T10:02:00Z"), {1, 2}),
        (RowFilter(since="2026-04-30T23:59:59Z", until="2026-05-01T00:00:00Z"), {4}),
        (RowFilter(until="2026-02-03"), {1, 2, 3, 6}),
        (RowFilter(since="2026-02-04"), {4}),
        (RowFilter(file="part3.py"), {3}),
        (RowFilter(file="src/part3.py"), {3}),
        (RowFilter(file="tools/run4.sh"), {4}),
        (RowFilter(file="/opt/tools/run4.sh"), {4}),
        (RowFilter(file="art3.py"), set()),
        (RowFilter(file="rc/part3.py"), set()),
        (RowFilter(room="file:src/part2.py"), {2}),
        (RowFilter(room="workflow:release"), {1, 3, 5}),
        (RowFilter(room="workflow:Release"), {1, 3, 5}),
        (RowFilter(room="release"), {1, 3, 5}),
        (RowFilter(room="concept:release"), set()),
        (RowFilter(sessions=("session-b", "unknown")), {2}),
        (RowFilter(workspaces=(WORKSPACE,), room="release", until="2026-03-01"), {1}),
        (RowFilter(file="100%_'; DROP TABLE exchange; --"), set()),
    ],
)
def test_rows(store: StoreWriter, wanted: RowFilter, expected: set[int]) -> None:
    found = store.rows(wanted)
    assert found is not None
    assert {int(store.kept([row])[row].id, 16) for row in found} == expected
    assert set(store.recent(wanted, -1)) == found
    assert store.count(wanted) == len(found)


def test_no_filter_is_no_restriction(store: StoreWriter) -> None:
    assert store.rows(RowFilter()) is None


def test_recent_is_newest_first_and_limited(store: StoreWriter) -> None:
    rows = store.recent(RowFilter(), 3)
    assert [int(store.kept([row])[row].id, 16) for row in rows] == [4, 6, 3]
    assert int(store.kept([store.recent(RowFilter(), -1)[-1]]).popitem()[1].id, 16) == 5


def test_rooms_count_only_what_the_filter_means(store: StoreWriter) -> None:
    rooms = {(room.room_type, room.room_key): room for room in store.rooms(RowFilter(workspaces=(WORKSPACE,)))}
    assert rooms["workflow", "release"].exchanges == 1
    assert rooms["workflow", "release"].last == "2026-02-03T10:01:00Z"
    assert ("file", "src/part3.py") not in rooms
    assert store.rooms(RowFilter())[0].room_key == "release"
