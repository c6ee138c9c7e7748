"""What a transcript's files looked like when they were read, and what that says about them now.

A file that only grew is read on from its last exchange; anything else that changed is read again
from the start. Growth is proven by hashes of the head and of the tail as they were: a rewritten,
replaced or truncated file fails one of them, whatever its size and times say.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

#: Bytes hashed at either end of a file.
END = 4096

#: ``same``: nothing to do. ``grown``: read on. ``new``: read from the start.
Change = Literal["same", "grown", "new"]


class FileMark(Struct, frozen=True, array_like=True):
    """One file: identity, size (bytes), times (ns), and hashes of its first and last ``END`` bytes."""

    path: str
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    head: bytes
    tail: bytes

    def seems(self, now: os.stat_result) -> bool:
        """Whether the system reports the very file that was marked."""
        mine = (self.inode, self.size, self.mtime_ns, self.ctime_ns)
        return mine == (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)


class Stamp(Struct, frozen=True, array_like=True):
    """The main file first, then its parts; ``reader`` says which version of the program read them."""

    reader: str
    files: tuple[FileMark, ...]


#: The encoded stamp of what has to be read from the start.
UNREAD = b""


class Odd(Exception):
    """A file that can't be a transcript; the message says why."""


def encode(stamp: Stamp) -> bytes:
    return msgspec.msgpack.encode(stamp)


def decode(data: bytes) -> Stamp | None:
    """None where there is none, or one of an older program's shape."""
    try:
        return msgspec.msgpack.decode(data, type=Stamp) if data else None
    except (msgspec.DecodeError, RecursionError):
        return None


def look(path: Path, parts: Iterable[Path], reader: str) -> Stamp:
    """The stamp of the files as they are now; parts that vanished are left out.

    Raises:
        Odd: the main file is no readable regular file.
        FileNotFoundError: it is not there.
    """
    return Stamp(reader, (mark(path), *_marks(parts)))


def compare(old: Stamp | None, path: Path, parts: Iterable[Path], reader: str) -> Change:
    """What happened since ``old``, mostly by asking the system and reading nothing.

    Raises:
        Odd: the main file is no readable regular file.
        FileNotFoundError: it is not there.
    """
    if old is None or old.reader != reader or not old.files:
        return "new"
    main, rest = old.files[0], old.files[1:]
    now = regular(path)
    if main.path != str(path) or not _same_parts(rest, parts):
        return "new"
    if main.seems(now):
        return "same"
    if now.st_size == main.size and now.st_mtime_ns == main.mtime_ns:
        # Only moved, or its rights or links changed: as many bytes, untouched by any ordinary writer.
        return "same" if _ends(path, main.size) == (main.head, main.tail) else "new"
    if now.st_size > main.size and _ends(path, main.size) == (main.head, main.tail):
        return "grown"
    return "new"


def regular(path: Path) -> os.stat_result:
    """The status of a regular file, asked without opening it.

    Raises:
        Odd: it is something else.
        FileNotFoundError: it is not there.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Odd(f"cannot be read: {error.strerror or error}") from error
    for test, kind in _KINDS:
        if test(found.st_mode):
            raise Odd(f"{kind}, not a file")
    return found


def mark(path: Path) -> FileMark:
    """Raises:
    Odd: no readable regular file.
    FileNotFoundError: not there."""
    now = regular(path)
    head, tail = _ends(path, now.st_size)
    return FileMark(str(path), now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns, head, tail)


#: A link in the place of a transcript is not followed, here and by no reader: a project that one merely opened
#: must not decide which files are read.
_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_WANTED = ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY")
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in _WANTED)


def _ends(path: Path, size: int) -> tuple[bytes, bytes]:
    """Hashes of the first and the last ``END`` of the first ``size`` bytes."""
    try:
        with os.fdopen(os.open(path, _FLAGS), "rb", 0) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Odd("not a file any more")
            head = file.read(min(END, size))
            file.seek(max(0, size - END))
            return _hash(head), _hash(file.read(min(END, size)))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Odd(f"cannot be read: {error.strerror or error}") from error


def _hash(data: bytes) -> bytes:
    return blake2b(data, digest_size=8).digest()


def _marks(parts: Iterable[Path]) -> list[FileMark]:
    found = []
    for part in parts:
        try:
            found.append(mark(part))
        except (FileNotFoundError, Odd):
            continue
    return found


def _same_parts(old: tuple[FileMark, ...], parts: Iterable[Path]) -> bool:
    known = {each.path: each for each in old}
    for part in parts:
        before = known.pop(str(part), None)
        try:
            now = regular(part)
        except (FileNotFoundError, Odd):
            now = None
        if (before is None) != (now is None) or (before is not None and now is not None and not before.seems(now)):
            return False
    return not known
