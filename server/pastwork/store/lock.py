"""Who may write: an operating-system lock on ``writer.lock``.

The system drops the lock when its process ends, however it ends, so nothing in the file can block
anyone; what is written there (pid and the process's start time) is for ``status`` only and is
believed only while that very process lives.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec
from msgspec import Struct

from pastwork.errors import Unavailable
from pastwork.store import places

#: The locked byte lies far behind the text, so that others may read the text on Windows too.
_LOCKED_BYTE = 1 << 30
_RETRY_SECONDS = 0.1


class Holder(Struct, frozen=True):
    """The writing process; ``started`` is its start time in the system's own unit."""

    pid: int
    started: str


class WriterBusy(Unavailable):
    """Another process is the writer."""

    code = "writer_busy"


class WriterLock:
    """Held from ``acquire`` until ``release`` or the end of the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, home: Path, wait: float = 0.0) -> WriterLock:
        """The lock, tried for ``wait`` seconds.

        Raises:
            WriterBusy: another process has it.
            StoreUnusable: the file can't be opened.
        """
        path = home / places.LOCK
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise places.unwritable(home, error) from error
        lock = cls(descriptor)
        try:
            lock._wait(time.monotonic() + wait)
        except OSError as error:  # a file system that knows no locks
            lock.release()
            raise places.unwritable(home, error) from error
        except WriterBusy:
            lock.release()
            raise
        with suppress(OSError):  # a full disk: the lock holds without a name on it
            _sign(descriptor)
        return lock

    def _wait(self, deadline: float) -> None:
        while not _try_lock(self._descriptor):
            if time.monotonic() >= deadline:
                raise WriterBusy(
                    "another pastwork process is writing the store", "Wait for it, or close the editor that runs it."
                )
            time.sleep(_RETRY_SECONDS)

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> WriterLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def holder(home: Path) -> Holder | None:
    """The process that signed the lock, if it still lives."""
    try:
        found = msgspec.json.decode((home / places.LOCK).read_bytes(), type=Holder)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    return found if start_time(found.pid) == found.started else None


def start_time(pid: int) -> str | None:
    """What tells this process from a later one of the same pid; None when there is no such process.

    Linux: clock ticks since boot (field 22 of /proc/pid/stat). Elsewhere: only that it lives.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None if Path("/proc/self/stat").exists() else _alive(pid)
    return text.rpartition(")")[2].split()[19]


def _alive(pid: int) -> str | None:
    if os.name == "nt":  # os.kill would end it
        return "unknown"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "unknown"


def _sign(descriptor: int) -> None:
    text = msgspec.json.encode(Holder(os.getpid(), start_time(os.getpid()) or "unknown"))
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, text)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
