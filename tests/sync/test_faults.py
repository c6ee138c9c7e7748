"""The disk refuses: no damage, no end, one notice, and on it goes when there is room again.

A limit of the process's file size stands in for the disk's: the system fails every write beyond it,
in the store, its journal and its shared memory alike.
"""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from pastwork.errors import StoreUnusable
from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from tests import SLACK
from tests.store.samples import dump
from tests.sync.jotter import Home, ask, line
from tests.sync.processes import PASS, Child, environment, eventually

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits are set as Linux does")

LIMITED = """
import resource, signal, sqlite3, sys
from pastwork.errors import PastworkError
from pastwork.distill.redact import redact
from tests.sync.jotter import Home
redact("imports what masking needs")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
kind, bound = getattr(resource, sys.argv.pop(1)), int(sys.argv.pop(1))
resource.setrlimit(kind, (bound, resource.getrlimit(kind)[1]))
"""
CAUGHT = """
try:
    RUN
except (sqlite3.Error, OSError, PastworkError) as error:
    print("failed:", error, flush=True)
    sys.exit(3)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Home(tmp_path_factory.mktemp("home"))
    for name in range(6):
        asks = [
            ask(f"topic {name}-{n}", 100 * name + n + 1) + line(answer=f"{name} {n} words " * 60) for n in range(20)
        ]
        home.write(f"{name}.jot", *asks)
    return home.folder


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, object]:
    home = Home(folder)
    home.sync().run_once(vectors=False)
    return dump(home.writer.connection)


def limited(folder: Path, data: Path, kind: str, bound: int) -> int:
    """A pass under a limit; its exit code: 0, or 3 for a clear failure."""
    body = CAUGHT.replace("RUN", PASS.replace("\n", "\n    "))
    command = [sys.executable, "-c", LIMITED + body, kind, str(bound), str(folder), str(data)]
    done = subprocess.run(command, capture_output=True, env=environment(folder), timeout=60, check=False)
    assert done.returncode in (0, 3), done.stderr.decode()[-2000:]
    assert (done.returncode == 3) == (b"failed:" in done.stdout)
    return done.returncode


def sound(data: Path) -> int:
    """The number of exchanges kept, after everything was read again and compared."""
    try:
        with StoreReader.open(data) as reader:
            answer = verify(reader)
    except StoreUnusable:  # nothing is indexed yet, or its first tables are not made
        return 0
    assert answer.faults == ()
    return answer.checked["exchanges"]


@pytest.mark.parametrize("kind", ["RLIMIT_FSIZE", "RLIMIT_NOFILE"])
def test_refused_anywhere_nothing_is_damaged(
    folder: Path, tmp_path: Path, expected: dict[str, object], kind: str
) -> None:
    """One data folder, the limit raised step by step: what was kept stays, and in the end all is there."""
    before = {path: sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()}
    data, kept, codes = tmp_path / "data", 0, []
    bounds = range(0, 1_400_000, 61_000) if kind == "RLIMIT_FSIZE" else range(3, 20)
    for bound in bounds:
        codes.append(limited(folder, data, kind, bound))
        now = sound(data)
        assert now >= kept
        kept = now
    assert 3 in codes
    assert limited(folder, data, kind, 1 << 30 if kind == "RLIMIT_FSIZE" else 256) == 0
    with StoreReader.open(data) as reader:
        assert dump(reader.connection) == expected
    assert {path: sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()} == before


def test_a_child_waits_for_room_and_goes_on_without_a_restart(tmp_path: Path) -> None:
    import resource

    home, data = Home(tmp_path / "home"), tmp_path / "data"
    home.write("a.jot", ask("tides", 1))
    with Child(home.folder, data, "--jotter", "--ignore-size") as child:
        child.expect(event="status", state="idle")
        size = (data / "palace.db").stat().st_size
        resource.prlimit(child.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        for number in range(2, 40):
            home.append("a.jot", ask(f"topic {number} " + "x" * 5000, number))
        said = child.expect(event="status", state="paused")
        assert said["note"]
        with StoreReader.open(data) as reader:
            assert reader.row_of(reader.verbatim(1).id) == 1, "reads go on"
        home.append("a.jot", ask("last", 40))
        resource.prlimit(child.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        eventually(lambda: sound(data) == 40, timeout=20)
        notices = [event for event in child.events if event.get("state") == "paused"]
        assert len(notices) <= 3, "one notice a reason, not one a file or a try"
        assert child.end() < 1.0 * SLACK
