"""Copilot CLI's events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pastwork.model import Exchange
from pastwork.transcripts.base import Env
from pastwork.transcripts.copilot_cli import COPILOT_CLI
from tests.transcripts import made
from tests.transcripts.reading import exchanges, grown, problems, tools, words

Row = dict[str, Any]


def event(number: int, kind: str, **data: Any) -> Row:
    return {"type": kind, "data": data, "id": made.uuid(number), "timestamp": made.clock(number)}


START = event(0, "session.start", sessionId="s1", context={"cwd": "/w/src", "gitRoot": "/w", "branch": "main"})
ASKED = event(1, "user.message", content="trim it", transformedContent="<now/>\ntrim it")


def read(tmp_path: Path, *rows: Row) -> list[Exchange]:
    return exchanges(COPILOT_CLI, made.write(tmp_path / "s1" / "events.jsonl", START, *rows))


@pytest.mark.parametrize(
    ("rows", "prompts"),
    [
        ([ASKED], ["trim it"]),
        ([ASKED, ASKED], ["trim it"]),
        ([event(1, "user.message", content="x", source="instruction-discovery")], []),
        ([event(1, "user.message", content="x", source="skill-lamp")], []),
        ([event(1, "user.message", content="x", source="user")], ["x"]),
        ([event(1, "user.message", content="<system-reminder>x</system-reminder>")], []),
        ([event(1, "user.message")], []),
        ([ASKED, event(2, "user.message", content="sharply", delivery="steering")], ["trim it"]),
        ([event(2, "user.message", content="alone", delivery="steering")], ["alone"]),
        ([{"type": "user.message"}, {"type": None}, {}], []),
    ],
)
def test_prompts(tmp_path: Path, rows: list[Row], prompts: list[str]) -> None:
    assert [each.prompt for each in read(tmp_path, *rows)] == prompts


def test_place_and_model(tmp_path: Path) -> None:
    moved = event(3, "session.context_changed", cwd="/w/lib", gitRoot="/w", branch="wicks")
    first, second = read(
        tmp_path,
        ASKED,
        event(2, "assistant.message", content="a", model="pear-4"),
        moved,
        event(4, "session.model_change", newModel="plum-5"),
        event(5, "user.message", content="more"),
        event(6, "assistant.message", content="b"),
    )
    assert (first.cwd, first.workspace, first.branch, first.model) == ("/w/src", "/w", "main", "pear-4")
    assert (second.cwd, second.branch, second.model) == ("/w/lib", "wicks", "plum-5")


EDIT = {"path": "/w/src/a.py", "old_str": "9", "new_str": "4"}


@pytest.mark.parametrize("told", ["request", "start", "both"])
def test_a_call_told_once_or_twice_is_one(tmp_path: Path, told: str) -> None:
    request = {"toolCallId": "c1", "name": "edit", "arguments": EDIT}
    asked = event(2, "assistant.message", content="", toolRequests=[request])
    start = event(3, "tool.execution_start", toolCallId="c1", toolName="edit", arguments=EDIT)
    done = event(4, "tool.execution_complete", toolCallId="c1", success=True, result={"content": "Edited."})
    rows = {"request": [asked], "start": [start], "both": [asked, start]}[told]
    (exchange,) = read(tmp_path, ASKED, *rows, done)
    assert tools(exchange) == [("edit", "a.py", True)]
    assert len(exchange.edits) == 1


def test_sub_agents_words_are_left_out_their_calls_are_traces(tmp_path: Path) -> None:
    (exchange,) = read(
        tmp_path,
        ASKED,
        event(2, "assistant.message", content="sub-agent's words", parentToolCallId="c0"),
        event(
            3,
            "tool.execution_start",
            toolCallId="c1",
            toolName="view",
            arguments={"path": "/w/src/a.py"},
            parentToolCallId="c0",
        ),
        event(
            4, "tool.execution_complete", toolCallId="c1", success=True, result={"content": "x"}, parentToolCallId="c0"
        ),
    )
    assert words(exchange) == []
    assert tools(exchange) == [("view", "↳ a.py", True)]
    assert exchange.reads == ("/w/src/a.py",)


@pytest.mark.parametrize(
    ("last", "running"),
    [("assistant.turn_end", False), ("abort", False), ("session.shutdown", False), ("assistant.turn_start", True)],
)
def test_whether_the_agent_is_at_work(tmp_path: Path, last: str, running: bool) -> None:
    (exchange,) = read(tmp_path, ASKED, event(2, "assistant.message", content="a"), event(3, last))
    assert exchange.open is running


def test_unknown_families_are_told_once(tmp_path: Path) -> None:
    rows = (event(2, "lamp.lit"), event(3, "lamp.out"), event(4, "session.something_new"))
    path = made.write(tmp_path / "s1" / "events.jsonl", START, *rows)
    assert [problem.reason for problem in problems(COPILOT_CLI, path)] == ["unknown type of record: lamp"]


def test_it_resumes_wherever_it_is_cut(tmp_path: Path) -> None:
    rows = (
        START,
        ASKED,
        event(2, "assistant.message", content="a"),
        event(3, "user.message", content="b"),
        event(4, "abort"),
    )
    data = made.text_of(*rows)
    path = made.write(tmp_path / "s1" / "events.jsonl", *rows)
    whole = exchanges(COPILOT_CLI, path)
    for cut in range(0, len(data), 23):
        assert grown(COPILOT_CLI, path, data, [cut, cut + 300]) == whole


def test_folders(tmp_path: Path) -> None:
    for place in (
        ".copilot/session-state/s1/events.jsonl",
        ".copilot/history-session-state/s2.jsonl",
        "own/session-state/s3/events.jsonl",
    ):
        made.write(tmp_path / place, START)
    assert [source.path.name for source in COPILOT_CLI.locate(Env(tmp_path, {}))] == ["events.jsonl", "s2.jsonl"]
    (source,) = COPILOT_CLI.locate(Env(tmp_path, {"COPILOT_HOME": str(tmp_path / "own")}))
    assert source.path.parent.name == "s3"
