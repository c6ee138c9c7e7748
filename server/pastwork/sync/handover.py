"""How a command becomes the writer while an editor's sync child is.

The command leaves a note (a file named by its pid) in the data folder. The child looks for notes
twice a second and after every commit, closes the store and stands by; children that stand
by leave the lock alone as long as the note's process lives. The command takes the lock, deletes its
note and works in its own process; when it ends, the system frees the lock and a child takes over.
Nothing waits for a dead process: a note whose process is gone is swept away.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pastwork.store import places
from pastwork.store.lock import WriterBusy, start_time
from pastwork.store.writer import StoreWriter

#: Seconds that a command waits for the writer to end its transaction, or for another command to end.
PATIENCE = 60.0
_RETRY = 0.05


@contextmanager
def borrow(data: Path, patience: float = PATIENCE) -> Iterator[StoreWriter]:
    """The store for writing, taken from a sync child if need be, given back at the end.

    Raises:
        WriterBusy: another command did not end within ``patience`` seconds.
        StoreUnusable: the store can't be written.
    """
    writer = _taken(data, patience)
    try:
        yield writer
    finally:
        writer.close()


def wanted(data: Path) -> bool:
    """Whether a living process waits for the store; dead ones' notes are removed."""
    return any(_lives(note) for note in _notes(data))


def _taken(data: Path, patience: float) -> StoreWriter:
    try:
        return StoreWriter.open(data)
    except WriterBusy:
        note = _leave_note(data)
    try:
        return _waited(data, time.monotonic() + patience)
    finally:
        note.unlink(missing_ok=True)


def _waited(data: Path, deadline: float) -> StoreWriter:
    while True:
        try:
            return StoreWriter.open(data)
        except WriterBusy:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY)


def _leave_note(data: Path) -> Path:
    folder = places.private_folder(data / places.REQUESTS)
    note = folder / str(os.getpid())
    places.write_private(note, (start_time(os.getpid()) or "").encode())
    return note


def _notes(data: Path) -> list[Path]:
    try:
        return [entry for entry in (data / places.REQUESTS).iterdir() if entry.name.isdecimal()]
    except OSError:
        return []


def _lives(note: Path) -> bool:
    try:
        started = note.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False
    if start_time(int(note.name)) == started:
        return True
    note.unlink(missing_ok=True)
    return False
