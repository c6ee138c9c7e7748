"""Rooms, and the scope rules they share with every filtered answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork.config import Config
from pastwork.errors import BadUsage, NotFound
from pastwork.palace import Palace
from pastwork.search.filters import Filters
from tests.palace.world import clock


def counted(palace: Palace, filters: Filters, *folders: Path) -> dict[str, int]:
    return {f"{r.room_type}:{r.room_key}": r.exchanges for r in palace.rooms(filters, folders).rooms}


SHOP = {
    "file:src/pool.py": 2,
    "concept:connection_pool": 2,
    "workflow:documentation": 1,
    "workflow:release": 1,
    "concept:server_start": 1,
}


def test_rooms_of_a_workspace(palace: Palace, disk: Path) -> None:
    """The sub-folder's session belongs; the namesake's and the one started at the root of the disk do not."""
    assert counted(palace, Filters(), disk / "work/shop") == SHOP


def test_the_fullest_room_comes_first(palace: Palace, disk: Path) -> None:
    counts = [room.exchanges for room in palace.rooms(Filters(), [disk / "work/shop"]).rooms]
    assert counts == sorted(counts, reverse=True)


def test_rooms_of_all_projects(palace: Palace, disk: Path) -> None:
    found = counted(palace, Filters(scope="all"), disk / "work/shop")
    assert (found["concept:connection_pool"], found["concept:disk"]) == (3, 1)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(agent="codex"), {"workflow:release", "concept:server_start"}),
        (Filters(agent="Codex"), {"workflow:release", "concept:server_start"}),
        (Filters(agent="cod"), {"workflow:release", "concept:server_start"}),
        (Filters(agent=""), set()),
        (Filters(fixes=True), {"file:src/pool.py", "concept:connection_pool"}),
        (Filters(branch="docs"), {"workflow:documentation"}),
        (Filters(file="README.md"), {"workflow:documentation"}),
        (Filters(since="2026-01-04"), {"workflow:release", "concept:server_start"}),
        (Filters(until="2026-01-01"), {"file:src/pool.py", "concept:connection_pool"}),
        (Filters(agent="aider"), set()),
    ],
)
def test_filters(palace: Palace, disk: Path, filters: Filters, expected: set[str]) -> None:
    assert set(counted(palace, filters, disk / "work/shop")) == expected


def test_a_workspace_without_past_work_answers_from_all(palace: Palace, disk: Path) -> None:
    answer = palace.rooms(Filters(), [disk / "empty"])
    assert len(answer.rooms) == 6
    assert answer.notes == (f"no past work is recorded in {disk / 'empty'}; this is from all projects",)


def test_a_filter_that_matches_nothing_stays_in_the_workspace(palace: Palace, disk: Path) -> None:
    answer = palace.rooms(Filters(branch="none"), [disk / "work/shop"])
    assert (answer.rooms, answer.notes) == ((), ())


def test_an_agent_without_past_work_is_told(palace: Palace, disk: Path) -> None:
    answer = palace.rooms(Filters(agent="aider"), [disk / "work/shop"])
    assert answer.rooms == ()
    assert answer.notes == ("no past work of an agent called 'aider'; there is some of claude-code, codex",)


def test_the_limit_is_told(palace: Palace, disk: Path) -> None:
    answer = palace.rooms(Filters(limit=2), [disk / "work/shop"])
    assert len(answer.rooms) == 2
    assert answer.notes == ("3 more rooms; raise the limit to see them",)


@pytest.mark.parametrize("name", ["concept:connection_pool", "connection_pool", "connection pool"])
def test_one_room(palace: Palace, disk: Path, name: str) -> None:
    answer = palace.room(name, Filters(), [disk / "work/shop"])
    assert [int(hit.id, 16) for hit in answer.hits] == [2, 1]
    assert answer.room.exchanges == 2


def test_a_long_room_says_so(palace: Palace, disk: Path) -> None:
    answer = palace.room("connection_pool", Filters(limit=1), [disk / "work/shop"])
    assert ([int(hit.id, 16) for hit in answer.hits], answer.notes) == ([2], ("the newest 1 of 2 exchanges",))


@pytest.mark.parametrize("name", ["concept:swimming", "disk", "", "file:"])
def test_an_unknown_room(palace: Palace, disk: Path, name: str) -> None:
    with pytest.raises(NotFound, match="no room is called"):
        palace.room(name, Filters(), [disk / "work/shop"])


@pytest.mark.parametrize(
    "filters",
    [
        Filters(limit=0),
        Filters(limit=-1),
        Filters(limit=10**9),
        Filters(since="gestern"),
        Filters(until="2026-13-01"),
        Filters(scope="everywhere"),  # type: ignore[arg-type]
    ],
)
def test_senseless_filters(palace: Palace, filters: Filters) -> None:
    with pytest.raises(BadUsage):
        palace.rooms(filters)


def test_before_the_first_index(tmp_path: Path) -> None:
    with Palace(tmp_path / "none", Config(), tmp_path, clock) as palace:
        answer = palace.rooms(Filters(), [tmp_path])
    assert (answer.rooms, answer.notes) == ((), ("nothing is indexed yet; run `pastwork index`",))
