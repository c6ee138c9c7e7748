"""A disk that is really full, no watches left, a clock that jumps, a hundred thousand transcripts."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from pastwork.errors import StoreUnusable
from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from pastwork.store.writer import StoreWriter
from pastwork.transcripts.folders import FolderReader
from tests import SLACK
from tests.programs import works
from tests.sizes import figure, size
from tests.store.samples import dump
from tests.sync.jotter import JOTTER, Home, ask, read
from tests.sync.processes import Child, eventually

WITHOUT_WATCHES = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"'
ALONE = ["unshare", "--user", "--map-root-user", "sh", "-c", WITHOUT_WATCHES, "sh"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    if not works("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", str(place)):
        pytest.skip("NOT TESTED: only root may mount a small file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def kept(data: Path) -> int:
    try:
        with StoreReader.open(data) as reader:
            return int(reader.connection.execute("SELECT count(*) FROM exchange").fetchone()[0])
    except StoreUnusable:
        return 0


def test_a_disk_that_is_full(small_disk: Path, tmp_path: Path) -> None:
    """One notice; reads go on; when there is room again the rest is taken up without a restart."""
    home, data, ballast = Home(tmp_path / "home"), small_disk / "data", small_disk / "ballast"
    home.write("a.jot", *(ask(f"topic {n}", n) for n in range(1, 20)))
    before = sha256(home.path("a.jot").read_bytes()).digest()
    with Child(home.folder, data, "--jotter") as child:
        child.expect(event="status", state="idle")
        assert kept(data) == 19
        fill(ballast)
        home.write("b.jot", *(ask(f"more {n} {os.urandom(2000).hex()}", 100 + n) for n in range(1, 60)))
        assert "full" in str(child.expect(event="status", state="paused")["note"]).lower()
        time.sleep(2.0)
        assert kept(data) >= 19
        assert sum(event.get("state") == "paused" for event in child.events) <= 3
        ballast.unlink()
        home.path("b.jot").unlink()
        home.write("b.jot", *(ask(f"more {n}", 100 + n) for n in range(1, 60)))
        eventually(lambda: kept(data) >= 19 + 59, timeout=60)
        assert child.process.poll() is None
    with StoreReader.open(data) as reader:
        assert verify(reader).faults == ()
    assert sha256(home.path("a.jot").read_bytes()).digest() == before


def fill(ballast: Path) -> None:
    """To the last byte."""
    with ballast.open("wb", buffering=0) as file:
        for step in (4096, 1):
            try:
                while True:
                    file.write(bytes(step))
            except OSError:
                continue


@pytest.mark.skipif(
    not works(*ALONE, "true"), reason="NOT TESTED: no user namespace in which inotify's limits can be set"
)
def test_no_watches_left(tmp_path: Path) -> None:
    """The system's own limit: changes are looked for every second, and that is one note."""
    home, data = Home(tmp_path / "home"), tmp_path / "data"
    home.write("a.jot", ask("tides", 1))
    with Child(home.folder, data, "--jotter", before=ALONE) as child:
        eventually(lambda: any("no file events" in str(event.get("note")) for event in child.events), timeout=20)
        waits = []
        for number in range(2, 6):
            home.append("a.jot", ask(f"topic {number}", number))
            waits.append(eventually(lambda number=number: kept(data) == number, timeout=20))  # type: ignore[misc]
        assert max(waits) <= 2.0 * SLACK
        told = {str(event["note"]) for event in child.events if event.get("state") == "idle"}
        assert len({note for note in told if "no file events" in note}) == 1, "an editor shows a note once"


@pytest.mark.parametrize("years", [(2026, 1970, 2099), (2099, 2026, 1971)])
def test_a_clock_that_jumps(tmp_path: Path, years: tuple[int, ...]) -> None:
    """Nothing is lost, doubled or read again because today is another day."""
    home = Home(tmp_path / "home")
    for number, year in enumerate(years, 1):
        moment = datetime(year, 3, 1, tzinfo=UTC)
        path = home.write(f"{number}.jot", ask(f"topic {number}", number), ask("untimed", 50 + number, time=""))
        os.utime(path, (moment.timestamp(), moment.timestamp()))
        home.sync(clock=lambda moment=moment: moment).run_once(vectors=False)  # type: ignore[misc]
        assert len(home.prompts()) == 2 * number
        changes = home.writer.connection.total_changes
        home.sync(clock=lambda moment=moment: moment).run_once(vectors=False)  # type: ignore[misc]
        assert home.writer.connection.total_changes == changes
    assert verify(home.writer).faults == ()


@pytest.mark.promise
@pytest.mark.timeout(7200)
def test_very_many_transcripts(tmp_path: Path) -> None:
    """One exchange each; the second pass finds that nothing changed, and what that takes."""
    home = Home(tmp_path / "home", StoreWriter.open(tmp_path / "data"))
    count, reader = size("FILES"), FolderReader("jotter", "fixture-only", JOTTER.roots, ("*/*.jot",), read)
    for number in range(count):
        home.write(f"{number // 1000}/{number}.jot", ask(f"topic {number}", number + 1))
    begun = time.monotonic()
    home.sync(readers=[reader], helpers=0).run_once(vectors=False)
    first, begun = time.monotonic() - begun, time.monotonic()
    changes = home.writer.connection.total_changes
    home.sync(readers=[reader], helpers=0).run_once(vectors=False)
    second = time.monotonic() - begun
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    assert home.writer.connection.total_changes == changes
    assert len(home.prompts()) == count
    assert second < first / 3
    assert len(dump(home.writer.connection)) == count + 2
    figure("transcripts", files=count, first_seconds=round(first, 1), second_seconds=round(second, 2), most_mib=most)
    home.writer.close()
