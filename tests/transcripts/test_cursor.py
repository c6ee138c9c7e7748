"""Cursor's carriers: odd rows, changes since, the CLI's store, folders from other files."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pastwork.model import Exchange, Problem
from pastwork.transcripts import cursor_bubbles
from pastwork.transcripts.base import Env, Position, Turn
from pastwork.transcripts.cursor import CURSOR
from tests.transcripts.reading import exchanges, items, problems, session, tools, words

Row = dict[str, Any]
USER = ".config/Cursor/User"


def store(path: Path, rows: dict[str, Any], table: str = "cursorDiskKV") -> Path:
    """A ``state.vscdb`` with these rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        for key, value in rows.items():
            text = value if isinstance(value, bytes | str | None) else json.dumps(value)
            connection.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, text))
    return path


def conversation(name: str, *bubbles: Row, updated: float = 0, **more: Any) -> dict[str, Any]:
    """A composer's rows; bubbles are its messages in order."""
    headers = [{"bubbleId": f"{name}-bubble-{at}"} for at in range(len(bubbles))]
    data = {"composerId": name, "fullConversationHeadersOnly": headers, "lastUpdatedAt": updated, **more}
    rows = {f"bubbleId:{name}:{name}-bubble-{at}": bubble for at, bubble in enumerate(bubbles)}
    return {f"composerData:{name}": data, **rows}


def asks(text: str) -> Row:
    return {"type": 1, "text": text}


def says(text: str, **more: Any) -> Row:
    return {"type": 2, "text": text, **more}


def prompts(found: list[Exchange]) -> list[str]:
    return [each.prompt for each in found]


ONE = conversation("one", asks("trim the wick"), says("Trimmed."), updated=1_772_600_400_000)
TWO = conversation("two", asks("fill the oil"), says("Filled."), updated=1_772_600_500_000)


def test_conversations_by_the_change_they_had(tmp_path: Path) -> None:
    path = store(tmp_path / "state.vscdb", TWO | ONE)
    assert prompts(exchanges(CURSOR, path)) == ["trim the wick", "fill the oil"]


def test_only_what_changed_since_is_read_again(tmp_path: Path) -> None:
    path = store(tmp_path / "state.vscdb", ONE | TWO)
    since = [item.at for item in items(CURSOR, path) if isinstance(item, Turn)][-1]
    assert prompts(again(path, since)) == ["fill the oil"]
    store(path, conversation("one", asks("trim the wick"), says("Shorter still."), updated=1_772_600_600_000))
    assert prompts(again(path, since)) == ["fill the oil", "trim the wick"]
    store(path, conversation("three", asks("light it"), updated=1_772_600_550_000))
    assert prompts(again(path, since)) == ["fill the oil", "light it", "trim the wick"]


def again(path: Path, since: Position) -> list[Exchange]:
    return [item.exchange for item in items(CURSOR, path, since) if isinstance(item, Turn)]


@pytest.mark.parametrize(
    ("rows", "told", "faults"),
    [
        ({"composerData:x": None}, [], 0),
        ({"composerData:x": b""}, [], 0),
        ({"composerData:x": "garbage"}, [], 1),
        ({"composerData:x": b"\xff\xfe\x00"}, [], 1),
        ({"composerData:x": "[1, 2]"}, [], 1),
        ({"composerData:x": {"lastUpdatedAt": "yesterday"}}, [], 1),
        ({"bubbleId:one:one-bubble-1": None}, [], 0),
        ({"bubbleId:one:one-bubble-1": "garbage"}, [], 1),
        ({"bubbleId:one:one-bubble-1": {"type": {"odd": 1}, "text": 5}}, [], 1),
        ({"bubbleId:one:stray": asks("not in the headers")}, [], 0),
        ({"composerData:one": ONE["composerData:one"] | {"name": ["odd"]}}, ["Trimmed."], 1),
        ({"unrelated": "garbage"}, ["Trimmed."], 0),
    ],
)
def test_odd_rows_cost_only_themselves(tmp_path: Path, rows: dict[str, Any], told: list[str], faults: int) -> None:
    path = store(tmp_path / "state.vscdb", ONE | TWO | rows)
    found = {each.prompt: each for each in exchanges(CURSOR, path)}
    assert found.keys() == {"trim the wick", "fill the oil"}
    assert words(found["fill the oil"]) == ["Filled."]
    assert not told or words(found["trim the wick"]) == told
    assert len(problems(CURSOR, path)) == faults


@pytest.mark.shared
def test_the_shared_case_of_odd_rows(shared: Path, tmp_path: Path) -> None:
    """Read where its folder's name means something in a URI."""
    path = tmp_path / "what? #1 100%" / "state.vscdb"
    path.parent.mkdir()
    shutil.copy(shared / "cases" / "X04_cursor_state.vscdb", path)
    assert any("HAZEL" in each.prompt for each in exchanges(CURSOR, path))
    assert [each.name for each in path.parent.iterdir()] == ["state.vscdb"]


@pytest.mark.shared
def test_a_live_owner_of_the_shared_case_is_never_held_up(shared: Path, tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    shutil.copy(shared / "cases" / "X04_cursor_state.vscdb", path)
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as owner:
        for at, _ in enumerate(CURSOR.read(next(CURSOR.within(path)))):
            owner.execute("INSERT OR REPLACE INTO cursorDiskKV VALUES ('owner', ?)", (str(at),))
        owner.execute("BEGIN EXCLUSIVE")
        (problem,) = items(CURSOR, path)
        assert isinstance(problem, Problem)
        assert "locked" in problem.reason


def test_a_file_that_is_no_database_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    path.write_bytes(b"SQLite format 3\0 and nothing more")
    assert len(problems(CURSOR, path)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("trim it", "trim it"),
        ("<user_query>\ntrim it\n</user_query>", "trim it"),
        ("<timestamp>now</timestamp>\n<user_query>trim it</user_query>", "trim it"),
        ("<user_info>\nOS: x\n</user_info>", None),
        ("<git_status>\nclean\n</git_status>", None),
        ("", None),
    ],
)
def test_what_was_typed(text: str, expected: str | None) -> None:
    assert cursor_bubbles.typed(text) == expected


@pytest.mark.parametrize(
    ("bubble", "started"),
    [
        ({"createdAt": "2026-03-04T05:00:00Z"}, "2026-03-04T05:00:00.000Z"),
        ({"createdAt": 1_772_600_400_000}, "2026-03-04T05:00:00.000Z"),
        ({"timingInfo": {"clientStartTime": 1_772_600_400_000}}, "2026-03-04T05:00:00.000Z"),
        ({"timingInfo": {"clientStartTime": 1500, "clientEndTime": 1_772_600_401_500}}, "2026-03-04T05:00:00.000Z"),
        ({"timingInfo": {"clientStartTime": 1500, "clientEndTime": 99}}, None),
        ({"timingInfo": {}}, None),
    ],
)
def test_times_of_bubbles(tmp_path: Path, bubble: Row, started: str | None) -> None:
    rows = conversation("one", asks("x") | bubble, createdAt=1_700_000_000_000)
    (exchange,) = exchanges(CURSOR, store(tmp_path / "state.vscdb", rows))
    assert exchange.started_at == (started or "2023-11-14T22:13:20.000Z")
    assert exchange.time_source == ("exact" if started else "session")


RICH = {"root": {"children": [{"type": "paragraph", "children": [{"text": "trim "}, {"text": "it"}]}, {"text": "now"}]}}


@pytest.mark.parametrize(("rich", "expected"), [(json.dumps(RICH), "trim it\nnow"), ("plain words", "plain words")])
def test_rich_text_stands_in_for_text(tmp_path: Path, rich: str, expected: str) -> None:
    rows = conversation("one", {"type": 1, "text": "", "richText": rich})
    assert prompts(exchanges(CURSOR, store(tmp_path / "state.vscdb", rows))) == [expected]


SWAP = {"file_path": "lamp.py", "old_string": "wick = 9", "new_string": "wick = 4"}


@pytest.mark.parametrize(
    ("tool", "ok", "edited"),
    [
        ({"status": "completed"}, True, True),
        ({"status": "completed", "userDecision": "accepted"}, True, True),
        ({"status": "completed", "userDecision": "rejected"}, False, False),
        ({"status": "completed", "result": '{"rejected": true}'}, False, False),
        ({"status": "error"}, False, False),
        ({"status": "cancelled"}, False, False),
        ({"status": "loading"}, None, False),
        ({}, None, False),
    ],
)
def test_only_accepted_changes_are_edits(tmp_path: Path, tool: Row, ok: bool | None, edited: bool) -> None:
    data = {"name": "search_replace", "toolCallId": "c1", "rawArgs": json.dumps(SWAP), **tool}
    rows = conversation("one", asks("trim it"), says("", toolFormerData=data))
    (exchange,) = exchanges(CURSOR, store(tmp_path / "state.vscdb", rows))
    assert tools(exchange) == [("search_replace", "lamp.py", ok)]
    assert [edit.path for edit in exchange.edits] == ["lamp.py"] * edited


def test_the_folder_of_a_conversation_comes_from_its_workspaces_database(tmp_path: Path) -> None:
    storage = tmp_path / USER
    store(storage / "globalStorage" / "state.vscdb", ONE)
    listed = {"composer.composerData": {"allComposers": [{"composerId": "one"}]}}
    store(storage / "workspaceStorage" / "w" / "state.vscdb", listed, "ItemTable")
    workspace = storage / "workspaceStorage" / "w" / "workspace.json"
    workspace.write_text('{"folder": "vscode-remote://ssh-remote%2Bbox/home/dev/lantern"}')
    (exchange,) = exchanges(CURSOR, storage / "globalStorage" / "state.vscdb")
    assert exchange.cwd == "/home/dev/lantern"
    workspace.write_text('{"workspace": "file:///home/dev/all/lamps.code-workspace"}')
    (exchange,) = exchanges(CURSOR, storage / "globalStorage" / "state.vscdb")
    assert exchange.cwd == "/home/dev/all"


def test_the_folder_of_a_transcript_is_a_known_one(tmp_path: Path) -> None:
    """A project's name there can't be turned back into a path; known folders are turned into such names."""
    for slug in ("home-dev-my-lantern", "home-dev-other"):
        path = tmp_path / ".cursor" / "projects" / slug / "agent-transcripts" / "t1.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"role": "user", "message": {"content": "trim it"}}) + "\n")
    found = CURSOR.locate(Env(tmp_path, {}, (Path("/home/dev/my.lantern"),)))
    assert [source.workspace for source in found] == ["/home/dev/my.lantern", None]


def node(*children: bytes) -> bytes:
    """A tree node: a protobuf message whose fields are ids of children."""
    return b"".join(b"\x0a\x20" + child for child in children) + b"\x10\x96\x01" + b"\x1a\x03abc"


def cli_store(path: Path, *messages: Row, meta: Row | None = None) -> Path:
    """A CLI's ``store.db``: messages are leaves of a tree of two levels; the first stands there twice."""
    blobs: dict[bytes, bytes] = {}

    def kept(data: bytes) -> bytes:
        blobs[sha256(data).digest()] = data
        return sha256(data).digest()

    leaves = [kept(json.dumps(message).encode()) for message in messages]
    root = kept(node(kept(node(*leaves[:2])), leaves[0], *leaves[2:], b"\x00" * 32))
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE meta (key TEXT, value TEXT)")
        connection.execute("CREATE TABLE blobs (id TEXT, data BLOB)")
        told = {"agentId": "cli-1", "latestRootBlobId": root.hex(), "name": "Wicks", "createdAt": 1_772_600_400_000}
        connection.execute("INSERT INTO meta VALUES ('0', ?)", (json.dumps(told | (meta or {})).encode().hex(),))
        connection.executemany("INSERT INTO blobs VALUES (?, ?)", ((each.hex(), data) for each, data in blobs.items()))
    return path


CHAT = (
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": [{"type": "text", "text": "<user_query>\ntrim it\n</user_query>"}]},
    {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "StrReplace", "args": SWAP}],
    },
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "result": "Replaced."}]},
    {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Trimmed."}]},
    {"role": "user", "content": "<user_query>thanks</user_query>"},
)


def test_the_store_of_the_cli(tmp_path: Path) -> None:
    path = cli_store(tmp_path / "chats" / "hash" / "cli-1" / "store.db", *CHAT)
    path.with_name("meta.json").write_text('{"cwd": "/home/dev/lantern"}')
    first, second = exchanges(CURSOR, path)
    assert (first.prompt, second.prompt, first.cwd) == ("trim it", "thanks", "/home/dev/lantern")
    assert (words(first), tools(first)) == (["Trimmed."], [("StrReplace", "lamp.py", True)])
    assert [edit.path for edit in first.edits] == ["lamp.py"]
    told = session(CURSOR, path)
    assert (told.id, told.title, told.started_at) == ("cli-1", "Wicks", "2026-03-04T05:00:00.000Z")


@pytest.mark.parametrize("meta", [{"latestRootBlobId": "absent"}, {"latestRootBlobId": ""}])
def test_a_store_without_its_root_is_empty(tmp_path: Path, meta: Row) -> None:
    assert items(CURSOR, cli_store(tmp_path / "store.db", *CHAT, meta=meta)) == []


def test_a_store_that_refers_to_itself_ends(tmp_path: Path) -> None:
    path = cli_store(tmp_path / "store.db", *CHAT)
    with closing(sqlite3.connect(path)) as connection, connection:
        own = b"\x07" * 32
        connection.execute("INSERT INTO blobs VALUES (?, ?)", (own.hex(), node(own, own)))
        told = json.dumps({"latestRootBlobId": own.hex()}).encode().hex()
        connection.execute("UPDATE meta SET value = ?", (told,))
    assert items(CURSOR, path) == []


def test_a_store_of_another_make_is_a_problem(tmp_path: Path) -> None:
    path = store(tmp_path / "store.db", {"a": "b"}, "other")
    assert "it has no meta" in problems(CURSOR, path)[0].reason
