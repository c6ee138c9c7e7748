"""A damaged store: what reads it says so and goes on, and what transcripts still hold comes back."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pastwork.errors import StoreUnusable
from pastwork.index.okapi import OkapiLane
from pastwork.store import places
from pastwork.store.reader import StoreReader
from pastwork.store.verify import DAMAGE, verify
from pastwork.store.writer import StoreWriter
from pastwork.sync.digest import distil
from pastwork.sync.repair import repair
from tests.sizes import figure, size
from tests.store.samples import dump
from tests.sync.jotter import Home, ask, line
from tests.sync.processes import PASS, environment


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "home", StoreWriter.open(tmp_path / "data"))
    for name in range(3):
        words = (
            ask(f"topic {name}-{n} pool", 100 * name + n) + line(write=f"/w/{n}.py", text="x = 1") for n in range(1, 21)
        )
        home.write(f"{name}.jot", *words)
    home.sync().run_once(vectors=False)
    home.writer.put_vectors("r", range(1, 61), np.ones((60, 384), np.float32))
    yield home
    home.writer.close()


def content(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Every row of every table."""
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"'))) for name in names}


def outcome(data: Path, whole: dict[str, list[str]]) -> str:
    """What became of a flipped bit: verifying ends in any case; whatever else raises is an error answer of the worker."""
    try:
        with StoreReader.open(data) as reader:
            if not verify(reader).ok:
                return "named"
            OkapiLane(reader.connection).search("topic pool", 9)
            return "harmless" if content(reader.connection) == whole else "a word changed"
    except (StoreUnusable, *DAMAGE):
        return "named"


@pytest.mark.promise
def test_flipped_bits_are_damage_and_never_a_crash(home: Home, tmp_path: Path) -> None:
    """SQLite has no checksums; the verbatim, edits, vectors, postings and searched texts have or are compared."""
    home.writer.close()
    path = tmp_path / "data" / places.STORE
    with StoreReader.open(tmp_path / "data") as reader:
        whole, sound = content(reader.connection), path.read_bytes()
    chance, found = random.Random(41), Counter[str]()
    for _ in range(size("FLIPS")):
        at = chance.randrange(len(sound))
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 1 << chance.randrange(8)]) + sound[at + 1 :])
        found[outcome(tmp_path / "data", whole)] += 1
    figure("flipped in the store", **found)
    assert found["named"] > 300
    assert found["a word changed"] < found["named"] / 8, "single letters of distilled texts, counters, room names"


def test_damaged_proposals_leave_the_rooms_as_they_are(home: Home) -> None:
    before = home.writer.connection.execute("SELECT * FROM room WHERE row = 5").fetchall()
    home.writer.connection.execute("UPDATE candidate SET data = x'c1' WHERE row = 5")
    home.sync().derive()
    home.write("later.jot", ask("tides", 900))
    home.sync().run_once(vectors=False)
    assert home.writer.connection.execute("SELECT * FROM room WHERE row = 5").fetchall() == before
    assert [fault.where for fault in verify(home.writer).faults] == ["row 5"]
    home.sync().run_once(full=True, vectors=False)
    assert verify(home.writer).faults == ()


@pytest.mark.parametrize(
    "damage", ["UPDATE okapi_pending SET bag = x'81c101'", "UPDATE okapi_segment SET lengths = x'00'"]
)
def test_a_damaged_keyword_index_is_made_anew(home: Home, damage: str) -> None:
    for number in range(80):
        home.append("0.jot", ask(f"more {number}", 1000 + number))
    home.sync().run_once(vectors=False)
    home.append("0.jot", ask("pending", 2000))
    home.sync().run_once(vectors=False)
    home.writer.connection.execute(damage)
    assert any("keyword index" in fault.what for fault in verify(home.writer).faults)
    with pytest.raises(sqlite3.DatabaseError, match="keyword index is damaged"):
        OkapiLane(home.writer.connection).search("topic", 5)
    home.sync().run_once(vectors=False)
    assert verify(home.writer).faults == ()
    assert len(OkapiLane(home.writer.connection).search("topic pool", 99)) == 60


#: A pass that is killed at its end, most of what it kept still in the journal.
KILLED = PASS.replace(
    "    home.sync()", '    writer.connection.execute("PRAGMA wal_autocheckpoint = 20")\n    home.sync()'
).replace('print("end"', '    __import__("os").kill(__import__("os").getpid(), 9)\nprint("end"')


@pytest.mark.skipif(os.name == "nt", reason="ends by a POSIX signal")
@pytest.mark.parametrize("gone", ["-wal", "-shm", "both"])
def test_a_journal_that_is_gone(home: Home, tmp_path: Path, gone: str) -> None:
    """What only the journal held is read again from the transcripts."""
    data = tmp_path / "second"
    command = [sys.executable, "-c", KILLED, str(home.folder), str(data)]
    subprocess.run(command, env=environment(home.folder), stdout=subprocess.DEVNULL, check=False, timeout=60)
    assert (data / f"{places.STORE}-wal").stat().st_size > 4096
    for end in ("-wal", "-shm") if gone == "both" else (gone,):
        (data / f"{places.STORE}{end}").unlink()
    if not is_sound(data):
        repair(data, distil)
    again = Home(home.folder, StoreWriter.open(data))
    again.sync().run_once(vectors=False)
    assert verify(again.writer).faults == ()
    assert dump(again.writer.connection).keys() == dump(home.writer.connection).keys()
    again.writer.close()
    shutil.rmtree(data)


def is_sound(data: Path) -> bool:
    try:
        with StoreWriter.open(data) as writer:
            return verify(writer).ok
    except StoreUnusable as unusable:
        return "doctor" not in unusable.remedy
