"""The store, read for the map: whose work is where, and what happens when it changes or can't be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.anchor.paths import key
from pastwork.config import Config
from pastwork.lsp.filemap import FileMap
from pastwork.lsp.mapper import Interest, Look, Mapper
from pastwork.model import FileTouch
from tests.palace.conftest import disk as disk
from tests.palace.world import World, clock, digest, exchange, fill, room


@pytest.fixture
def mapper(disk: Path) -> Iterator[Mapper]:
    mapper = Mapper(disk / "data", disk, clock)
    yield mapper
    mapper.close()


def found(look: Look) -> FileMap:
    assert look.map is not None
    return look.map


def cores(map_: FileMap, path: Path) -> list[str]:
    return [glance.core for glance in map_.of(key(str(path)))]


def all_cores(map_: FileMap) -> list[str]:
    return [glance.core for glance in map_.works]


def test_writers_come_first_then_rooms_and_other_projects_never(mapper: Mapper, disk: Path) -> None:
    shop, play = disk / "work" / "shop", disk / "play" / "shop"
    seen = found(mapper.look(Interest((shop,))))
    assert cores(seen, shop / "src" / "pool.py") == ["Wrote the pool", "Bookings hang: semaphore never released"]
    assert cores(seen, shop / "README.md") == ["Named the pool in the README"]
    assert cores(seen, play / "src" / "pool.py") == []
    assert [glance.fix for glance in seen.of(key(str(shop / "src" / "pool.py")))] == [False, True]


def test_what_many_exchanges_say_alike_is_held_once(mapper: Mapper, disk: Path) -> None:
    works = found(mapper.look(Interest())).works
    said = [text for glance in works for text in (glance.agent, *glance.rooms)]
    assert len({id(text) for text in said}) == len(set(said)) < len(said)


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        (["play/shop"], ["Wrote a swimming pool"]),
        (["work/shop/server"], 5),
        (["work/shop"], 5),
        (["work", "play"], 6),
        ([], 7),
        (["elsewhere"], []),
    ],
)
def test_works_of_the_folders(mapper: Mapper, disk: Path, folders: list[str], expected: list[str] | int) -> None:
    seen = found(mapper.look(Interest(tuple(disk / folder for folder in folders))))
    if isinstance(expected, int):
        assert len(seen.works) == expected
        times = [glance.started_at or "" for glance in seen.works]
        assert times == sorted(times, reverse=True)
    else:
        assert all_cores(seen) == expected


def test_a_file_outside_of_every_folder_counts_while_it_is_open(mapper: Mapper, disk: Path) -> None:
    shop, single = disk / "work" / "shop", disk / "play" / "shop" / "src" / "pool.py"
    assert cores(found(mapper.look(Interest((shop,)))), single) == []
    assert cores(found(mapper.look(Interest((shop,), {}, frozenset({single})))), single) == ["Wrote a swimming pool"]


def test_an_alias_leads_to_the_folder_of_today(mapper: Mapper, disk: Path, tmp_path: Path) -> None:
    seen = mapper.look(Interest((tmp_path,), {str(disk / "work" / "shop"): str(tmp_path)}))
    assert cores(found(seen), tmp_path / "src" / "pool.py")[0] == "Wrote the pool"
    assert len(found(seen).works) == 5


def test_a_linked_folder_is_the_folder_it_leads_to(mapper: Mapper, disk: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(disk / "work" / "shop")
    look = mapper.look(Interest((link,)))
    assert look.scope is not None
    assert found(look).of(look.scope.places.today(str(link / "src" / "pool.py")))
    assert found(look).of(look.scope.places.today(str(disk / "work" / "shop" / "src" / "pool.py")))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "data")
    fill(world, "/home/dev/shop", "/home/dev/other")
    yield world
    world.close()


def test_nothing_new_is_no_map_and_news_is_one(world: World, tmp_path: Path) -> None:
    mapper = Mapper(world.data, tmp_path, clock)
    shop = Interest((Path("/home/dev/shop"),))
    assert len(found(mapper.look(shop)).works) == 5
    assert mapper.look(shop) == Look()
    news = exchange(8, "/home/dev/shop", "One more")
    world.put(news, digest(news, "More", [room("file", "src/new.py")], [FileTouch("src/new.py", "edited")]))
    seen = found(mapper.look(shop))
    assert all_cores(seen)[0] == "More"
    assert cores(seen, Path("/home/dev/shop/src/new.py")) == ["More"]
    assert mapper.look(shop).map is None
    mapper.close()


def test_a_store_that_comes_goes_and_comes_again(tmp_path: Path) -> None:
    data, interest = tmp_path / "data", Interest((Path("/home/dev/shop"),))
    mapper = Mapper(data, tmp_path, clock)
    assert found(mapper.look(interest)) == FileMap()
    assert mapper.look(interest) == Look()
    for round_ in range(2):
        world = World(data)
        fill(world, "/home/dev/shop", "/home/dev/other")
        world.close()
        assert len(found(mapper.look(interest)).works) == 5, round_
        for file in data.glob("palace.db*"):
            file.unlink()
        assert found(mapper.look(interest)) == FileMap(), round_
    mapper.close()


@pytest.mark.parametrize("content", [b"not a database" * 1000, b"\0" * 4096])
def test_a_damaged_store_is_one_sentence_and_no_map(tmp_path: Path, content: bytes) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "palace.db").write_bytes(content)
    look = Mapper(data, tmp_path, clock).look(Interest())
    assert look.map is None
    assert str(data) in look.trouble


def test_an_unreadable_store_is_one_sentence(world: World, tmp_path: Path) -> None:
    (world.data / "palace.db").chmod(0)
    if os.access(world.data / "palace.db", os.R_OK):
        pytest.skip("this user may read everything")
    assert "palace.db" in Mapper(world.data, tmp_path, clock).look(Interest()).trouble


def test_status_comes_from_the_same_store(mapper: Mapper, disk: Path) -> None:
    assert mapper.status(Config()).store.path == str(disk / "data" / "palace.db")
