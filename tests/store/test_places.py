"""The data folder: rights, file systems, one writer."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pastwork.errors import StoreUnusable
from pastwork.store import connect, lock, places
from pastwork.store.reader import StoreReader
from pastwork.store.writer import StoreWriter
from tests.store.rights import RIGHTS
from tests.store.samples import exchange, keep

POSIX = pytest.mark.skipif(os.name == "nt", reason="rights are POSIX")

HOLD = """
import sys, time
from pathlib import Path
from pastwork.store.writer import StoreWriter
writer = StoreWriter.open(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@POSIX
@pytest.mark.usefixtures("no_umask")
def test_nobody_else_may_read_anything(tmp_path: Path) -> None:
    data = tmp_path / "a" / "data"
    with StoreWriter.open(data) as writer:
        keep(writer, exchange())
        places.write_private(places.private_folder(data / places.REQUESTS) / "note", b"")
        found = [data, *data.rglob("*")]
        assert {path.name for path in found} >= {"palace.db", "palace.db-wal", "palace.db-shm", "writer.lock", "note"}
        assert {path: oct(mode(path)) for path in found if mode(path) != (0o700 if path.is_dir() else 0o600)} == {}


@POSIX
def test_rights_that_were_loosened_are_tightened(tmp_path: Path) -> None:
    with StoreWriter.open(tmp_path) as writer:
        keep(writer, exchange())
    tmp_path.chmod(0o755)
    (tmp_path / places.STORE).chmod(0o644)
    with StoreWriter.open(tmp_path):
        assert (mode(tmp_path), mode(tmp_path / places.STORE)) == (0o700, 0o600)


@POSIX
def test_a_folder_that_was_there_keeps_its_rights_until_it_is_ours(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    places.prepare(tmp_path)
    assert mode(tmp_path) == 0o755


def test_a_folder_that_cannot_be_made_is_a_clear_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable) as caught:
        StoreWriter.open(tmp_path / "file" / "data")
    assert "PASTWORK_HOME" in caught.value.remedy
    assert caught.value.exit_code == 3


@RIGHTS
def test_a_read_only_folder_is_a_clear_message(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreUnusable):
        StoreWriter.open(tmp_path)
    tmp_path.chmod(0o700)


def test_nothing_indexed_yet_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable) as caught:
        StoreReader.open(tmp_path)
    assert "pastwork index" in caught.value.remedy
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["with space", "per%20cent", "quest?ion", "ha#sh", "émile"])
def test_folders_of_any_name(tmp_path: Path, name: str) -> None:
    if os.name == "nt" and "?" in name:
        pytest.skip("no such name there")
    with StoreWriter.open(tmp_path / name) as writer:
        keep(writer, exchange())
    with StoreReader.open(tmp_path / name) as reader:
        assert reader.find(exchange().id) is not None
    assert {path.name for path in (tmp_path / name).iterdir()} >= {"palace.db", "writer.lock"}


MOUNTS = """/dev/vda / ext4 rw 0 0
nas:/home /home/ada nfs4 rw 0 0
/dev/sdb /home/ada/local\\040disk xfs rw 0 0
host /mnt/host 9p rw 0 0
share /mnt/vm virtiofs rw 0 0
me@box: /mnt/box fuse.sshfs rw 0 0
x /mnt/over fuse.overlayfs rw 0 0
broken line
"""


@pytest.mark.parametrize(
    ("path", "network"),
    [
        ("/srv/data", False),
        ("/home/ada/data", True),
        ("/home/adam", False),
        ("/home/ada/local disk/data", False),
        ("/mnt/host/data", True),
        ("/mnt/vm", True),
        ("/mnt/box/data", True),
        ("/mnt/over/data", False),
    ],
)
@POSIX
def test_network_file_systems_by_the_mount_table(path: str, network: bool) -> None:
    assert places.on_network(Path(path), MOUNTS) is network


@pytest.mark.parametrize(("network", "journal"), [(True, "delete"), (False, "wal")])
def test_no_wal_on_a_network(tmp_path: Path, network: bool, journal: str) -> None:
    connection = connect.read_write(tmp_path, network=network)
    assert connection.execute("PRAGMA journal_mode").fetchone() == (journal,)
    connection.close()


def test_moving_to_a_network_turns_wal_off_and_loses_nothing(tmp_path: Path) -> None:
    with StoreWriter.open(tmp_path) as writer:
        keep(writer, exchange())
    connection = connect.read_write(tmp_path, network=True)
    with StoreReader.open(tmp_path) as reader:
        assert reader.find(exchange().id) is not None
    connection.close()


def hold(data: Path) -> subprocess.Popen[bytes]:
    """A process that is the writer until killed."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(data)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_one_writer_at_a_time_and_the_next_when_it_is_killed(tmp_path: Path) -> None:
    process = hold(tmp_path)
    try:
        with pytest.raises(lock.WriterBusy):
            StoreWriter.open(tmp_path)
        assert lock.holder(tmp_path) is not None
        assert lock.holder(tmp_path).pid == process.pid  # type: ignore[union-attr]
        with StoreReader.open(tmp_path) as reader:
            assert reader.status_counts("r", 0.0).writer.pid == process.pid
    finally:
        process.kill()
        process.communicate()
    begun = time.monotonic()
    with StoreWriter.open(tmp_path, wait=2.0):
        assert time.monotonic() - begun < 2.0
        assert lock.holder(tmp_path).pid == os.getpid()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"garbage",
        msgspec.json.encode(lock.Holder(999_999_999, "1")),
        msgspec.json.encode(lock.Holder(os.getppid(), "a start time of another program")),
    ],
    ids=["empty", "garbage", "dead process", "another program of that pid"],
)
def test_what_a_lock_file_says_never_blocks(tmp_path: Path, content: bytes) -> None:
    (tmp_path / places.LOCK).write_bytes(content)
    assert lock.holder(tmp_path) is None
    with StoreWriter.open(tmp_path):
        assert lock.holder(tmp_path) is not None


def test_a_writer_that_closed_is_followed_at_once(tmp_path: Path) -> None:
    StoreWriter.open(tmp_path).close()
    StoreWriter.open(tmp_path).close()


def test_a_store_that_does_not_open_frees_the_lock(tmp_path: Path) -> None:
    (tmp_path / places.STORE).write_bytes(b"this is no database" * 100)
    for _ in range(2):
        with pytest.raises(StoreUnusable) as caught:
            StoreWriter.open(tmp_path)
        assert "doctor" in caught.value.remedy


@pytest.mark.skipif(os.name == "nt", reason="locks are POSIX")
def test_a_lock_that_no_name_can_be_written_on_is_held_and_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk without a byte to spare must not leave the lock to nobody until the process ends."""

    def refused(*_: object) -> None:
        raise OSError(28, "No space left on device")

    tmp_path.joinpath("data").mkdir()
    with monkeypatch.context() as full:
        full.setattr(lock.os, "ftruncate", refused)
        held = lock.WriterLock.acquire(tmp_path / "data")
        with pytest.raises(lock.WriterBusy):
            lock.WriterLock.acquire(tmp_path / "data")
        held.release()
    with monkeypatch.context() as broken:
        broken.setattr(lock, "_try_lock", refused)
        with pytest.raises(StoreUnusable, match="No space left"):
            lock.WriterLock.acquire(tmp_path / "data")
    lock.WriterLock.acquire(tmp_path / "data").release()
