"""Stores of other versions."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from pastwork.config import Config
from pastwork.errors import StoreMissing, StoreUnusable
from pastwork.palace import Palace
from pastwork.store import places, schema
from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from pastwork.store.writer import StoreWriter
from tests.store.samples import dump, exchange, keep

NOW = datetime(2026, 2, 1, tzinfo=UTC)
WIDER = "CREATE TABLE wider (x TEXT);\nALTER TABLE agent\n    ADD COLUMN color TEXT;\n"
BROKEN = "CREATE TABLE half (x TEXT);\nINSERT INTO nowhere VALUES (1);\n"


def test_a_new_store_says_what_it_is(tmp_path: Path) -> None:
    with StoreWriter.open(tmp_path) as writer:
        assert schema.version(writer.connection) == schema.VERSION
        assert writer.connection.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
        assert writer.status_counts("r", 0.0).store.schema == schema.VERSION


def test_a_store_whose_first_tables_are_being_made_is_none_yet(tmp_path: Path) -> None:
    """As a reader finds it between a writer's first two steps."""
    with closing(sqlite3.connect(tmp_path / places.STORE)) as begun:
        begun.execute("PRAGMA journal_mode = WAL")
        assert (tmp_path / places.STORE).stat().st_size
        with pytest.raises(StoreMissing):
            StoreReader.open(tmp_path)
        with Palace(tmp_path, Config(), tmp_path, lambda: NOW) as palace:
            assert palace.status().notes == ("nothing is indexed yet; run `pastwork index`",)
            with StoreWriter.open(tmp_path) as writer:
                keep(writer, exchange())
            assert palace.status().agents


def test_an_older_store_is_migrated_with_all_it_holds() -> None:
    with StoreWriter.empty() as writer:
        keep(writer, exchange())
        before = dump(writer.connection)
        schema.migrate(writer.connection, (*schema.MIGRATIONS, WIDER))
        assert schema.version(writer.connection) == schema.VERSION + 1
        assert writer.connection.execute("SELECT count(*) FROM wider").fetchone() == (0,)
        assert dump(writer.connection) == before


def test_a_migration_that_fails_changes_nothing() -> None:
    with StoreWriter.empty() as writer:
        keep(writer, exchange())
        before = dump(writer.connection)
        with pytest.raises(sqlite3.OperationalError):
            schema.migrate(writer.connection, (*schema.MIGRATIONS, WIDER, BROKEN))
        assert schema.version(writer.connection) == schema.VERSION + 1
        names = {name for (name,) in writer.connection.execute("SELECT name FROM sqlite_master")}
        assert "wider" in names
        assert "half" not in names
        assert dump(writer.connection) == before


def test_a_newer_store_is_refused_and_not_touched(tmp_path: Path) -> None:
    with StoreWriter.open(tmp_path) as writer:
        keep(writer, exchange())
        writer.connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    before = {path.name: sha256(path.read_bytes()).hexdigest() for path in tmp_path.iterdir() if path.suffix == ".db"}
    for refused in (StoreReader.open, StoreWriter.open):
        with pytest.raises(StoreUnusable) as caught:
            refused(tmp_path)
        assert caught.value.exit_code == 3
        assert "Update pastwork" in caught.value.remedy
    after = {path.name: sha256(path.read_bytes()).hexdigest() for path in tmp_path.iterdir() if path.suffix == ".db"}
    assert after == before
    assert set(before) == {places.STORE}


def test_a_reader_asks_for_the_migration_of_an_older_store(tmp_path: Path) -> None:
    with StoreWriter.open(tmp_path) as writer:
        writer.connection.execute("PRAGMA user_version = 0")
    with pytest.raises(StoreUnusable) as caught:
        StoreReader.open(tmp_path)
    assert "pastwork index" in caught.value.remedy


@pytest.mark.parametrize("size", [0, 1, 100, 5000])
def test_a_cut_store_is_a_clear_message(tmp_path: Path, size: int) -> None:
    with StoreWriter.open(tmp_path) as writer:
        keep(writer, exchange())
    path = tmp_path / places.STORE
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(StoreUnusable) as caught:
        StoreReader.open(tmp_path).kept([1])
    assert caught.value.remedy


#: A transaction under a rollback journal that is killed when part of it is in the file: what a store's first
#: moment is everywhere, and every write on a network file system.
BROKEN_OFF = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = DELETE")
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN")
connection.execute("UPDATE meta SET value = 'half' WHERE key = 'generation'")
for number in range(2000):
    connection.execute("INSERT INTO meta VALUES (?, ?)", (f"half {number}", "x" * 200))
os.kill(os.getpid(), 9)
"""


def broken_off(home: Path, version: int = schema.VERSION) -> Path:
    with StoreWriter.open(home) as writer:
        keep(writer, exchange())
        writer.connection.execute(f"PRAGMA user_version = {version}")
    subprocess.run([sys.executable, "-c", BROKEN_OFF, str(home / places.STORE)], check=False)
    assert (home / f"{places.STORE}-journal").stat().st_size > 0
    return home / places.STORE


@pytest.mark.skipif(os.name == "nt", reason="ends by a POSIX signal")
def test_a_write_that_was_broken_off_is_undone_by_the_next_writer(tmp_path: Path) -> None:
    broken_off(tmp_path)
    with pytest.raises(StoreUnusable, match="broken off") as caught:
        StoreReader.open(tmp_path)
    assert "pastwork index" in caught.value.remedy
    with StoreWriter.open(tmp_path) as writer:
        assert {fault.where for fault in verify(writer).faults} == {"keyword index"}, "which this store never had"
        assert writer.fact("half 1") is None
    with StoreReader.open(tmp_path) as reader:
        assert len(reader.kept([1])) == 1


@pytest.mark.skipif(os.name == "nt", reason="ends by a POSIX signal")
def test_a_newer_store_is_not_touched_in_that_state_either(tmp_path: Path) -> None:
    path = broken_off(tmp_path, schema.VERSION + 1)
    before = path.read_bytes()
    with pytest.raises(StoreUnusable, match="knows up to"):
        StoreWriter.open(tmp_path)
    assert path.read_bytes() == before
