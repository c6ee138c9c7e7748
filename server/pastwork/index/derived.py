"""Derived files: whole or not there.

A derived file may be deleted at any time and is never believed unread: beside it lies a stamp with
what it was made from, how much is in it and its checksum, under a checksum of its own. FAISS and numpy
read many a damaged file without a word.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

PIECE = 1 << 20
STAMP = ".stamp"


class Stamp(Struct, frozen=True):
    """What a stamp says at least.

    ``origin`` names the store and the rules of making, ``generation`` what of the store is in it.
    """

    origin: str
    generation: int
    count: int
    checksum: str


S = TypeVar("S", bound=Stamp)


def checksum(path: Path) -> str:
    """BLAKE2b-128 of the file, or of the names and contents of a folder's files (a lock has no contents)."""
    found = hashlib.blake2b(digest_size=16)
    if path.is_dir():
        for part in sorted(path.iterdir()):
            if part.is_file() and not part.name.endswith("LOCK"):
                found.update(f"{part.name} {checksum(part)}\n".encode())
        return found.hexdigest()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            found.update(piece)
    return found.hexdigest()


def write(path: Path, origin: str, generation: int, count: int, fill: Callable[[Path], None]) -> None:
    """Replaces the file with what ``fill`` writes, then its stamp; 0600 in a folder of 0700.

    A reader that comes in between sees a stamp that does not match, and makes the file anew.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        _make_private(part)
        fill(part)
        stamp = Stamp(origin, generation, count, checksum(part))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    vouch(path, stamp)


def vouch(path: Path, stamp: Stamp) -> None:
    """Puts the stamp beside a derived file (0600), in place of the one before."""
    said = msgspec.json.encode(stamp)
    part = path.with_name(f"{path.name}.{os.getpid()}.part{STAMP}")
    try:
        _make_private(part)
        part.write_bytes(said + b"\n" + _seal(said))
        part.replace(stamp_of(path))
    finally:
        part.unlink(missing_ok=True)


def stamp(path: Path, kind: type[S]) -> S | None:
    """What the stamp of a derived file says, where every byte of the stamp is as it was written."""
    try:
        said, _, seal = stamp_of(path).read_bytes().rpartition(b"\n")
        return msgspec.json.decode(said, type=kind) if seal == _seal(said) else None
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


def read(path: Path, origin: str) -> Stamp | None:
    """The stamp of a file that is whole and of this origin; None: it has to be made."""
    found = stamp(path, Stamp)
    try:
        return found if found and found.origin == origin and found.checksum == checksum(path) else None
    except OSError:
        return None


def unsound(folder: Path) -> list[Path]:
    """The derived files below ``folder`` that are not what their stamps say; each is made anew when next used."""
    found = []
    for stamped in sorted(folder.glob(f"*{STAMP}")):
        path = stamped.with_name(stamped.name.removesuffix(STAMP))
        said = stamp(path, Stamp)
        try:
            sound = said is not None and said.checksum == checksum(path)
        except OSError:
            sound = False
        if not sound:
            found.append(path)
    return found


def tighten(folder: Path) -> None:
    """Takes rights of others away from what a library wrote into a derived folder by the user's umask."""
    for part in folder.iterdir() if os.name != "nt" else ():
        part.chmod(0o600)


def count(folder: Path) -> int:
    """How many derived files there are."""
    return sum(1 for _ in folder.glob(f"*{STAMP}"))


def stamp_of(path: Path) -> Path:
    return path.with_name(path.name + STAMP)


def _seal(said: bytes) -> bytes:
    return hashlib.blake2b(said, digest_size=16).hexdigest().encode()


def _make_private(path: Path) -> None:
    """An empty file (0600)."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
