"""What a run has measured so far, a file a configuration: a run that was killed goes on where it was.

The folder belongs to one fingerprint: of what is searched, what is asked, and the code that searches.
Rankings hold rows, no text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

import pastwork
from pastwork.evaluate.labels import Query
from pastwork.evaluate.ranked import Ranked

#: The code that decides a ranking once texts and queries are given.
DECIDING = ("index/*.py", "search/*.py", "evaluate/documents.py", "evaluate/lanes.py", "evaluate/ranked.py")
S = TypeVar("S", bound=Struct)


class Timed(Struct, frozen=True):
    """Milliseconds of single searches by a configuration, without embedding the query."""

    name: str
    milliseconds: list[float]


class Journal:
    """Rankings and timings by configuration, in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ranked(self, name: str) -> Ranked | None:
        """What was kept of a configuration; None where nothing was, or where it can't be read."""
        return _read(self._path(name, "ranking"), Ranked)

    def timed(self, name: str) -> Timed | None:
        return _read(self._path(name, "timing"), Timed)

    def missing(self, names: Iterable[str]) -> list[str]:
        """Those without a ranking."""
        return [name for name in names if self.ranked(name) is None]

    def keep(self, ranked: Ranked, timed: Timed | None = None) -> None:
        """Whole or not at all."""
        if timed is not None:
            _write(self._path(timed.name, "timing"), timed)
        _write(self._path(ranked.name, "ranking"), ranked)

    def _path(self, name: str, what: str) -> Path:
        return self._folder / f"{name.replace(':', '_')}.{what}.json"


def fingerprint(documents: str, queries: Sequence[Query], limit: int, model: str) -> str:
    """Of a run: equal ones give equal rankings. ``documents`` is their own fingerprint."""
    found = hashlib.blake2b(digest_size=8)
    for part in (documents, limit, model, code()):
        found.update(f"{part}\n".encode())
    found.update(msgspec.json.encode(queries))
    return found.hexdigest()


def code() -> str:
    """A hash of the deciding code."""
    root = Path(pastwork.__file__).parent
    found = hashlib.blake2b(digest_size=8)
    for pattern in DECIDING:
        for path in sorted(root.glob(pattern)):
            found.update(path.name.encode() + b"\n" + path.read_bytes())
    return found.hexdigest()


def _read(path: Path, kind: type[S]) -> S | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def _write(path: Path, value: Struct) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(path.name + ".part")
    part.write_bytes(msgspec.json.encode(value))
    part.replace(path)
