"""pi's sessions: its own diffs, forks, results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.model import Exchange, Hunk
from pastwork.transcripts.base import Env
from pastwork.transcripts.pi import OH_MY_PI, PI, numbered
from tests.transcripts import made
from tests.transcripts.reading import exchanges, problems, session, tools

Row = dict[str, Any]
FILE = "2026-03-04T05-00-00-000Z_0a11ce00-0000-4000-8000-000000000021.jsonl"
HEADER: Row = {"type": "session", "id": "s1", "timestamp": made.clock(0), "cwd": "/w"}


def message(number: int, role: str, content: Any, **more: Any) -> Row:
    return {"type": "message", "timestamp": made.clock(number), "message": {"role": role, "content": content, **more}}


def calls(number: int, name: str, ref: str, **arguments: Any) -> Row:
    return message(number, "assistant", [{"type": "toolCall", "id": ref, "name": name, "arguments": arguments}])


def results(number: int, ref: str, text: str = "ok", **more: Any) -> Row:
    return message(number, "toolResult", [{"type": "text", "text": text}], toolCallId=ref, **more)


def read(tmp_path: Path, *rows: Row) -> list[Exchange]:
    return exchanges(PI, made.write(tmp_path / FILE, HEADER, *rows))


@pytest.mark.parametrize(
    ("diff", "expected"),
    [
        ("  1 a\n- 2 b\n+ 2 B\n  3 c", [Hunk((" a", "-b", "+B", " c"), 1, 1)]),
        (" 1 a\n+2 new\n 2 b", [Hunk((" a", "+new", " b"), 1, 1)]),
        ("- 9 x\n-10 y", [Hunk(("-x", "-y"), 9, None)]),
        ("+ 9 x\n+10 y", [Hunk(("+x", "+y"), None, 9)]),
        ("- 2 b\n+ 2 B\n   ...\n- 8 h\n+ 8 H", [Hunk(("-b", "+B"), 2, 2), Hunk(("-h", "+H"), 8, 8)]),
        ("   ...\n- 2 b\n+ 2 B\n   ...", [Hunk(("-b", "+B"), 2, 2)]),
        ("  1 a\n  2 b", []),
        ("  1 a\n-30 b\n+30 B", [Hunk((" a", "-b", "+B"), 29, 29)]),
        ("-2 \n+2 x", [Hunk(("-", "+x"), 2, 2)]),
        ("", []),
        ("no diff", []),
    ],
)
def test_numbered_diffs(diff: str, expected: list[Hunk]) -> None:
    assert list(numbered(diff)) == expected


@given(st.text(alphabet=" +-.123ab\n"))
def test_any_diff(diff: str) -> None:
    for hunk in numbered(diff):
        assert any(line[0] != " " for line in hunk.lines)


def test_an_edit_has_the_numbers_of_its_result(tmp_path: Path) -> None:
    rows = (
        message(1, "user", "trim it"),
        calls(2, "edit", "c1", path="a.py", oldText="9", newText="4"),
        results(3, "c1", details={"diff": "-3 9\n+3 4"}),
        calls(4, "edit", "c2", path="b.py", oldText="9", newText="4"),
        results(5, "c2", isError=True),
    )
    (exchange,) = read(tmp_path, *rows)
    assert [(edit.path, edit.evidence, edit.hunks) for edit in exchange.edits] == [
        ("a.py", "patch", (Hunk(("-9", "+4"), 3, 3),))
    ]
    assert [ok for _, _, ok in tools(exchange)] == [True, False]


@pytest.mark.parametrize("how", ["parentSession", "branchedFrom"])
def test_a_fork_names_its_parent_and_its_copies_are_known(tmp_path: Path, how: str) -> None:
    rows = (message(1, "user", "one"), message(2, "assistant", "a", stopReason="stop"), message(3, "user", "two"))
    whole = read(tmp_path, *rows)
    fork = made.write(
        tmp_path / "fork.jsonl", HEADER | {"id": "s2", how: f"/x/{FILE}"}, *rows[:2], message(9, "user", "three")
    )
    assert next(each.id for each in exchanges(PI, fork)) == whole[0].id
    assert session(PI, fork).parent_id == "0a11ce00-0000-4000-8000-000000000021"


@pytest.mark.parametrize(
    ("reason", "running"), [("stop", False), ("aborted", False), ("error", False), ("toolUse", True), (None, True)]
)
def test_whether_the_agent_is_at_work(tmp_path: Path, reason: str | None, running: bool) -> None:
    (exchange,) = read(tmp_path, message(1, "user", "one"), message(2, "assistant", "a", stopReason=reason))
    assert exchange.open is running


def test_an_unknown_entry_is_told_once(tmp_path: Path) -> None:
    path = made.write(tmp_path / FILE, HEADER, {"type": "lit"}, {"type": "lit"}, {"type": "label"})
    assert [problem.reason for problem in problems(PI, path)] == ["unknown type of record: lit"]


def test_folders(tmp_path: Path) -> None:
    for place in (".pi/agent/sessions/--w--", ".omp/agent/sessions/--w--", "own", "agent/sessions/--w--"):
        made.write(tmp_path / place / FILE, HEADER)
    where = {
        "": [".pi/agent/sessions/--w--"],
        "PI_SESSIONS_DIR": ["own"],
        "PI_CODING_AGENT_DIR": ["agent/sessions/--w--"],
    }
    for variable, expected in where.items():
        named = tmp_path / ("own" if variable == "PI_SESSIONS_DIR" else "agent")
        found = PI.locate(Env(tmp_path, {variable: str(named)}))
        assert [source.path.parent.relative_to(tmp_path).as_posix() for source in found] == expected
    assert len(list(OH_MY_PI.locate(Env(tmp_path, {})))) == 1
