"""Databases whose rows change in place are read on from the change that was read last."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from pastwork.store.records import RowFilter
from pastwork.transcripts.base import Item, Turn
from pastwork.transcripts.goose import GOOSE
from tests.sync.jotter import Home

TABLES = """
create table if not exists sessions (id text primary key, name text, description text, session_type text,
  working_dir text, created_at text, updated_at text);
create table if not exists messages (id integer primary key, session_id text, role text, content_json text,
  created_timestamp integer);
"""


def told(path: Path, session: str, words: str, at: int) -> None:
    """One more prompt and answer of a session, at a second of the day."""
    moment = f"2026-02-01 10:00:{at:02d}"
    with sqlite3.connect(path) as connection:
        connection.executescript(TABLES)
        connection.execute(
            "insert into sessions values (?, '', ?, 'user', '/w/ferry', ?, ?)"
            " on conflict (id) do update set updated_at = excluded.updated_at",
            (session, session, moment, moment),
        )
        for role, text in (("user", words), ("assistant", f"About {words}: done.")):
            message = (session, role, f'[{{"type":"text","text":"{text}"}}]', 1769940000 + at)
            connection.execute("insert into messages values (null, ?, ?, ?, ?)", message)
    connection.close()


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path / "home")
    path = home.folder / ".local/share/goose/sessions/sessions.db"
    path.parent.mkdir(parents=True)
    for at, words in enumerate(("tides", "harbours", "ferries")):
        told(path, f"session-{words}", words, at)
    read: list[str] = []
    reading = GOOSE.reading

    def watched(source: object, since: object) -> list[Item]:
        items = list(reading(source, since))  # type: ignore[arg-type]
        read.extend(item.exchange.prompt for item in items if isinstance(item, Turn))
        return items

    monkeypatch.setattr(GOOSE, "reading", watched)
    assert home.sync(readers=[GOOSE]).run_once(vectors=False).exchanges.new == 3
    assert read == ["tides", "harbours", "ferries"]
    read.clear()
    told(path, "session-harbours", "lighthouses", 9)
    answer = home.sync(readers=[GOOSE]).run_once(vectors=False)
    assert read == ["ferries", "harbours", "lighthouses"]
    assert (answer.exchanges.new, len(home.writer.recent(RowFilter(), 9))) == (1, 4)
    read.clear()
    home.sync(readers=[GOOSE]).run_once(full=True, vectors=False)
    assert read == ["tides", "ferries", "harbours", "lighthouses"]
