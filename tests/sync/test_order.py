"""Whatever the order, however often, from whichever copies: the same store."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from tests.store.samples import dump
from tests.sync.jotter import Home, ask, line


def fill(folder: Path) -> Home:
    """Sessions with a fork, a resumed copy, an open end, and the same prompt asked twice."""
    home = Home(folder)
    first = ask("tides", 1, cwd="/w/ferry") + line(write="/w/ferry/tides.py", text="table = 1")
    home.write("a.jot", line(title="Tides"), first, ask("ferries", 2), line(ask="still running", id="prompt-3"))
    home.write("b.jot", first, ask("ferries", 2), ask("harbours", 4), ask("harbours"), ask("harbours"))
    home.write("c.jot", ask("ferries", 2), line(answer="A longer answer than elsewhere."), ask("lighthouses", 5))
    home.write("d.jot", ask("tide tables at the lighthouse", 6), ask("lighthouses and ferries", 7))
    return home


def shaken(home: Home, chance: random.Random) -> None:
    """Other times for the files, which is the order in which they are read."""
    for path in home.path(".").glob("*.jot"):
        os.utime(path, (1_700_000_000, chance.randrange(1_600_000_000, 1_700_000_000)))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    home = fill(tmp_path_factory.mktemp("expected"))
    home.sync().run_once(vectors=False)
    return dump(home.writer.connection)


@pytest.mark.parametrize("seed", range(8))
def test_any_order(tmp_path: Path, expected: dict[str, object], seed: int) -> None:
    home = fill(tmp_path)
    shaken(home, random.Random(seed))
    home.sync().run_once(vectors=False)
    assert dump(home.writer.connection) == expected


@pytest.mark.parametrize("seed", range(4))
def test_one_transcript_at_a_time_and_twice(tmp_path: Path, expected: dict[str, object], seed: int) -> None:
    home = fill(tmp_path / "home")
    files = sorted(home.path(".").glob("*.jot"))
    aside = tmp_path / "aside"
    aside.mkdir()
    for path in files:
        path.rename(aside / path.name)
    random.Random(seed).shuffle(files)
    for path in files:
        shutil.copy(aside / path.name, path)
        home.sync().run_once(vectors=False)
        home.sync().run_once(full=True, vectors=False)
    assert dump(home.writer.connection) == expected


@pytest.mark.parametrize("seed", range(4))
def test_from_copies(tmp_path: Path, expected: dict[str, object], seed: int) -> None:
    """A backup of the transcripts beside them adds nothing."""
    home = fill(tmp_path)
    for path in sorted(home.path(".").glob("*.jot")):
        shutil.copy(path, path.with_name(f"{path.stem}@copy.jot"))
    shaken(home, random.Random(seed))
    home.sync().run_once(vectors=False)
    assert dump(home.writer.connection) == expected


@pytest.mark.parametrize("seed", range(6))
def test_grown_byte_by_byte(tmp_path: Path, expected: dict[str, object], seed: int) -> None:
    """Appended at random cuts, with a new process's state each time."""
    home = fill(tmp_path)
    contents = {path: path.read_bytes() for path in home.path(".").glob("*.jot")}
    chance = random.Random(seed)
    done = dict.fromkeys(contents, 0)
    for path in contents:
        path.write_bytes(b"")
    while any(done[path] < len(content) for path, content in contents.items()):
        path = chance.choice(sorted(contents))
        step = chance.randrange(1, 200)
        with path.open("ab") as file:
            file.write(contents[path][done[path] : done[path] + step])
        done[path] += step
        home.sync().run_once(vectors=False)
    assert dump(home.writer.connection) == expected
