"""Streams the records of a JSON-lines file: bytes in, ``Record``/``Row`` and ``Problem`` out.

Only ``\\n`` ends a record. Damage inside a line costs at most that line: NUL bytes and a byte order
mark are stripped, a line over the cap is skipped while streaming, and what doesn't decode goes
through ``mend``. A last line without newline that is not yet a whole object is pending: it yields
nothing, and a later read finds it whole. ``.zst`` files are decompressed while streaming; offsets
are then those of the decompressed bytes.

    for row in rows(path, Decoder(MyRow), wanted=lambda line: b'"noise"' not in line):
        if isinstance(row, Problem): yield row
        else: use(row.value, row.offset)
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from msgspec import Struct
from msgspec.json import Decoder

from pastwork.model import Problem
from pastwork.transcripts import mend

#: Longest line that is read, in bytes; no measured record of an agent comes near.
CAP = 16 * 1024 * 1024
_CHUNK = 1024 * 1024
_GLUED = re.compile(rb"\}\s*\{")
_BOM = b"\xef\xbb\xbf"

T = TypeVar("T")


class Record(Struct, frozen=True):
    """One line that is not blank: ``offset`` of its first byte, ``end`` just after its newline.

    ``whole`` unless it is the last and has no newline yet; ``note`` says what was stripped from it.
    """

    offset: int
    end: int
    data: bytes
    whole: bool = True
    note: str = ""


class Row(Struct, Generic[T], frozen=True):
    """One decoded record; reading again from ``offset`` yields it first.

    ``saved`` from a damaged line, whose problem was told: what looks odd about it needs no other.
    """

    offset: int
    value: T
    saved: bool = False


def rows(
    path: Path,
    decoder: Decoder[T],
    offset: int = 0,
    cap: int | None = None,
    wanted: Callable[[bytes], bool] | None = None,
) -> Iterator[Row[T] | Problem]:
    """Decoded records from ``offset`` on; ``wanted`` sees a line's bytes and spares the decoding.

    Lines over ``cap`` bytes (``CAP`` if None) are passed over.

    A struct type should give every field a default: fields of a wrong shape then fall back to it
    one by one, and the record is kept.
    """
    for record in records(path, offset, cap):
        if isinstance(record, Problem):
            yield record
            continue
        try:
            if wanted is None or wanted(record.data) or not _looks_whole(record.data):
                row = Row(record.offset, decoder.decode(record.data))
            else:
                row = None
            if not mend.is_text(record.data):
                raise ValueError
        except (RecursionError, ValueError):
            yield from _mended(str(path), record, decoder)
            continue
        if record.note:
            yield Problem(str(path), record.offset, record.note)
        if row is not None:
            yield row


def _looks_whole(line: bytes) -> bool:
    """Whether a line that is not to be decoded is one whole object; where in doubt, it is decoded."""
    return line.rstrip().endswith(b"}") and line.count(b"{") == line.count(b"}") and not _GLUED.search(line)


def _mended(path: str, record: Record, decoder: Decoder[T]) -> Iterator[Row[T] | Problem]:
    """What is left of a damaged line, after one problem for the line and one for each later bad record in it."""
    found = mend.mend(record.data, decoder)
    if not record.whole and not found.complete:
        return
    reasons = [record.note, found.reason, *(piece.reason for piece in found.pieces[:1])]
    yield Problem(path, record.offset, "; ".join(filter(None, reasons)))
    for place, piece in enumerate(found.pieces):
        offset = record.offset + piece.offset
        if place and piece.reason:
            yield Problem(path, offset, piece.reason)
        yield Row(offset, piece.value, saved=True)


def records(path: Path, offset: int = 0, cap: int | None = None) -> Iterator[Record | Problem]:
    """The lines of a file from byte ``offset`` on, cleaned but not decoded."""
    try:
        with opened(path) as stream:
            _skip(stream, offset)
            yield from _lines(stream, str(path), offset, CAP if cap is None else cap)
    except (OSError, EOFError) as error:
        yield Problem(str(path), 0, f"cannot be read: {_said(error)}")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A buffered, decompressed, read-only stream of a regular file; anything else is an ``OSError``.

    Opened without blocking, so that a pipe or device in a transcript folder never holds us up, and
    without following a symbolic link, which may lead out of the agent's folder.
    """
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    with os.fdopen(os.open(path, flags), "rb", _CHUNK) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("not a regular file")
        if path.suffix == ".zst":
            from pastwork.transcripts import zst

            yield zst.stream(file) if zst.is_compressed(file) else file
        else:
            yield file


def _skip(stream: BinaryIO, offset: int) -> None:
    if offset and isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO):
        stream.seek(offset)
        return
    while offset > 0:
        step = stream.read(min(offset, _CHUNK))
        if not step:
            return
        offset -= len(step)


def _lines(stream: BinaryIO, path: str, offset: int, cap: int) -> Iterator[Record | Problem]:
    while line := stream.readline(cap + 1):
        start, offset = offset, offset + len(line)
        whole = line.endswith(b"\n")
        if not whole and len(line) > cap:
            del line
            offset += _drain(stream)
            yield Problem(path, start, f"line longer than {cap} bytes, skipped")
            continue
        note = f"{line.count(0)} NUL bytes stripped" if b"\0" in line else ""
        if note:
            line = line.replace(b"\0", b" ")
        if start == 0 and line.startswith(_BOM):
            line = b"   " + line[len(_BOM) :]
        if line.strip():
            yield Record(start, offset, line, whole, note)
        elif note and whole:
            yield Problem(path, start, note)


def _drain(stream: BinaryIO) -> int:
    """Reads to the end of the line without keeping it; the number of bytes passed."""
    passed = 0
    while part := stream.readline(_CHUNK):
        passed += len(part)
        if part.endswith(b"\n"):
            break
    return passed


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "a symbolic link, not followed"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
