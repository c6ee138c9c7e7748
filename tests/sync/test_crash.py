"""Killed anywhere, nothing acknowledged is lost, and what is left to do is little.

Each point in time is drawn from a seed that the test names.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.index.okapi import OkapiLane
from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from pastwork.store.writer import StoreWriter
from tests.sizes import figure, size
from tests.store.samples import dump
from tests.sync.jotter import Home, ask, line
from tests.sync.processes import COMPACTION, PASS, environment

pytestmark = [pytest.mark.promise, pytest.mark.timeout(300)]

TRANSCRIPTS, EACH = 12, 50
#: Kills of one history, one after the other.
FIRST, GROWING, AGAIN, COMPACTING = 3, 9, 5, 4


def seeds(name: str, each: int) -> range:
    """As many histories as the kills asked for need."""
    return range(-(-size(name) // each))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of 600 exchanges in 12 transcripts."""
    home = Home(tmp_path_factory.mktemp("home"))
    for name in range(TRANSCRIPTS):
        asks = [
            ask(f"topic {name}-{number}", 100 * name + number + 1) + line(answer="words " * 200)
            for number in range(EACH)
        ]
        home.write(f"{name}.jot", *asks)
    return home.folder


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, object]:
    return fresh(folder)


@pytest.fixture(scope="module")
def indexed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a whole pass; to be copied."""
    data = tmp_path_factory.mktemp("indexed") / "data"
    run(PASS, folder, data, None)
    return data


def fresh(folder: Path) -> dict[str, object]:
    """What an undisturbed first pass knows."""
    home = Home(folder)
    home.sync().run_once(vectors=False)
    return dump(home.writer.connection)


def run(script: str, folder: Path, data: Path, kill_after: float | None, *words: str) -> list[str]:
    """A process of its own, killed so many seconds after it began; what it said by then ("end" where it was quicker)."""
    command = [sys.executable, "-c", script, str(folder), str(data), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(folder)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begin\n"
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        said = process.communicate()[0].decode().split("\n")[:-1]
    assert kill_after is not None or said[-1] == "end"
    return said


def read(said: list[str]) -> int:
    """How many transcripts a pass began to read."""
    return sum(word.startswith("reading") for word in said)


def sound(data: Path) -> set[str]:
    """The exchanges that are kept, after everything was read again and compared."""
    with StoreReader.open(data) as reader:
        assert verify(reader).faults == ()
        return {exchange_id for (exchange_id,) in reader.connection.execute("SELECT id FROM exchange")}


@pytest.mark.parametrize("seed", seeds("KILLS_FIRST", FIRST))
def test_a_first_pass(folder: Path, tmp_path: Path, expected: dict[str, object], seed: int) -> None:
    """A kill costs what was not yet committed, the last half second: the whole is read less than twice."""
    chance, data = random.Random(seed), tmp_path / "data"
    known: set[str] = set()
    begun = struck = 0
    while struck < FIRST:
        StoreWriter.open(data).close()
        said = run(PASS, folder, data, chance.uniform(0.0, 0.4))
        begun, now = begun + read(said), sound(data)
        assert known <= now
        known = now
        if "end" in said:  # it was quicker than the kill
            shutil.rmtree(data)
            begun, known = 0, set()
        struck += "end" not in said
    begun += read(run(PASS, folder, data, None))
    assert begun < 2 * TRANSCRIPTS
    sound(data)
    with StoreReader.open(data) as reader:
        assert dump(reader.connection) == expected
    assert run(PASS, folder, data, None) == ["end"], "nothing is read again after a whole pass"
    figure("killed", when="first", kills=struck)


@pytest.mark.parametrize("seed", seeds("KILLS_GROWING", GROWING))
def test_passes_while_agents_write(folder: Path, indexed: Path, tmp_path: Path, seed: int) -> None:
    """Up to fifty records more before each pass, some of them cut in the middle of a line."""
    chance, data = random.Random(2000 + seed), tmp_path / "data"
    shutil.copytree(folder / ".jotter", tmp_path / "home" / ".jotter")
    shutil.copytree(indexed, data)
    home, known = Home(tmp_path / "home"), sound(data)
    agents, struck = Agents(home, chance), 0
    while struck < GROWING:
        agents.write()
        struck += "end" not in run(PASS, home.folder, data, chance.uniform(0.0, 0.1))
        now = sound(data)
        assert known <= now
        known = now
    agents.rest()
    run(PASS, home.folder, data, None)
    sound(data)
    with StoreReader.open(data) as reader:
        assert dump(reader.connection) == fresh(home.folder)
    figure("killed", when="growing", kills=struck)


class Agents:
    """Who appends to the transcripts, now and then half a record."""

    def __init__(self, home: Home, chance: random.Random) -> None:
        self._home, self._chance, self._number = home, chance, 100_000
        self._begun: dict[str, bytes] = {}

    def write(self) -> None:
        for _ in range(self._chance.randint(1, 50)):
            self._number += 1
            name, record = f"{self._chance.randrange(TRANSCRIPTS)}.jot", ask(f"late {self._number}", self._number)
            cut = self._chance.randrange(len(record)) if self._chance.random() < 0.1 else len(record)
            self._home.append(name, self._begun.pop(name, b"") + record[:cut])
            self._begun[name] = record[cut:]

    def rest(self) -> None:
        """Ends what was begun."""
        for name, record in self._begun.items():
            self._home.append(name, record)


@pytest.mark.parametrize("seed", seeds("KILLS_AGAIN", AGAIN))
def test_a_pass_that_does_everything_again(
    folder: Path, indexed: Path, tmp_path: Path, expected: dict[str, object], seed: int
) -> None:
    """Every answer is there all the time, and what was done again once is not done a second time."""
    chance, data = random.Random(1000 + seed), tmp_path / "data"
    shutil.copytree(indexed, data)
    struck, words = 0, ["--full"]
    with StoreReader.open(data) as reader:
        lane = OkapiLane(reader.connection)
        before = lane.search("topic words", 1000)
        while struck < AGAIN:
            command = [sys.executable, "-c", PASS, str(folder), str(data), *words]
            with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(folder)) as process:
                assert process.stdout is not None
                process.stdout.readline()
                end = time.monotonic() + chance.uniform(0.0, 0.8)
                while time.monotonic() < end and process.poll() is None:
                    assert lane.search("topic words", 1000) == before
                process.kill()
            words = [] if process.returncode else ["--full"]
            struck += process.returncode != 0
            sound(data)
            assert set(dump(reader.connection)) == set(expected)
    run(PASS, folder, data, None)
    with StoreReader.open(data) as reader:
        assert dump(reader.connection) == expected
    assert run(PASS, folder, data, None) == ["end"], "no second rebuild"
    figure("killed", when="again", kills=struck)


@pytest.mark.parametrize("seed", seeds("KILLS_COMPACTING", COMPACTING))
def test_forgetting_and_merging(indexed: Path, folder: Path, tmp_path: Path, seed: int) -> None:
    """What was forgotten stays forgotten, half a session never goes, and all else is there."""
    chance, data = random.Random(3000 + seed), tmp_path / "data"
    sessions = [str(name) for name in chance.sample(range(TRANSCRIPTS), 8)]
    gone: set[str] = set(sessions)
    struck = 0
    while struck < COMPACTING:
        if gone == set(sessions):
            shutil.rmtree(data, ignore_errors=True)
            shutil.copytree(indexed, data)
            gone = set()
        said = run(COMPACTION, folder, data, chance.uniform(0.0, 0.2), *sessions)
        sound(data)
        gone |= set(said) - {"end"}
        struck += "end" not in said
        with StoreReader.open(data) as reader:
            left = dict(kept(reader))
        assert not gone & left.keys()
        assert set(left.values()) == {EACH}
        assert len(left) >= TRANSCRIPTS - len(sessions)
    run(COMPACTION, folder, data, None, *sessions)
    sound(data)
    with StoreReader.open(data) as reader:
        assert dict(kept(reader)).keys() == {str(name) for name in range(TRANSCRIPTS)} - set(sessions)
        assert len(OkapiLane(reader.connection).rows()) == EACH * (TRANSCRIPTS - len(sessions))
    figure("killed", when="compacting", kills=struck)


def kept(reader: StoreReader) -> Iterator[tuple[str, int]]:
    """Sessions and how many of their exchanges are kept."""
    yield from reader.connection.execute("SELECT session_id, count(*) FROM exchange GROUP BY session_id")
