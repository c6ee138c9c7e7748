"""Databases with many sessions: what changed since is read again, other rows are looked at alone."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pastwork.model import Exchange
from pastwork.transcripts.base import Position, Reader, Source, Turn
from pastwork.transcripts.cursor import CURSOR
from pastwork.transcripts.goose import GOOSE
from pastwork.transcripts.kiro import KIRO
from pastwork.transcripts.opencode import OPENCODE
from pastwork.transcripts.zed import ZED
from tests.transcripts.reading import exchanges, problems, session, tools, words
from tests.transcripts.samples import lay

#: Reader, its database, and the SQL that adds a session about the oil, then changes the first one again.
ADDED = {
    "opencode": (
        OPENCODE,
        ".local/share/opencode/opencode.db",
        """insert into session values ('ses_new', null, '/w', 'Oil', 1772600500000, 1772600500000);
        insert into message values ('msg_new', 'ses_new', 1772600500000, 0, '{"role": "user"}');
        insert into part values ('prt_new', 'msg_new', 'ses_new', '{"type": "text", "text": "fill the oil"}');""",
        "update session set time_updated = 1772600600000 where id = 'ses_0a11ce0000000001'",
    ),
    "goose": (
        GOOSE,
        ".local/share/goose/sessions/sessions.db",
        """insert into sessions (id, session_type, updated_at) values ('20260304_9', 'user', '2026-03-04 05:01:00');
        insert into messages (session_id, role, content_json)
        values ('20260304_9', 'user', '[{"type": "text", "text": "fill the oil"}]');""",
        "update sessions set updated_at = '2026-03-04 05:09:00' where id = '20260304_1'",
    ),
    "zed": (
        ZED,
        ".var/app/dev.zed.Zed/data/zed/threads/threads.db",
        """insert into threads values ('thread-new', 'Oil', '2026-03-04T05:01:00Z', 'json',
        '{"messages": [{"User": {"content": [{"Text": "light it"}]}}]}');""",
        "update threads set updated_at = '2026-03-04T05:09:00Z' where id = 'thread-first'",
    ),
}


def run(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def read(reader: Reader, path: Path, since: Position | None = None) -> list[Turn]:
    return [item for item in reader.read(Source(reader.agent, path, in_place=True), since) if isinstance(item, Turn)]


def sessions(found: list[Turn]) -> list[str]:
    return list(dict.fromkeys(turn.exchange.session_id for turn in found))


@pytest.mark.parametrize("agent", ADDED)
def test_only_what_changed_since_is_read_again(agent: str, tmp_path: Path) -> None:
    reader, place, adds, touches = ADDED[agent]
    path = tmp_path / place
    lay(agent, tmp_path)
    (old,) = sessions(read(reader, path))
    since = read(reader, path)[-1].at
    assert sessions(read(reader, path, since)) == [old]
    run(path, adds)
    found = read(reader, path, since)
    (new,) = set(sessions(found)) - {old}
    assert sessions(found) == [old, new]
    since = found[-1].at
    assert sessions(read(reader, path, since)) == [new]
    run(path, touches)
    assert sessions(read(reader, path, since)) == [new, old]


@pytest.mark.parametrize("agent", ADDED)
def test_a_position_of_another_kind_reads_all(agent: str, tmp_path: Path) -> None:
    reader, place, _, _ = ADDED[agent]
    lay(agent, tmp_path)
    assert read(reader, tmp_path / place, Position(77, b'{"odd": 1}')) == read(reader, tmp_path / place)


@pytest.mark.parametrize(
    ("agent", "reader", "place", "script"),
    [
        ("opencode", OPENCODE, ADDED["opencode"][1], "update part set data = 'garbage' where id = 'prt_4'"),
        ("opencode", OPENCODE, ADDED["opencode"][1], "update part set data = null where id = 'prt_5'"),
        ("opencode", OPENCODE, ADDED["opencode"][1], "insert into session values (null, null, 5, x'ff', 'a', 'b')"),
        ("opencode", OPENCODE, ADDED["opencode"][1], "drop table part; create table part (message_id, id, data)"),
        ("goose", GOOSE, ADDED["goose"][1], "update messages set content_json = 'garbage' where role = 'assistant'"),
        ("goose", GOOSE, ADDED["goose"][1], "insert into sessions (id, updated_at) values (5, 5)"),
        (
            "zed",
            ZED,
            ".local/share/zed/threads/threads.db",
            "update threads set data = x'00ff' where id = 'thread-older'",
        ),
        ("zed", ZED, ".local/share/zed/threads/threads.db", "update threads set data_type = 'zstd'"),
        ("zed", ZED, ".local/share/zed/threads/threads.db", "update threads set data = '', updated_at = 5"),
        ("kiro", KIRO, ".local/share/kiro-cli/data.sqlite3", "update conversations_v2 set value = '[1]'"),
        ("kiro", KIRO, ".local/share/kiro-cli/data.sqlite3", "update conversations_v2 set key = 5"),
    ],
)
def test_odd_rows_raise_nothing(agent: str, reader: Reader, place: str, script: str, tmp_path: Path) -> None:
    lay(agent, tmp_path)
    run(tmp_path / place, script)
    for exchange in exchanges(reader, tmp_path / place):
        assert exchange.prompt


@pytest.mark.parametrize(
    ("reader", "name"), [(OPENCODE, "opencode.db"), (GOOSE, "sessions.db"), (ZED, "threads.db"), (KIRO, "data.sqlite3")]
)
@pytest.mark.parametrize("data", [b"", b"no database " * 400])
def test_no_database(reader: Reader, name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert exchanges(reader, path) == []
    assert len(problems(reader, path)) <= 1
    run_empty = tmp_path / "empty.db"
    run(run_empty, "create table unrelated (a)")
    assert exchanges(reader, run_empty) == []


def opencode(tmp_path: Path, script: str) -> list[Exchange]:
    lay("opencode", tmp_path)
    path = tmp_path / ADDED["opencode"][1]
    run(path, script)
    return exchanges(OPENCODE, path)


def test_opencodes_newer_rows_win_where_a_session_has_them(tmp_path: Path) -> None:
    newer = json.dumps({"text": "trim it anew"})
    (exchange,) = opencode(
        tmp_path,
        "insert into session_message (id, session_id, type, data) "
        f"values ('m', 'ses_0a11ce0000000001', 'user', '{newer}')",
    )
    assert exchange.prompt == "trim it anew"


def test_opencodes_sub_agents_are_not_sessions_of_their_own(tmp_path: Path) -> None:
    (exchange,) = opencode(tmp_path, "")
    assert ("read", "↳ src/oil.py", True) in tools(exchange)


def test_a_sub_agent_that_calls_itself_ends(tmp_path: Path) -> None:
    state = {"status": "completed", "metadata": {"sessionId": "ses_0a11ce0000000001"}}
    part = json.dumps({"type": "tool", "callID": "loop", "tool": "task", "state": state})
    (exchange,) = opencode(
        tmp_path, f"insert into part values ('prt_z', 'msg_0a11ce0000000002', 'ses_0a11ce0000000001', '{part}')"
    )
    assert words(exchange) == ["Trimming."]


def test_goose_leaves_out_what_nobody_typed(tmp_path: Path) -> None:
    lay("goose", tmp_path)
    found = {turn.exchange.session_id for turn in read(GOOSE, tmp_path / ADDED["goose"][1])}
    assert found == {"20260304_1"}


def test_goose_before_sessions_had_types(tmp_path: Path) -> None:
    lay("goose", tmp_path)
    run(tmp_path / ADDED["goose"][1], "alter table sessions drop column session_type")
    assert len(read(GOOSE, tmp_path / ADDED["goose"][1])) >= 1


def test_zeds_child_threads_are_left_out(tmp_path: Path) -> None:
    lay("zed", tmp_path)
    path = tmp_path / ".local/share/zed/threads/threads.db"
    run(path, "update threads set parent_id = 'thread-older' where id = 'thread-modern'")
    assert [turn.exchange.session_id for turn in read(ZED, path)] == ["thread-older"]


def test_zeds_compressed_threads(tmp_path: Path) -> None:
    import zstandard

    lay("zed", tmp_path)
    path = tmp_path / ADDED["zed"][1]
    data = b'{"messages": [{"User": {"id": "u", "content": [{"Text": "light it"}]}}]}'
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE threads SET data_type = 'zstd', data = ?", (zstandard.compress(data),))
    assert [turn.exchange.prompt for turn in read(ZED, path)] == ["light it"]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE threads SET data = ?", (zstandard.compress(data)[:-4],))
    assert problems(ZED, path) or read(ZED, path)


def test_kiros_older_table(tmp_path: Path) -> None:
    lay("kiro", tmp_path)
    path = tmp_path / ".local/share/kiro-cli/data.sqlite3"
    whole = exchanges(KIRO, path)
    run(path, "alter table conversations_v2 rename to conversations")
    assert [each.prompt for each in exchanges(KIRO, path)] == [each.prompt for each in whole]


def test_a_session_tells_its_folder_and_start(tmp_path: Path) -> None:
    lay("goose", tmp_path)
    told = session(GOOSE, tmp_path / ADDED["goose"][1])
    assert (told.workspace, told.title, told.started_at) == (
        "/home/dev/lantern",
        "Wick trimming",
        "2026-03-04T05:00:00.000Z",
    )


@pytest.mark.parametrize("reader", [GOOSE, KIRO, OPENCODE, ZED, CURSOR], ids=lambda reader: reader.agent)
@pytest.mark.parametrize("name", ["x.db", "state.vscdb"])
def test_a_database_of_another_kind_is_told_and_an_empty_one_is_not(tmp_path: Path, reader: Reader, name: str) -> None:
    path = tmp_path / name
    run(path, "")
    assert problems(reader, path) == []
    run(path, "create table pears (id)")
    (problem,) = problems(reader, path)
    assert "another kind or version" in problem.reason
    assert problem.reason.endswith("but pears")


def test_a_locked_database_is_read_once_it_is_free(tmp_path: Path) -> None:
    lay("goose", tmp_path)
    path = tmp_path / ADDED["goose"][1]
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("begin exclusive")
        assert [each.reason for each in problems(GOOSE, path)] == ["cannot be read: database is locked"]
        owner.execute("rollback")
    assert problems(GOOSE, path) == []
    assert exchanges(GOOSE, path)


def test_what_stands_in_a_log_alone_is_read_without_its_owner(tmp_path: Path) -> None:
    """The writer was killed: its log is there, its shared memory is not."""
    lay("goose", tmp_path)
    path = tmp_path / ADDED["goose"][1]
    before = len(exchanges(GOOSE, path))
    owner = sqlite3.connect(path)
    owner.execute("pragma journal_mode = wal")
    owner.executescript(ADDED["goose"][2])
    left = tmp_path / "left" / path.name
    left.parent.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{path}{ending}", f"{left}{ending}")
    owner.close()
    assert len(exchanges(GOOSE, left)) == before + 1
