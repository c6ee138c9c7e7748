"""The file system refuses any call at all: no damage, no end, a few notices, and on it goes without a restart.

``refuse.c`` is preloaded into a real sync child and fails the n-th call on the data folder, for every n.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from msgspec import Struct, structs

from tests.conftest import ROOT
from tests.sizes import figure, size
from tests.sync.jotter import Home, ask
from tests.sync.processes import environment

pytestmark = [
    pytest.mark.promise,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(sys.platform != "linux", reason="calls are refused by a preloaded library, as on Linux"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="NOT TESTED: refused calls need a C compiler (cc)"),
]

ERRORS = ("ENOSPC", "EIO", "EMFILE", "EACCES")
EXCHANGES = 12
#: Children at the same time: they wait more than they work.
AT_ONCE = 4


class Case(Struct, frozen=True):
    """The n-th call (0: none) fails with this error (-1: the machine goes off), once or from then on."""

    n: int
    error: int
    ever: bool = False


class Refusals:
    """The forking server of ``refusals.py`` under the preloaded library."""

    def __init__(self, home: Path, base: Path, library: Path) -> None:
        variables = {"LD_PRELOAD": str(library), "PASTWORK_REFUSE": str(base / "data")}
        command = [sys.executable, "-m", "tests.sync.refusals", str(home), str(base / "data")]
        self.process = subprocess.Popen(
            [*command[:-1], str(base)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment(home), **variables},
            cwd=ROOT,
        )

    def ask(self, case: Case, wanted: list[str] | None = None) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {**structs.asdict(case), "wanted": wanted}
        self.process.stdin.write(json.dumps(asked).encode() + b"\n")
        self.process.stdin.flush()
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told

    def close(self) -> None:
        self.process.communicate()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Home(tmp_path_factory.mktemp("home"))
    for name in range(3):
        home.write(f"{name}.jot", *(ask(f"topic {name}-{n}", 100 * name + n + 1) for n in range(EXCHANGES // 3)))
    return home.folder


@pytest.fixture(scope="module")
def refusals(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Refusals]]:
    base = tmp_path_factory.mktemp("refused")
    library = base / "refuse.so"
    build = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(Path(__file__).with_name("refuse.c")), "-ldl"]
    subprocess.run(build, check=True, capture_output=True)
    works = [base / str(number) / "work" for number in range(AT_ONCE)]
    for work in works:
        work.mkdir(parents=True)
    running = [Refusals(home, work, library) for work in works]
    yield running
    for each in running:
        each.close()


@pytest.fixture(scope="module")
def undisturbed(refusals: list[Refusals]) -> dict[str, Any]:
    told = refusals[0].ask(Case(0, 0))
    assert told["calls"] > 50
    assert len(told["kept"]) == EXCHANGES + 1
    return told


def all_told(
    refusals: list[Refusals], cases: Iterable[Case], wanted: list[str]
) -> Iterator[tuple[Case, dict[str, Any]]]:
    """What happened in each case, in order; each is tried by whichever server is free."""
    free = SimpleQueue[Refusals]()
    for each in refusals:
        free.put(each)

    def one(case: Case) -> tuple[Case, dict[str, Any]]:
        server = free.get()
        told = server.ask(case, wanted)
        free.put(server)
        return case, told

    with ThreadPoolExecutor(len(refusals)) as pool:
        yield from pool.map(one, cases)


def spread(calls: int, most: int) -> Iterator[int]:
    """Every n where so many are asked for, else as many as are, evenly."""
    step = max(1, -(-calls // most))
    yield from range(1, calls + 1, step)


def broken(told: dict[str, Any], undisturbed: dict[str, Any]) -> list[str]:
    """The promises that were not kept."""
    kept = {
        "ends well": told["code"] == 0,
        "steady": told["steady"],
        "alive": told["alive"],
        "recovered": told["recovered"],
        "no faults": told["faults"] == [],
        "nothing lost": told["kept"] == undisturbed["kept"],
        "few notices": told["paused"] <= 4,
    }
    return [what for what, true in kept.items() if not true]


def cases(calls: int, most: int) -> Iterator[Case]:
    """Each n by each error, once and from then on; a share takes the errors in turn."""
    ways = list(itertools.product(ERRORS, (False, True)))
    for number, n in enumerate(spread(calls, most)):
        for name, ever in ways if most > 10_000 else [ways[number % len(ways)]]:
            yield Case(n, getattr(errno, name), ever)


def test_any_call_refused(refusals: list[Refusals], undisturbed: dict[str, Any], home: Path) -> None:
    before = hashes(home)
    tried, paused, failed = 0, 0, []
    for case, told in all_told(refusals, cases(undisturbed["calls"], size("REFUSALS")), undisturbed["kept"]):
        tried, paused = tried + 1, paused + bool(told["paused"])
        if what := broken(told, undisturbed):
            failed.append((case, what, told))
            figure("refused, and it was felt", case=str(case), broken=what)  # known hours before the end
        assert len(failed) < 10, failed
    assert failed == []
    assert hashes(home) == before
    assert paused > tried / 4, "the refusals were felt"
    figure("refused", calls=undisturbed["calls"], tried=tried, paused=paused)


def test_switched_off_at_any_call(refusals: list[Refusals], undisturbed: dict[str, Any]) -> None:
    """Also at each fsync and each rename."""
    tried, failed = 0, []
    off = (Case(n, -1) for n in spread(undisturbed["calls"], max(10, size("REFUSALS") // 3)))
    for case, told in all_told(refusals, off, undisturbed["kept"]):
        if not told["calls"]:  # the pass was over before
            continue
        tried += 1
        if what := broken({**told, "code": 0}, undisturbed):
            failed.append((case, what, told))
    assert failed == []
    assert tried
    figure("switched off", tried=tried)


def hashes(folder: Path) -> dict[str, str]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {os.fspath(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in paths}
