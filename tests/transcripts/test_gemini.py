"""Gemini CLI's logs, replayed, and where the folder comes from."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pastwork.transcripts.base import Env
from pastwork.transcripts.gemini import GEMINI
from tests.transcripts.reading import exchanges, tools

Row = dict[str, Any]
HEADER: Row = {"sessionId": "s1", "startTime": "2026-03-04T05:00:00Z", "kind": "main"}


def asks(own: str, text: str) -> Row:
    return {"id": own, "type": "user", "content": [{"text": text}]}


def says(own: str, text: str, **more: Any) -> Row:
    return {"id": own, "type": "gemini", "content": text, **more}


def log(path: Path, *rows: Row) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in (HEADER, *rows)), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([asks("1", "one"), says("2", "a")], [("one", ["a"])]),
        ([asks("1", "one"), says("2", "a"), says("2", "a whole answer")], [("one", ["a whole answer"])]),
        ([asks("1", "one"), says("2", "a"), asks("3", "two"), {"$rewindTo": "3"}], [("one", ["a"])]),
        ([asks("1", "one"), says("2", "a"), {"$rewindTo": "1"}, asks("4", "anew")], [("anew", [])]),
        ([asks("1", "one"), {"$rewindTo": "unknown"}, asks("4", "anew")], [("anew", [])]),
        ([asks("1", "one"), {"$set": {"messages": [asks("5", "set")]}}, says("6", "b")], [("set", ["b"])]),
        ([asks("1", "one"), {"$set": {"messages": []}}, asks("6", "fresh")], [("fresh", [])]),
        ([asks("1", "one"), {"$set": {"summary": "Wicks"}}, says("2", "a")], [("one", ["a"])]),
        ([asks("1", "one"), {"$set": {"messages": ["odd", asks("5", "kept")]}}], [("kept", [])]),
        ([asks("1", "one"), {"id": "9", "type": "info", "content": "a notice"}], [("one", [])]),
        ([asks("1", "<session_context>\nToday"), asks("2", "one")], [("one", [])]),
        ([{"id": "1", "type": "user", "content": "@a.py fix", "displayContent": "fix"}], [("fix", [])]),
        (
            [
                asks("1", "one"),
                says("2", ""),
                {"id": "3", "type": "gemini", "content": [{"text": "t", "thought": True}, {"text": "a"}]},
            ],
            [("one", ["a"])],
        ),
    ],
)
def test_a_log_is_replayed(rows: list[Row], expected: list[tuple[str, list[str]]], tmp_path: Path) -> None:
    found = exchanges(GEMINI, log(tmp_path / "session-x.jsonl", *rows))
    told = [(each.prompt, [entry.text for entry in each.entries[1:]]) for each in found]
    assert told == expected


@pytest.mark.parametrize(
    ("status", "ok"),
    [("success", True), ("error", False), ("cancelled", False), ("executing", None), ("scheduled", None), (None, None)],
)
def test_how_calls_went(status: str | None, ok: bool | None, tmp_path: Path) -> None:
    call = {"id": "c1", "name": "write_file", "args": {"file_path": "a.py", "content": "x"}, "status": status}
    path = log(tmp_path / "session-x.jsonl", asks("1", "one"), says("2", "", toolCalls=[call, "odd"]))
    (exchange,) = exchanges(GEMINI, path)
    assert tools(exchange) == [("write_file", "a.py", ok)]
    assert len(exchange.edits) == (ok is True)


def locate(home: Path, *projects: Path) -> list[str | None]:
    return [source.workspace for source in GEMINI.locate(Env(home, {}, projects))]


def test_the_folder_from_beside_the_list_or_a_hash(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini" / "tmp"
    hashed = sha256(b"/home/dev/lantern").hexdigest()
    for name in ("named", "listed", hashed, "unknown"):
        log(chats / name / "chats" / "session-x.jsonl", asks("1", "one"))
    (chats / "named" / ".project_root").write_text("/home/dev/named\n")
    (tmp_path / ".gemini" / "projects.json").write_text('{"projects": {"/home/dev/listed": "listed"}}')
    found = dict(
        zip(sorted(("named", "listed", hashed, "unknown")), locate(tmp_path, Path("/home/dev/lantern")), strict=True)
    )
    assert found == {
        "named": "/home/dev/named",
        "listed": "/home/dev/listed",
        hashed: "/home/dev/lantern",
        "unknown": None,
    }
