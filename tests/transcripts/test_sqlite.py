"""Other programs' databases: only read, never waited for, never held up."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from pastwork.transcripts import sqlite

ROWS = {"bubbleId:a:1": "one", "bubbleId:a:2": "two", "bubbleId:ab:1": "other", "bubbleId": "none", "zebra": "last"}


def made(path: Path, *, wal: bool = False) -> sqlite3.Connection:
    """A key-value database with its writer's connection."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    if wal:
        connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
    connection.executemany("INSERT INTO ItemTable VALUES (?, ?)", ROWS.items())
    return connection


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made(tmp_path / "state.vscdb").close()
    return tmp_path / "state.vscdb"


def read(path: Path) -> dict[str, object]:
    with sqlite.reading(path) as connection:
        return dict(connection.execute("SELECT key, value FROM ItemTable").fetchall())


@pytest.mark.parametrize("name", ["a b", "100%", "what?", "a#b", "a%20b", "ä&ö=;", "file:x?mode=rwc"])
def test_any_folder_name_is_only_a_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / "state.vscdb"
    made(path).close()
    assert read(path) == ROWS
    assert [each.name for each in path.parent.iterdir()] == ["state.vscdb"]


def test_nothing_can_be_written(path: Path) -> None:
    before = path.read_bytes()
    with sqlite.reading(path) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM ItemTable")
    assert path.read_bytes() == before


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError), sqlite.reading(tmp_path / "gone.db"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_only_regular_files_are_opened(path: Path, tmp_path: Path, kind: str) -> None:
    odd = tmp_path / "odd.db"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "link":
        odd.symlink_to(path)
    else:
        odd.mkdir()
    with pytest.raises(sqlite3.OperationalError, match="not a regular file"):
        read(odd)


def test_what_stands_only_in_the_log_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    with closing(made(path, wal=True)) as writer:
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        writer.execute("INSERT INTO ItemTable VALUES ('new', 'in the log')")
        assert read(path)["new"] == "in the log"


def test_a_database_in_wal_mode_without_a_writer_gets_no_files_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    made(path, wal=True).close()
    assert read(path) == ROWS
    assert [each.name for each in tmp_path.iterdir()] == ["state.vscdb"]


def test_a_copied_log_is_read_without_its_writer(tmp_path: Path) -> None:
    with closing(made(tmp_path / "live.db", wal=True)):
        for suffix in ("", "-wal"):
            shutil.copy(f"{tmp_path / 'live.db'}{suffix}", f"{tmp_path / 'copy.db'}{suffix}")
    assert read(tmp_path / "copy.db") == ROWS


@pytest.mark.parametrize("wal", [False, True])
def test_a_writer_at_work_is_never_held_up(tmp_path: Path, wal: bool) -> None:
    """A reader that stands in the middle of its rows holds no lock."""
    path = tmp_path / "state.vscdb"
    with closing(made(path, wal=wal)) as writer, sqlite.reading(path) as connection:
        rows = sqlite.under(connection, "ItemTable", "bubbleId:a:")
        assert next(rows) == ("bubbleId:a:1", "one")
        writer.execute("PRAGMA busy_timeout = 0")
        writer.execute("INSERT INTO ItemTable VALUES ('while', 'reading')")
        assert dict(rows) == {"bubbleId:a:2": "two"}


def test_a_database_locked_by_its_writer_is_given_up_soon(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        started = time.monotonic()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            read(path)
        assert time.monotonic() - started < 2


def test_keys_by_range(path: Path) -> None:
    with sqlite.reading(path) as connection:
        assert sqlite.keys(connection, "ItemTable", "bubbleId:a:") == ["bubbleId:a:1", "bubbleId:a:2"]
        assert dict(sqlite.under(connection, "ItemTable", "bubbleId:ab:")) == {"bubbleId:ab:1": "other"}
        assert list(sqlite.under(connection, "ItemTable", "nobody:")) == []


def test_more_rows_than_one_batch(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    with closing(made(path)) as writer:
        writer.execute("BEGIN")
        writer.executemany("INSERT INTO ItemTable VALUES (?, ?)", ((f"row:{each:05}", each) for each in range(1777)))
        writer.execute("COMMIT")
    with sqlite.reading(path) as connection:
        assert [value for _, value in sqlite.under(connection, "ItemTable", "row:")] == list(range(1777))


@pytest.mark.parametrize(
    ("stored", "expected"), [("text", b"text"), (b"\xff\xfe", b"\xff\xfe"), (5, b"5"), (None, None), ("", b"")]
)
def test_a_value_of_any_kind(tmp_path: Path, stored: object, expected: bytes | None) -> None:
    path = tmp_path / "one.db"
    with closing(made(path)) as writer:
        writer.execute("INSERT INTO ItemTable VALUES ('key', ?)", (stored,))
    with sqlite.reading(path) as connection:
        assert sqlite.value(connection, "ItemTable", "key") == expected
        assert sqlite.value(connection, "ItemTable", "no such key") is None


def test_text_that_is_no_utf8_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "bad.db"
    with closing(made(path)) as writer:
        writer.execute("INSERT INTO ItemTable VALUES ('key', CAST(x'61ff62' AS TEXT))")
    assert read(path)["key"] == "a\ufffdb"


def test_tables_and_columns(path: Path) -> None:
    with sqlite.reading(path) as connection:
        assert sqlite.tables(connection) == {"ItemTable"}
        assert sqlite.columns(connection, "ItemTable") == {"key", "value"}
        assert sqlite.columns(connection, "nothing") == frozenset()


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\0", b"no database at all" * 99, b"\0" * 4096])
def test_a_file_that_is_no_database_is_one_kind_of_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd.db"
    path.write_bytes(data)
    with pytest.raises(sqlite3.Error):
        read(path)


def test_damage_that_its_own_message_can_not_be_decoded_of(tmp_path: Path) -> None:
    """A table's SQL with bytes that are no text, which SQLite quotes where it gives up."""
    path = tmp_path / "state.vscdb"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table pears (id, name)")
        connection.commit()
    path.write_bytes(path.read_bytes().replace(b"pears (id, name)", b"pears (\xed\xa0\xbc, (((("))
    with pytest.raises(sqlite3.Error), sqlite.reading(path) as connection:
        connection.execute("select * from pears").fetchall()
