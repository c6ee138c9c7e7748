"""Killed anywhere, nothing acknowledged is lost, and what is left to do is little.

Each point is drawn from a seed that the test names. ``PASTWORK_CRASH_POINTS`` asks for more of them.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from pastwork.store.writer import StoreWriter
from tests.store.samples import dump
from tests.sync.jotter import Home, ask, line
from tests.sync.processes import PASS, environment

POINTS = int(os.environ.get("PASTWORK_CRASH_POINTS", "8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of 600 exchanges in 12 transcripts."""
    home = Home(tmp_path_factory.mktemp("home"))
    for name in range(12):
        asks = [
            ask(f"topic {name}-{number}", 100 * name + number + 1) + line(answer="words " * 200) for number in range(50)
        ]
        home.write(f"{name}.jot", *asks)
    return home.folder


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, object]:
    home = Home(folder)
    home.sync().run_once(vectors=False)
    return dump(home.writer.connection)


def run(folder: Path, data: Path, kill_after: float | None, *options: str) -> tuple[float, int]:
    """One pass in a process of its own, killed so many seconds after it began; its time and how far it got."""
    command = [sys.executable, "-c", PASS, str(folder), str(data), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(folder))
    assert process.stdout is not None
    assert process.stdout.readline() == b"begin\n"
    begun = time.monotonic()
    if kill_after is not None:
        time.sleep(kill_after)
        process.kill()
    lines = process.communicate()[0].split()
    return time.monotonic() - begun, len(lines)


def acknowledged(data: Path) -> set[str]:
    with StoreReader.open(data) as reader:
        return {exchange_id for (exchange_id,) in reader.connection.execute("SELECT id FROM exchange")}


@pytest.mark.parametrize("seed", range(POINTS))
def test_a_first_pass(folder: Path, tmp_path: Path, expected: dict[str, object], seed: int) -> None:
    chance, data = random.Random(seed), tmp_path / "data"
    StoreWriter.open(data).close()
    known: set[str] = set()
    for _ in range(3):
        run(folder, data, chance.uniform(0.0, 0.5))
        with StoreReader.open(data) as reader:
            assert verify(reader).faults == ()
        now = acknowledged(data)
        assert known <= now
        known = now
    run(folder, data, None)
    with StoreReader.open(data) as reader:
        assert verify(reader).faults == ()
        assert dump(reader.connection) == expected
    assert run(folder, data, None)[1] == 1, "nothing is read again after a whole pass"


@pytest.mark.parametrize("seed", range(max(2, POINTS // 4)))
def test_a_pass_that_does_everything_again(
    folder: Path, tmp_path: Path, expected: dict[str, object], seed: int
) -> None:
    """Every answer is there all the time, and what was done again once is not done a second time."""
    chance, data = random.Random(1000 + seed), tmp_path / "data"
    run(folder, data, None)
    run(folder, data, chance.uniform(0.1, 0.8), "--full")
    with StoreReader.open(data) as reader:
        assert verify(reader).faults == ()
        left = dump(reader.connection)
    assert set(left) == set(expected)
    run(folder, data, None)
    with StoreReader.open(data) as reader:
        assert dump(reader.connection) == expected
