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
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

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
EXCHANGES = 24


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

    def ask(self, n: int, error: int, ever: bool = False, wanted: list[str] | None = None) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {"n": n, "error": error, "ever": ever, "wanted": wanted}
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
def refusals(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Refusals]:
    base = tmp_path_factory.mktemp("refused")
    library = base / "refuse.so"
    build = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(Path(__file__).with_name("refuse.c")), "-ldl"]
    subprocess.run(build, check=True, capture_output=True)
    (base / "work").mkdir()
    running = Refusals(home, base / "work", library)
    yield running
    running.close()


@pytest.fixture(scope="module")
def undisturbed(refusals: Refusals) -> dict[str, Any]:
    told = refusals.ask(0, 0)
    assert told["calls"] > 50
    assert len(told["kept"]) == EXCHANGES + 1
    return told


def spread(calls: int, most: int) -> Iterator[int]:
    """Every n where so many are asked for, else as many as are, evenly."""
    step = max(1, -(-calls // most))
    yield from range(1, calls + 1, step)


def check(told: dict[str, Any], undisturbed: dict[str, Any], asked: object) -> None:
    assert told["code"] == 0, asked
    assert told["steady"], asked
    assert told["alive"], asked
    assert told["recovered"], asked
    assert told["faults"] == [], asked
    assert told["kept"] == undisturbed["kept"], asked
    assert told["paused"] <= 4, asked


def test_any_call_refused(refusals: Refusals, undisturbed: dict[str, Any], home: Path) -> None:
    """Each n by each error, once and from then on; the share takes the errors in turn."""
    before = hashes(home)
    ways = list(itertools.product(ERRORS, (False, True)))
    most, tried, paused = size("REFUSALS"), 0, 0
    for number, n in enumerate(spread(undisturbed["calls"], most)):
        for name, ever in ways if most > 10_000 else [ways[number % len(ways)]]:
            told = refusals.ask(n, getattr(errno, name), ever, undisturbed["kept"])
            check(told, undisturbed, (n, name, ever))
            tried, paused = tried + 1, paused + bool(told["paused"])
    assert hashes(home) == before
    assert paused > tried / 4, "the refusals were felt"
    figure("refused", calls=undisturbed["calls"], tried=tried, paused=paused)


def test_switched_off_at_any_call(refusals: Refusals, undisturbed: dict[str, Any]) -> None:
    """Also at each fsync and each rename."""
    tried = 0
    for n in spread(undisturbed["calls"], max(10, size("REFUSALS") // 3)):
        told = refusals.ask(n, -1, wanted=undisturbed["kept"])
        if not told["calls"]:
            break
        tried += 1
        check({**told, "code": 0}, undisturbed, n)
    assert tried
    figure("switched off", tried=tried)


def hashes(folder: Path) -> dict[str, str]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {os.fspath(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in paths}
