"""Claude Code's transcripts: what a row is, what an exchange holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pastwork.model import Edit, Hunk
from pastwork.transcripts.claude_code import CLAUDE_CODE as READER
from tests.transcripts.made import (
    PLACE,
    SESSION,
    Row,
    answers,
    asks,
    calls,
    claude,
    clock,
    patched,
    results,
    uuid,
    write,
)
from tests.transcripts.reading import exchanges, found, items, problems, session, tools, turns, words

DATA = Path(__file__).parent.parent / "data" / "claude-code"


def told(tmp_path: Path, *rows: Row) -> list[Any]:
    return exchanges(READER, write(tmp_path / f"{SESSION}.jsonl", *rows))


def queue(number: int, operation: str, content: str | None = None, **more: Any) -> Row:
    row = {"type": "queue-operation", "operation": operation, "timestamp": clock(number), "sessionId": SESSION}
    return row | ({} if content is None else {"content": content}) | more


def queued(number: int, prompt: Any, **more: Any) -> Row:
    return claude("attachment", number, None, attachment={"type": "queued_command", "prompt": prompt} | more)


def test_an_invented_session_whole() -> None:
    """The sample in tests/data: two exchanges with edits, a failed one, a shell command and a title."""
    first, second = exchanges(READER, DATA / f"{SESSION}.jsonl")
    assert first.prompt == "The ripeness test fails on Mondays, please find out why."
    assert words(first) == [
        "I'll look at the test first.",
        "`ripe()` counts from Sunday. I made it count from the harvest day.",
    ]
    assert tools(first) == [
        ("Read", "src/ripe.py", True),
        ("Edit", "src/ripe.py", True),
        ("Bash", "pytest -q tests/test_ripe.py", True),
    ]
    assert first.reads == (f"{PLACE}/src/ripe.py",)
    (edit,) = first.edits
    assert edit.evidence == "patch"
    assert edit.hunks == (
        Hunk((" def ripe(day):", "-    return day % 7 > 3", "+    return days_since(HARVEST, day) > 3"), 11, 11),
    )
    assert [(each.path, each.action, each.evidence) for each in second.edits] == [
        (f"{PLACE}/docs/ripeness.md", "created", "content")
    ]
    assert tools(second)[0] == ("Write", "docs/ripeness.md", False)
    assert (first.model, first.branch, first.cwd) == ("claude-pear-4", "fix-mondays", PLACE)
    assert session(READER, DATA / f"{SESSION}.jsonl").title == "Ripeness on Mondays"
    assert problems(READER, DATA / f"{SESSION}.jsonl") == []


@pytest.mark.parametrize(
    ("content", "more", "prompt"),
    [
        ("fix it", {}, "fix it"),
        ([{"type": "text", "text": "fix it"}], {}, "fix it"),
        ([{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"type": "text", "text": "b"}], {}, "a\nb"),
        ([{"type": "image", "source": {"data": "…"}}], {}, "[image]"),
        ([{"type": "document", "source": {}}], {}, "[document]"),
        ("<ide_opened_file>a.py is open</ide_opened_file>\nfix it", {}, "fix it"),
        ("fix it", {"origin": {"kind": "human"}, "promptSource": "typed"}, "fix it"),
        ("fix it", {"promptSource": "sdk"}, "fix it"),
        ("fix it", {"isMeta": True}, None),
        ("fix it", {"isCompactSummary": True}, None),
        ("fix it", {"isVisibleInTranscriptOnly": True}, None),
        ("fix it", {"isSidechain": True}, None),
        ("fix it", {"origin": {"kind": "task-notification"}}, None),
        ("fix it", {"promptSource": "system"}, None),
        ("<bash-input>git status</bash-input>", {}, None),
        ("[Request interrupted by user]", {}, None),
        ("   ", {}, None),
        (None, {}, None),
        ([None, 3, {"type": "text"}, {"type": "text", "text": 7}], {}, None),
        (["wow"], {}, None),
    ],
)
def test_prompts(tmp_path: Path, content: Any, more: Row, prompt: str | None) -> None:
    got = told(tmp_path, asks(1, content, **more), answers(2, "yes"))
    assert [exchange.prompt for exchange in got] == ([] if prompt is None else [prompt])


def command(number: int, name: str, given: str = "") -> Row:
    text = f"<command-message>{name} is running…</command-message>\n<command-name>/{name}</command-name>"
    return asks(number, text + (f"\n<command-args>{given}</command-args>" if given else ""))


@pytest.mark.parametrize(
    ("rows", "prompts"),
    [
        pytest.param(
            [command(1, "review", "PR 12, please"), answers(2, "ok")], ["PR 12, please"], id="arguments are the prompt"
        ),
        pytest.param(
            [command(1, "review"), asks(2, "You are …", isMeta=True), answers(3, "ok")], ["/review"], id="its name else"
        ),
        pytest.param(
            [command(1, "model", "pear"), asks(2, "<local-command-stdout>Set</local-command-stdout>"), answers(3, "?")],
            [],
            id="run by the program",
        ),
        pytest.param([command(1, "exit")], [], id="nobody worked on it"),
        pytest.param(
            [command(1, "clear"), asks(2, "next"), answers(3, "ok")], ["next"], id="only the next prompt counts"
        ),
        pytest.param(
            [
                command(1, "login"),
                answers(
                    2,
                    "No response requested.",
                    message={
                        "role": "assistant",
                        "model": "<synthetic>",
                        "content": [{"type": "text", "text": "No response requested."}],
                    },
                ),
            ],
            [],
            id="no model answered",
        ),
    ],
)
def test_slash_commands(tmp_path: Path, rows: list[Row], prompts: list[str]) -> None:
    assert [exchange.prompt for exchange in told(tmp_path, *rows)] == prompts


@pytest.mark.parametrize(
    ("rows", "asides"),
    [
        ([queued(3, "and a test")], ["and a test"]),
        (
            [queued(3, [{"type": "text", "text": "and a test"}], commandMode="prompt", origin={"kind": "human"})],
            ["and a test"],
        ),
        ([queued(3, "ls", commandMode="bash")], []),
        ([queued(3, "<task-notification>x</task-notification>", commandMode="prompt")], []),
        ([queued(3, "and a test", origin={"kind": "task-notification"})], []),
        ([queue(3, "enqueue", "and a test"), queue(4, "remove")], ["and a test"]),
        ([queue(3, "enqueue", "and a test"), queue(4, "remove", reason="absorbed_mid_turn")], ["and a test"]),
        ([queue(3, "enqueue", "and a test"), queue(4, "remove", reason="edited")], []),
        ([queue(3, "enqueue", "and a test"), queue(4, "popAll", "and a test")], []),
        ([queue(3, "enqueue", "and a test"), queue(4, "dequeue")], []),
        ([queue(3, "enqueue", "and a test")], []),
        (
            [queue(3, "enqueue", "one"), queue(3, "enqueue", "two"), queue(4, "remove", "two"), queue(5, "remove")],
            ["two", "one"],
        ),
        ([queue(3, "enqueue", "and a test"), queue(4, "remove"), queued(5, "and a test")], ["and a test"]),
        ([queue(3, "enqueue", "/ide"), queue(4, "remove")], []),
        ([queue(3, "enqueue", "/home/dev/x is wrong"), queue(4, "remove")], ["/home/dev/x is wrong"]),
        (
            [
                calls(3, "Bash", {"command": "ls"}),
                asks(
                    4,
                    [
                        {"type": "tool_result", "tool_use_id": "toolu_3", "content": "x"},
                        {"type": "text", "text": "and a test"},
                    ],
                ),
            ],
            ["and a test"],
        ),
    ],
)
def test_prompts_typed_while_the_agent_works(tmp_path: Path, rows: list[Row], asides: list[str]) -> None:
    (exchange,) = told(tmp_path, asks(1, "go"), answers(2, "working"), *rows, answers(9, "done"))
    assert words(exchange, "user") == ["go", *asides]


def test_a_queued_prompt_answered_on_its_own_is_an_exchange(tmp_path: Path) -> None:
    got = told(
        tmp_path,
        asks(1, "go"),
        queue(2, "enqueue", "and then this"),
        answers(3, "done"),
        queue(4, "dequeue"),
        asks(5, "and then this"),
        answers(6, "done too"),
    )
    assert [(each.prompt, words(each)) for each in got] == [("go", ["done"]), ("and then this", ["done too"])]


def test_what_a_person_says_when_refusing_a_tool_is_theirs(tmp_path: Path) -> None:
    refused = "The user doesn't want to proceed with this tool use. … To tell you how, the user said:\nuse the helper"
    (exchange,) = told(
        tmp_path, asks(1, "go"), calls(2, "Edit", edit_input()), results(3, "toolu_2", refused, failed=True)
    )
    assert words(exchange, "user") == ["go", "use the helper"]
    assert exchange.edits == ()


def edit_input(path: str = f"{PLACE}/a.py") -> Row:
    return {"file_path": path, "old_string": "x = 1\n", "new_string": "x = 2\n"}


CHANGED = Hunk(("-x = 1", "+x = 2"))


@pytest.mark.parametrize(
    ("name", "given", "result", "output", "edits"),
    [
        pytest.param(
            "Edit",
            edit_input(),
            patched(f"{PLACE}/a.py", (7, 7, ["-x = 1", "+x = 2", "\\ No newline at end of file"])),
            "updated",
            [("a.py", "edited", "patch", (Hunk(("-x = 1", "+x = 2"), 7, 7),))],
            id="numbered hunks",
        ),
        pytest.param("Edit", edit_input(), None, "updated", [("a.py", "edited", "text", (CHANGED,))], id="texts only"),
        pytest.param("Edit", edit_input(), "odd", "updated", [("a.py", "edited", "text", (CHANGED,))], id="odd result"),
        pytest.param(
            "MultiEdit",
            {
                "file_path": f"{PLACE}/a.py",
                "edits": [{"old_string": "x = 1", "new_string": "x = 2"}, {"old_string": "", "new_string": "y"}],
            },
            None,
            "updated",
            [("a.py", "edited", "text", (CHANGED, Hunk(("+y",))))],
            id="several texts",
        ),
        pytest.param(
            "Write",
            {"file_path": f"{PLACE}/n.md", "content": "# N\n"},
            {"type": "create", "filePath": f"{PLACE}/n.md", "content": "# N\n", "structuredPatch": []},
            "File created successfully at: n.md",
            [("n.md", "created", "content", (Hunk(("+# N",), None, 1),))],
            id="a new file",
        ),
        pytest.param(
            "Write",
            {"file_path": f"{PLACE}/n.md", "content": "# N\n"},
            None,
            "File created successfully at: n.md",
            [("n.md", "created", "content", (Hunk(("+# N",), None, 1),))],
            id="a new file, told in words",
        ),
        pytest.param(
            "Write",
            {"file_path": f"{PLACE}/n.md", "content": "# N\n"},
            None,
            "The file n.md has been updated.",
            [("n.md", "edited", "content", (Hunk(("+# N",), None, 1),))],
            id="written over",
        ),
        pytest.param(
            "Write",
            {"file_path": f"{PLACE}/n.md", "content": "# N\n"},
            {"type": "update", "filePath": f"{PLACE}/n.md", "content": "# N\n", "structuredPatch": []},
            "updated",
            [],
            id="written over with the same",
        ),
        pytest.param(
            "NotebookEdit",
            {"notebook_path": f"{PLACE}/n.ipynb", "new_source": "x = 2"},
            None,
            "ok",
            [("n.ipynb", "edited", "text", (Hunk(("+x = 2",)),))],
            id="a cell",
        ),
        pytest.param("Edit", {"file_path": 7}, None, "ok", [], id="no path"),
        pytest.param("Bash", {"command": "sed -i s/1/2/ a.py"}, {"stdout": ""}, "", [], id="a shell command"),
    ],
)
def test_edits(tmp_path: Path, name: str, given: Row, result: Any, output: str, edits: list[Any]) -> None:
    more = {} if result is None else {"toolUseResult": result}
    (exchange,) = told(tmp_path, asks(1, "go"), calls(2, name, given), results(3, "toolu_2", output, **more))
    expected = [
        Edit(f"{PLACE}/{path}", action, hunks, kind, None, clock(2), "toolu_2") for path, action, kind, hunks in edits
    ]
    assert list(exchange.edits) == expected


def test_a_failed_edit_is_none(tmp_path: Path) -> None:
    failed = results(
        3, "toolu_2", "<tool_use_error>not found</tool_use_error>", failed=True, toolUseResult="Error: not found"
    )
    (exchange,) = told(tmp_path, asks(1, "go"), calls(2, "Edit", edit_input()), failed)
    assert exchange.edits == ()
    assert tools(exchange) == [("Edit", "a.py", False)]


def test_an_edit_whose_result_never_came_is_none(tmp_path: Path) -> None:
    (exchange,) = told(tmp_path, asks(1, "go"), calls(2, "Edit", edit_input()))
    assert exchange.edits == ()
    assert exchange.open


def test_a_result_whose_call_is_lost_still_tells_the_edit(tmp_path: Path) -> None:
    result = patched(f"{PLACE}/a.py", (7, 7, ["-x", "+y"]))
    (exchange,) = told(tmp_path, asks(1, "go"), results(3, "toolu_2", "updated", toolUseResult=result))
    assert [edit.path for edit in exchange.edits] == [f"{PLACE}/a.py"]


def test_a_result_that_stands_before_its_call(tmp_path: Path) -> None:
    (exchange,) = told(tmp_path, asks(1, "go"), results(3, "toolu_2", "updated"), calls(2, "Edit", edit_input()))
    assert tools(exchange) == [("Edit", "a.py", True)]
    assert [edit.hunks for edit in exchange.edits] == [(CHANGED,)]


def test_ids_that_a_tool_blotted_out_do_not_mix_calls(tmp_path: Path) -> None:
    (exchange,) = told(
        tmp_path,
        asks(1, "go"),
        calls(2, "Bash", {"command": "one"}, "REDACTED"),
        calls(3, "Bash", {"command": "two"}, "REDACTED"),
        results(4, "REDACTED", "of one"),
        results(5, "REDACTED", "of two", failed=True),
    )
    assert tools(exchange) == [("Bash", "one", True), ("Bash", "two", False)]


def test_one_message_over_several_rows_and_parallel_calls(tmp_path: Path) -> None:
    (exchange,) = told(
        tmp_path,
        asks(1, "go"),
        claude("assistant", 2, [{"type": "thinking", "thinking": "hm"}]),
        answers(3, "\n\n"),
        answers(4, "Two things."),
        calls(5, "Bash", {"command": "one"}),
        calls(6, "Bash", {"command": "two"}),
        results(7, "toolu_6", "of two"),
        results(8, "toolu_5", [{"type": "text", "text": "of"}, {"type": "text", "text": "one"}, {"type": "image"}]),
        answers(9, "Done."),
    )
    assert words(exchange) == ["Two things.", "Done."]
    assert [entry.tool.output for entry in exchange.entries if entry.tool] == ["of\none\n[image]", "of two"]


def test_compaction_goes_on_with_the_same_exchange(tmp_path: Path) -> None:
    kept = {"preservedMessages": {"anchorUuid": uuid(4), "uuids": [uuid(2)], "allUuids": [uuid(2)]}}
    (exchange,) = told(
        tmp_path,
        asks(1, "go"),
        answers(2, "one"),
        claude("system", 3, None, subtype="compact_boundary", compactMetadata=kept, message=None),
        asks(4, "This session is being continued from a previous conversation …", isCompactSummary=True),
        answers(2, "one"),
        answers(5, "two"),
    )
    assert words(exchange) == ["one", "two"]


def test_a_row_told_twice_counts_once(tmp_path: Path) -> None:
    first, second = told(
        tmp_path,
        asks(1, "go"),
        answers(2, "one"),
        answers(2, "one"),
        asks(1, "go"),
        asks(3, "more"),
        asks(1, "go"),
        answers(4, "two"),
    )
    assert (words(first), words(second), second.turn) == (["one"], ["two"], 2)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ([], True),
        ([answers(2, "done")], False),
        (
            [
                answers(
                    2,
                    "let me see",
                    message={"content": [{"type": "text", "text": "let me see"}], "stop_reason": "tool_use"},
                )
            ],
            True,
        ),
        ([calls(2, "Bash", {"command": "x"})], True),
        ([calls(2, "Bash", {"command": "x"}), results(3, "toolu_2")], True),
        ([calls(2, "Bash", {"command": "x"}), asks(3, "[Request interrupted by user for tool use]")], False),
        ([calls(2, "Bash", {"command": "x"}), claude("system", 3, None, subtype="turn_duration", message=None)], False),
    ],
)
def test_open(tmp_path: Path, last: list[Row], expected: bool) -> None:
    (exchange,) = told(tmp_path, asks(1, "go"), *last)
    assert exchange.open is expected


def test_an_error_of_the_service_is_told_but_is_no_model(tmp_path: Path) -> None:
    error = {"role": "assistant", "model": "<synthetic>", "content": [{"type": "text", "text": "Limit reached"}]}
    (exchange,) = told(tmp_path, asks(1, "go"), answers(2, "ok"), answers(3, "", isApiErrorMessage=True, message=error))
    assert words(exchange) == ["ok", "Limit reached"]
    assert exchange.model == "claude-pear-4"


def test_place_and_branch(tmp_path: Path) -> None:
    first, second = told(
        tmp_path,
        asks(1, "go", gitBranch="HEAD"),
        answers(2, "ok"),
        asks(3, "on", cwd=f"{PLACE}/src", gitBranch="dev"),
        answers(4, "ok"),
    )
    assert (first.branch, first.cwd, first.workspace) == ("main", PLACE, PLACE)
    assert (second.branch, second.cwd, second.workspace) == ("dev", f"{PLACE}/src", PLACE)


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        ([], ""),
        ([{"type": "summary", "summary": "of this", "leafUuid": "x"}], "of this"),
        ([{"type": "ai-title", "aiTitle": "A"}, {"type": "summary", "summary": "S"}], "A"),
        ([{"type": "custom-title", "customTitle": "C"}, {"type": "ai-title", "aiTitle": "A"}], "C"),
        ([{"type": "custom-title", "customTitle": "C"}, {"type": "custom-title", "customTitle": "D"}], "D"),
    ],
)
def test_titles(tmp_path: Path, rows: list[Row], title: str) -> None:
    path = write(
        tmp_path / f"{SESSION}.jsonl",
        {"type": "summary", "summary": "of another session"},
        asks(1, "go"),
        answers(2, "ok"),
        *rows,
    )
    assert session(READER, path).title == title


@pytest.mark.parametrize(("name", "expected"), [(SESSION, SESSION), ("notes", "from-the-rows")])
def test_the_session_is_the_files_uuid_else_what_its_rows_say(tmp_path: Path, name: str, expected: str) -> None:
    path = write(tmp_path / f"{name}.jsonl", asks(1, "go", sessionId="from-the-rows"))
    assert [exchange.session_id for exchange in exchanges(READER, path)] == [expected]


def test_a_fork_has_the_same_exchanges(tmp_path: Path) -> None:
    rows = [asks(1, "go"), answers(2, "ok"), asks(3, "on"), answers(4, "ok")]
    other = "5e551011-0000-4000-8000-00000000000b"
    copied = [row | {"sessionId": other, "cwd": "/elsewhere", "gitBranch": "x"} for row in rows]
    original = exchanges(READER, write(tmp_path / f"{SESSION}.jsonl", *rows))
    copy = exchanges(READER, write(tmp_path / f"{other}.jsonl", *copied, asks(5, "new"), answers(6, "ok")))
    assert [each.id for each in copy][:2] == [each.id for each in original]
    assert copy[2].id not in {each.id for each in original}


def test_a_summarisers_session_is_not_remembered(tmp_path: Path) -> None:
    machine = "Summarize this conversation into JSON.\n<transcript>user: SECRET</transcript>"
    got = told(tmp_path, asks(1, machine), answers(2, '{"SECRET": 1}'), asks(3, "fix it"), answers(4, "ok"))
    assert [each.prompt for each in got] == ["fix it"]
    assert "SECRET" not in str(got)


def test_rows_of_unknown_types_are_told_once_and_snapshots_never_read(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.jsonl",
        {"type": "file-history-snapshot", "snapshot": "x"},
        {"type": "mode", "mode": "normal"},
        {"type": "pear"},
        {"type": "pear"},
        {"n": 1},
        asks(1, "go"),
    )
    assert [each.reason for each in problems(READER, path)] == [
        "unknown type of record: pear",
        "a record without a type",
    ]


def test_reading_goes_on_from_any_turn(tmp_path: Path) -> None:
    path = write(
        tmp_path / f"{SESSION}.jsonl",
        asks(1, "go"),
        queue(2, "enqueue", "left over"),
        queue(2, "enqueue", "taken"),
        answers(3, "ok"),
        {"type": "custom-title", "customTitle": "C"},
        queue(4, "dequeue", "taken"),
        asks(5, "go", uuid=None),
        command(6, "review"),
        queue(7, "enqueue", "during the command"),
        asks(8, "expanded", isMeta=True, cwd=f"{PLACE}/src"),
        calls(9, "Edit", edit_input()),
        results(10, "toolu_9", "updated"),
        queue(11, "remove"),
        asks(12, "go", uuid=None),
        answers(13, "ok"),
    )
    whole = turns(READER, path)
    assert [each.exchange.prompt for each in whole] == ["go", "go", "/review", "go"]
    assert words(whole[2].exchange, "user") == ["/review", "left over"]
    for place, turn in enumerate(whole):
        assert turns(READER, path, turn.at) == whole[place:]
    assert (
        session(READER, path)
        == [item for item in items(READER, path, whole[2].at) if type(item).__name__ == "Session"][-1]
    )


def test_where_transcripts_are(tmp_path: Path) -> None:
    projects = tmp_path / ".claude" / "projects"
    live = write(projects / "-home-dev-orchard" / f"{SESSION}.jsonl", asks(1, "go"))
    reset = write(projects / "-home-dev-orchard" / f"{SESSION}.jsonl.reset.1772600000", asks(2, "before"))
    part = write(live.with_suffix("") / "subagents" / "agent-a1.jsonl", asks(3, "x", isSidechain=True))
    flow = write(
        live.with_suffix("") / "subagents" / "workflows" / "wf1" / "agent-a2.jsonl", asks(4, "x", isSidechain=True)
    )
    write(live.with_suffix("") / "subagents" / "workflows" / "wf1" / "journal.jsonl", {"n": 1})
    assert [(each.path, each.parts) for each in found(READER, tmp_path)] == [(live, (part, flow)), (reset, ())]
    assert [each.path for each in found(READER, tmp_path / "nobody", CLAUDE_CONFIG_DIR=str(tmp_path / ".claude"))] == [
        live,
        reset,
    ]
    assert found(READER, tmp_path / "nobody") == []
    assert [each.path for each in READER.within(live)] == [live]
    assert [each.path for each in READER.within(live.parent)] == [live, reset]
    assert [each.path for each in READER.within(tmp_path / ".claude")] == [live]


def test_a_file_set_aside_is_read_as_the_same_session(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl.reset.1772600000", asks(1, "before"), answers(2, "ok"))
    assert [(each.session_id, each.prompt) for each in exchanges(READER, path)] == [(SESSION, "before")]


def test_the_log_of_prompts_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text('{"display":"go","timestamp":1,"project":"/w"}\n')
    assert items(READER, path) == []
