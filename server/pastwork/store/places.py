"""The data folder: names in it, who may read it, and what kind of file system it is on."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pastwork.errors import StoreUnusable

STORE = "palace.db"
LOCK = "writer.lock"
#: Notes of commands that wait for the writer, see sync/handover.py.
REQUESTS = "requests"
#: Index files and caches: may be deleted at any time, and are by ``forget``.
DERIVED = "derived"

#: File systems on which SQLite's shared memory (WAL) does not work between machines.
_NETWORK = frozenset(
    {"9p", "afpfs", "afs", "ceph", "cifs", "davfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb", "smb2"}
    | {"smb3", "smbfs", "vboxsf", "virtiofs", "webdav"}
)


def prepare(home: Path) -> None:
    """Makes the data folder (0700) and an empty store file (0600), whatever the umask.

    A folder that was there before is only tightened once it holds a store.

    Raises:
        StoreUnusable: it can't be made or written.
    """
    store = home / STORE
    try:
        fresh = not home.exists()
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if fresh or store.exists():
            _tighten(home, 0o700)
        os.close(os.open(store, os.O_CREAT | os.O_RDWR, 0o600))
        _tighten(store, 0o600)
    except OSError as error:
        raise unwritable(home, error) from error


def private_folder(folder: Path) -> Path:
    """``folder`` below the data folder, made with mode 0700."""
    folder.mkdir(mode=0o700, exist_ok=True)
    _tighten(folder, 0o700)
    return folder


def write_private(path: Path, content: bytes) -> None:
    """Puts a whole file (0600) in place at once: readers see the old or the new one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    _tighten(draft, 0o600)
    draft.replace(path)


def unwritable(home: Path, error: Exception) -> StoreUnusable:
    return StoreUnusable(
        f"the data folder {home} can't be written: {error}",
        "Make it writable and leave space on its disk, or set PASTWORK_HOME to another folder.",
    )


def _tighten(path: Path, mode: int) -> None:
    """Takes rights of others away; a folder that belongs to someone else is left as it is."""
    if os.name == "nt":
        return
    found = path.stat()
    if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) != mode:
        path.chmod(mode)


def on_network(path: Path, mounts: str | None = None) -> bool:
    """Whether ``path`` lies on a network file system, by the mount table (``/proc/self/mounts``'s text).

    Where there is no such table the answer is no, except for UNC paths on Windows.
    """
    if os.name == "nt":
        return str(path).startswith("\\\\")
    kind = file_system(path, _mounts() if mounts is None else mounts)
    return kind in _NETWORK or (kind.startswith("fuse.") and kind != "fuse.overlayfs")


def file_system(path: Path, mounts: str) -> str:
    """The type of the file system that holds ``path`` ("" when the table does not say)."""
    real = str(path.resolve())
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].encode().decode("unicode_escape", "replace") if "\\" in fields[1] else fields[1]
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind


def _mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
