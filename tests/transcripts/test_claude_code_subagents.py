"""Sub-agents' work is told in the exchange that launched them, whatever the layout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pastwork.model import Exchange, Problem
from pastwork.transcripts.base import Source, Turn
from pastwork.transcripts.claude_code import CLAUDE_CODE as READER
from pastwork.transcripts.claude_code_subagents import parts_of
from tests.transcripts.made import PLACE, SESSION, Row, answers, asks, calls, claude, clock, patched, results, write
from tests.transcripts.reading import tools, words

LONG = "a" * 900


def launch(number: int, ref: str = "toolu_task") -> Row:
    return calls(number, "Task", {"description": "Rename pears", "prompt": "Rename all pears"}, ref)


def landed(number: int, ref: str = "toolu_task", **result: str) -> Row:
    return results(number, ref, [{"type": "text", "text": "Renamed."}], toolUseResult={"status": "completed"} | result)


def work(first: int, path: str = f"{PLACE}/pear.py") -> list[Row]:
    """What a sub-agent did: words, a look, an edit and a failed one."""
    side = {"isSidechain": True}
    given = {"file_path": path, "old_string": "pear", "new_string": "PEAR"}
    return [
        asks(first, "Rename all pears", **side),
        answers(first + 1, "I will.", **side),
        calls(first + 2, "Read", {"file_path": path}, **side),
        results(first + 3, f"toolu_{first + 2}", LONG, **side),
        calls(first + 4, "Edit", given, **side),
        results(
            first + 5, f"toolu_{first + 4}", "updated", toolUseResult=patched(path, (3, 3, ["-pear", "+PEAR"])), **side
        ),
        calls(first + 6, "Edit", given, **side),
        results(first + 7, f"toolu_{first + 6}", "not found", failed=True, **side),
        answers(first + 8, "Renamed.", **side),
    ]


BELOW = [
    ("Task", "Rename pears", True),
    ("Read", "↳ pear.py", True),
    ("Edit", "↳ pear.py", True),
    ("Edit", "↳ pear.py", False),
]


def read(path: Path) -> tuple[list[Exchange], list[Problem]]:
    items = list(READER.read(Source("claude-code", path, parts_of(path))))
    return [item.exchange for item in items if isinstance(item, Turn)], [
        each for each in items if isinstance(each, Problem)
    ]


def told(folder: Path, *rows: Row) -> list[Exchange]:
    exchanges, problems = read(write(folder / f"{SESSION}.jsonl", *rows))
    assert problems == []
    return exchanges


def below(folder: Path, name: str) -> Path:
    return folder / SESSION / "subagents" / name


def check(exchange: Exchange) -> None:
    """Calls as a trace, edits and reads as the exchange's own, no words of the sub-agent's."""
    assert tools(exchange) == BELOW
    assert words(exchange) == ["On it.", "Done."]
    assert words(exchange, "user") == ["rename pears"]
    (edit,) = exchange.edits
    assert (edit.path, edit.evidence, edit.hunks[0].new_start) == (f"{PLACE}/pear.py", "patch", 3)
    assert exchange.reads == (f"{PLACE}/pear.py",)
    looked = exchange.entries[3].tool
    assert looked is not None
    assert looked.input_json == json.dumps({"file_path": f"{PLACE}/pear.py"}, separators=(",", ":"))
    assert 0 < len(looked.output) < len(LONG)


def around(*middle: Row) -> list[Row]:
    return [
        asks(1, "rename pears"),
        answers(2, "On it."),
        launch(3),
        *middle,
        answers(40, "Done."),
        asks(50, "thanks"),
        answers(51, "Sure."),
    ]


def test_a_file_named_by_the_launchers_result(tmp_path: Path) -> None:
    write(below(tmp_path, "agent-a1.jsonl"), *work(10))
    check(told(tmp_path, *around(landed(30, agentId="a1")))[0])


def test_a_file_whose_side_file_names_the_call(tmp_path: Path) -> None:
    write(below(tmp_path, "agent-a1.jsonl"), *work(10))
    below(tmp_path, "agent-a1.meta.json").write_text('{"agentType":"dev","toolUseId":"toolu_task"}')
    exchange, after = told(tmp_path, *around(landed(30)))
    assert sorted(tools(exchange)) == sorted(BELOW)
    assert len(exchange.edits) == 1
    assert after.edits == ()


def test_a_file_that_nothing_names_belongs_to_when_it_began(tmp_path: Path) -> None:
    write(below(tmp_path, "agent-a1.jsonl"), *work(10))
    write(below(tmp_path, "agent-a2.jsonl"), *work(60, f"{PLACE}/plum.py"))
    first, second = told(tmp_path, *around(landed(30)))
    assert [edit.path for edit in first.edits] == [f"{PLACE}/pear.py"]
    assert [edit.path for edit in second.edits] == [f"{PLACE}/plum.py"]


def test_a_file_of_a_workflow(tmp_path: Path) -> None:
    write(below(tmp_path, "workflows/wf1/agent-a1.jsonl"), *work(10))
    check(told(tmp_path, *around(landed(30, agentId="a1")))[0])


def test_a_file_beside_the_sessions_own(tmp_path: Path) -> None:
    write(tmp_path / "agent-a1.jsonl", *work(10))
    check(told(tmp_path, *around(landed(30, agentId="a1")))[0])
    assert read(tmp_path / "agent-a1.jsonl") == ([], [])


def test_rows_in_the_sessions_own_file(tmp_path: Path) -> None:
    check(told(tmp_path, *around(*work(10), landed(30)))[0])


def progress(row: Row, number: int) -> Row:
    inner = {key: row[key] for key in ("type", "message", "timestamp", "uuid")}
    data = {"type": "agent_progress", "message": inner, "normalizedMessages": [], "agentId": "a1"}
    return claude("progress", number, None, message=None, data=data)


def test_rows_inside_progress(tmp_path: Path) -> None:
    rows = [progress(row, 10 + number) for number, row in enumerate(work(10))]
    exchange = told(tmp_path, *around(*rows, landed(30)))[0]
    assert tools(exchange) == BELOW
    assert [(edit.path, edit.evidence) for edit in exchange.edits] == [(f"{PLACE}/pear.py", "text")]


def test_progress_and_a_file_tell_the_same_work_once_and_the_file_knows_better(tmp_path: Path) -> None:
    write(below(tmp_path, "agent-a1.jsonl"), *work(10))
    rows = [progress(row, 10 + number) for number, row in enumerate(work(10))]
    check(told(tmp_path, *around(*rows, landed(30, agentId="a1")))[0])


def test_sub_agents_of_sub_agents(tmp_path: Path) -> None:
    write(below(tmp_path, "agent-a2.jsonl"), *work(20, f"{PLACE}/plum.py"))
    inner = [
        launch(12, "toolu_inner") | {"isSidechain": True},
        landed(13, "toolu_inner", agentId="a2") | {"isSidechain": True},
    ]
    write(below(tmp_path, "agent-a1.jsonl"), *inner)
    exchange = told(tmp_path, *around(landed(30, agentId="a1")))[0]
    assert [edit.path for edit in exchange.edits] == [f"{PLACE}/plum.py"]


def test_one_that_still_works_is_told_as_far_as_it_is(tmp_path: Path) -> None:
    write(below(tmp_path, "agent-a1.jsonl"), *work(10)[:6])
    below(tmp_path, "agent-a1.meta.json").write_text('{"toolUseId":"toolu_task"}')
    (exchange,) = told(tmp_path, asks(1, "rename pears"), launch(3))
    assert exchange.open
    assert len(exchange.edits) == 1


def test_its_work_moves_neither_the_place_nor_the_end(tmp_path: Path) -> None:
    rows = [row | {"cwd": "/elsewhere", "gitBranch": "x"} for row in work(10)]
    write(below(tmp_path, "agent-a1.jsonl"), *rows)
    first, second = told(tmp_path, *around(landed(30, agentId="a1")))
    assert (first.cwd, first.branch, second.cwd, second.branch) == (PLACE, "main", PLACE, "main")
    assert first.ended_at == clock(40)


def test_damage_in_its_file_is_told_with_that_file(tmp_path: Path) -> None:
    part = write(below(tmp_path, "agent-a1.jsonl"), *work(10))
    part.write_bytes(b'{"type":"user","mess\n' + part.read_bytes())
    path = write(tmp_path / f"{SESSION}.jsonl", *around(landed(30, agentId="a1")))
    exchanges, problems = read(path)
    check(exchanges[0])
    assert [(problem.path, problem.offset) for problem in problems] == [(str(part), 0)]


@pytest.mark.parametrize("name", ["../../etc/passwd", "gone", "a1/b"])
def test_a_name_that_leads_nowhere_is_no_harm(tmp_path: Path, name: str) -> None:
    exchange = told(tmp_path, *around(landed(30, agentId=name)))[0]
    assert tools(exchange) == BELOW[:1]


def test_going_on_from_a_turn_tells_the_same(tmp_path: Path) -> None:
    write(below(tmp_path, "agent-a1.jsonl"), *work(10))
    write(below(tmp_path, "agent-a2.jsonl"), *work(60, f"{PLACE}/plum.py"))
    path = write(tmp_path / f"{SESSION}.jsonl", *around(landed(30)))
    source = Source("claude-code", path, parts_of(path))
    whole = [item for item in READER.read(source) if isinstance(item, Turn)]
    for place, turn in enumerate(whole):
        assert [item for item in READER.read(source, turn.at) if isinstance(item, Turn)] == whole[place:]
