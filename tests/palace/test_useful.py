"""What comes first to somebody who works on a file or in a room."""

from __future__ import annotations

import pytest

from pastwork.model import Action, FileTouch, PalaceObject, Room
from pastwork.palace.useful import sorted_for
from pastwork.search.filters import Filters
from pastwork.store.records import Kept


def kept(row: int, touched: tuple[FileTouch, ...] = (), rooms: tuple[Room, ...] = ()) -> Kept:
    return Kept(row, f"{row:016x}", "codex", "s", row, "", "p", PalaceObject("c", "", rooms, touched))


def did(action: Action, path: str = "/w/src/a.py") -> tuple[FileTouch, ...]:
    return (FileTouch(path, action),)


@pytest.mark.parametrize("file", ["a.py", "src/a.py", "/w/src/a.py"])
def test_who_wrote_it_then_who_read_it_then_who_named_it(file: str) -> None:
    found = [kept(1, did("mentioned")), kept(2, did("read")), kept(3, did("edited")), kept(4, did("created"))]
    assert [each.row for each in sorted_for(found, Filters(file=file))] == [3, 4, 2, 1]


def test_a_file_of_a_like_name_does_not_count() -> None:
    found = [kept(1, (*did("edited", "/w/data.py"), *did("read"))), kept(2, did("edited"))]
    assert [each.row for each in sorted_for(found, Filters(file="a.py"))] == [2, 1]


@pytest.mark.parametrize("room", ["concept:pool", "pool", "the pool"])
def test_what_is_most_about_a_room(room: str) -> None:
    rooms = [(Room("concept", "pool", "the pool", relevance),) for relevance in (0.3, 0.91, 0.89)]
    found = [kept(row, rooms=each) for row, each in enumerate(rooms)]
    assert [each.row for each in sorted_for(found, Filters(room=room))] == [1, 2, 0]


def test_else_as_they_came() -> None:
    found = [kept(2), kept(1)]
    assert sorted_for(found, Filters()) == found
