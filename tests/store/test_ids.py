"""Short ids and back, against looking at all ids."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pastwork.errors import BadUsage, NotFound
from pastwork.palace.show import find
from pastwork.store.ids import LEAST
from pastwork.store.reader import StoreReader
from tests.palace.world import World, digest, exchange

IDS = ("9f2c0a1b44d07e35", "9f2c0a1b44d07e36", "9f2cffffffffffff", "00000000000000aa", "ffffffffffffffff")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> StoreReader:
    data = tmp_path_factory.mktemp("ids")
    fill(data, IDS)
    return StoreReader.open(data)


def fill(data: Path, names: tuple[str, ...]) -> None:
    world = World(data)
    for number, name in enumerate(names, 1):
        found = replace(exchange(number, "/w", f"prompt {number}", session=f"s{number}"), id=name)
        world.put(found, digest(found, f"core {number}"))
    world.close()


def test_short(store: StoreReader) -> None:
    assert store.short(IDS) == {
        IDS[0]: IDS[0],
        IDS[1]: IDS[1],
        IDS[2]: "9f2cf",
        IDS[3]: "0000",
        IDS[4]: "ffff",
    }
    assert store.short([]) == {}


@pytest.mark.parametrize(
    ("asked", "expected"), [("9f2cf", IDS[2]), ("FFFF", IDS[4]), (" 0000 ", IDS[3]), (IDS[0], IDS[0])]
)
def test_find_by_beginning(store: StoreReader, asked: str, expected: str) -> None:
    assert find(store, asked).id == expected


@pytest.mark.parametrize(
    "asked", ["", "fff", "9f2d", "zzzz", "%", "9f2c_", "9f2c*", "ffffffffffffffff0", "x" * 10**6, "\0" * 9]
)
def test_no_such_beginning(store: StoreReader, asked: str) -> None:
    with pytest.raises(NotFound) as caught:
        find(store, asked)
    assert len(caught.value.message) < 100


def test_an_ambiguous_beginning_names_the_choice(store: StoreReader) -> None:
    with pytest.raises(BadUsage, match="3 exchanges have ids that begin with 9f2c") as caught:
        find(store, "9f2c")
    assert all(name in caught.value.remedy for name in IDS[:3])


def test_only_what_may_be_found_counts(store: StoreReader) -> None:
    row = find(store, IDS[2]).row
    assert find(store, "9f2c", {row}).id == IDS[2]
    with pytest.raises(NotFound):
        find(store, IDS[0], {row})


@settings(max_examples=10)
@given(st.sets(st.text("01", min_size=16, max_size=16), min_size=1, max_size=12))
def test_every_short_id_is_the_only_one_that_begins_so(
    tmp_path_factory: pytest.TempPathFactory, names: set[str]
) -> None:
    data = tmp_path_factory.mktemp("ids")
    fill(data, tuple(names))
    with StoreReader.open(data) as opened:
        short = opened.short(names)
        for name, beginning in short.items():
            assert [other for other in names if other.startswith(beginning)] == [name]
            assert len(beginning) == LEAST or [other for other in names if other.startswith(beginning[:-1])] != [name]
            assert find(opened, beginning).id == name
