"""Codex's rollouts of every era: what a row is, what an exchange holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from pastwork.model import Edit, Exchange, Hunk
from pastwork.transcripts.codex import CODEX as READER
from tests.transcripts.made import (
    PLACE,
    Row,
    begins,
    both,
    clock,
    codex,
    ends,
    header,
    message,
    outputs,
    runs,
    text_of,
    write,
)
from tests.transcripts.reading import exchanges, found, items, problems, session, tools, turns, words

DATA = Path(__file__).parent.parent / "data" / "codex"
THREAD = "019f0000-0000-7000-8000-00000000000a"
NAME = f"rollout-2026-03-04T05-00-00-{THREAD}.jsonl"
OK = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n3 passed"
PATCH = "*** Begin Patch\n*** Update File: src/ripe.py\n@@\n-a\n+b\n*** End Patch\n"


def told(tmp_path: Path, *rows: Row) -> list[Exchange]:
    return exchanges(READER, write(tmp_path / NAME, header(THREAD), *rows))


def turn(number: int, name: str, prompt: str, *rows: Row) -> list[Row]:
    return [*begins(number, name), *both(number, "user", prompt), *rows, ends(number + 9, name)]


def test_an_invented_session_whole() -> None:
    """The sample in tests/data: a patch that failed and one that did not, and a prompt typed meanwhile."""
    path = next(DATA.glob("rollout-*.jsonl"))
    first, second, third = exchanges(READER, path)
    assert first.prompt == "Add a --dry flag to the picking script"
    assert words(first) == ["I'll read the script.", "`--dry` now only prints."]
    assert tools(first) == [
        ("exec_command", "sed -n 1,80p pick.sh", True),
        ("apply_patch", "pick.sh", False),
        ("apply_patch", "pick.sh", True),
        ("exec_command", "./pick.sh --dry", True),
    ]
    (edit,) = first.edits
    assert (edit.path, edit.evidence, edit.hunks) == (
        f"{PLACE}/pick.sh",
        "patch",
        (Hunk((" set -eu", "+dry=${1:-}", " pick"), 2, 2),),
    )
    assert [(each.path, each.action) for each in second.edits] == [
        (f"{PLACE}/README.md", "edited"),
        (f"{PLACE}/docs/pick.md", "created"),
        (f"{PLACE}/NOTES", "deleted"),
    ]
    assert (third.prompt, words(third), third.open) == ("in German too, please", ["Both are written."], False)
    assert (first.model, first.branch, first.cwd, first.workspace) == ("gpt-plum-5", "dry-run", PLACE, PLACE)
    assert problems(READER, path) == []


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([*both(2, "user", "go"), *both(3, "assistant", "ok")], id="response and event"),
        pytest.param([message(2, "user", "go"), message(3, "assistant", "ok")], id="response only"),
        pytest.param(
            [
                codex("event_msg", 2, type="user_message", message="go"),
                codex("event_msg", 3, type="agent_message", message="ok"),
            ],
            id="event only",
        ),
        pytest.param(
            [
                codex(
                    "event_msg",
                    2,
                    type="item_completed",
                    turn_id="t1",
                    item={"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": "go"}]},
                ),
                codex(
                    "event_msg",
                    3,
                    type="item_completed",
                    turn_id="t1",
                    item={"type": "AgentMessage", "id": "j", "content": [{"type": "Text", "text": "ok"}]},
                ),
            ],
            id="items only",
        ),
        pytest.param(
            [
                codex(
                    "event_msg",
                    2,
                    type="item_completed",
                    turn_id="t1",
                    item={"type": "UserMessage", "content": [{"type": "text", "text": "go"}]},
                ),
                *both(2, "user", "go"),
                *both(3, "assistant", "ok"),
                codex(
                    "event_msg",
                    3,
                    type="item_completed",
                    turn_id="t1",
                    item={"type": "AgentMessage", "content": [{"type": "Text", "text": "ok"}]},
                ),
                ends(4, "t1", "ok"),
            ],
            id="all carriers",
        ),
        pytest.param(
            [
                codex("response_item", 2, role="user", content=[{"type": "input_text", "text": "go"}]),
                codex("response_item", 3, role="assistant", content=[{"type": "output_text", "text": "ok"}]),
            ],
            id="items without a type",
        ),
        pytest.param([*both(2, "user", "go"), ends(3, "t1", "ok")], id="the closing event's copy only"),
    ],
)
def test_a_message_counts_once_whoever_carries_it(tmp_path: Path, rows: list[Row]) -> None:
    (exchange,) = told(tmp_path, *begins(1, "t1"), *rows)
    assert (exchange.prompt, words(exchange), words(exchange, "user")) == ("go", ["ok"], ["go"])


@pytest.mark.parametrize(
    ("texts", "prompt"),
    [
        (["go"], "go"),
        (["# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\ngo\n"], "go"),
        (["<image name=[Image #1]>", "</image>", "go [Image #1]"], "go [Image #1]"),
        (["# AGENTS.md instructions for /w\n<INSTRUCTIONS>…", "<environment_context>…"], None),
        (["<environment_context>\n<cwd>/w</cwd>"], None),
        (["<turn_aborted>\nThe user interrupted"], None),
        (["<user_shell_command>\nls"], None),
        (["<subagent_notification>\n{}"], None),
        ([""], None),
    ],
)
def test_prompts(tmp_path: Path, texts: list[str], prompt: str | None) -> None:
    got = told(tmp_path, message(1, "user", *texts), message(2, "assistant", "ok"))
    assert [each.prompt for each in got] == ([] if prompt is None else [prompt])


def test_a_picture_alone_is_a_prompt(tmp_path: Path) -> None:
    (exchange,) = told(
        tmp_path,
        codex("response_item", 1, type="message", role="user", content=[{"type": "input_image", "image_url": "data:"}]),
    )
    assert exchange.prompt == "[image]"


def test_the_developers_words_are_no_prompt(tmp_path: Path) -> None:
    assert told(tmp_path, message(1, "developer", "be good"), message(2, "system", "be good")) == []


def test_prompts_typed_within_a_turn_are_exchanges_of_their_own(tmp_path: Path) -> None:
    got = told(
        tmp_path,
        *begins(1, "t1"),
        *both(2, "user", "go"),
        *both(3, "assistant", "on it"),
        *both(4, "user", "yes"),
        *both(5, "user", "yes"),
        *both(6, "assistant", "done"),
        ends(7, "t1", "done"),
    )
    assert [(each.prompt, words(each)) for each in got] == [("go", ["on it"]), ("yes", []), ("yes", ["done"])]
    assert len({each.id for each in got}) == 3


@pytest.mark.parametrize(
    ("output", "ok", "text"),
    [
        (OK, True, OK),
        (OK.replace("code 0", "code 1"), False, OK.replace("code 0", "code 1")),
        ("Exit code: 2\nWall time: 0 seconds\nOutput:\nno", False, "Exit code: 2\nWall time: 0 seconds\nOutput:\nno"),
        (
            "Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n",
            None,
            "Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n",
        ),
        ("Plan updated", True, "Plan updated"),
        ("apply_patch verification failed: no", False, "apply_patch verification failed: no"),
        (json.dumps({"output": "no", "metadata": {"exit_code": 1}}), False, "no"),
        (json.dumps({"output": "yes", "metadata": {"exit_code": 0}}), True, "yes"),
        ({"content": "no", "success": False}, False, "no"),
        ([{"type": "input_text", "text": "see"}, {"type": "input_image"}], True, "see[image]"),
        (7, True, "7"),
        (None, True, ""),
    ],
)
def test_outputs(tmp_path: Path, output: Any, ok: bool | None, text: str) -> None:
    (exchange,) = told(tmp_path, *turn(1, "t1", "go", runs(2, "c1", "make"), outputs(3, "c1", output)))
    tool = exchange.entries[1].tool
    assert tool is not None
    assert (tool.name, tool.summary, tool.ok, tool.output) == ("exec_command", "make", ok, text)


def patch_call(number: int, ref: str, text: str = PATCH) -> Row:
    return codex(
        "response_item",
        number,
        type="custom_tool_call",
        name="apply_patch",
        input=text,
        call_id=ref,
        status="completed",
    )


def applied(number: int, ref: str, *, success: bool = True, **changes: Row) -> Row:
    by_path = {f"{PLACE}/{name.replace('_', '/')}.py": change for name, change in changes.items()}
    return codex("event_msg", number, type="patch_apply_end", call_id=ref, success=success, changes=by_path)


DONE = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM src/ripe.py"
UPDATE = {"type": "update", "unified_diff": "@@ -4,2 +4,2 @@\n-a\n+b\n c\n", "move_path": None}
TEXT = Hunk(("-a", "+b"))
NUMBERED = Hunk(("-a", "+b", " c"), 4, 4)


@pytest.mark.parametrize(
    ("rows", "edits"),
    [
        pytest.param(
            [patch_call(2, "c1"), applied(3, "c1", src_ripe=UPDATE), outputs(4, "c1", DONE, "custom_tool_call_output")],
            [("src/ripe.py", "edited", "patch", (NUMBERED,), None)],
            id="applied",
        ),
        pytest.param(
            [patch_call(2, "c1"), outputs(4, "c1", DONE, "custom_tool_call_output")],
            [("src/ripe.py", "edited", "text", (TEXT,), None)],
            id="only asked for and done",
        ),
        pytest.param([patch_call(2, "c1")], [], id="never answered"),
        pytest.param(
            [patch_call(2, "c1"), outputs(4, "c1", "apply_patch verification failed: x", "custom_tool_call_output")],
            [],
            id="failed",
        ),
        pytest.param([patch_call(2, "c1"), applied(3, "c1", success=False, src_ripe=UPDATE)], [], id="not applied"),
        pytest.param(
            [applied(3, "c1", src_ripe=UPDATE)],
            [("src/ripe.py", "edited", "patch", (NUMBERED,), None)],
            id="its call is lost",
        ),
        pytest.param(
            [applied(3, "c1", a={"type": "add", "content": "x\n"}, b={"type": "delete", "content": "y\n"})],
            [
                ("a.py", "created", "content", (Hunk(("+x",), None, 1),), None),
                ("b.py", "deleted", "content", (Hunk(("-y",), 1, None),), None),
            ],
            id="created and deleted",
        ),
        pytest.param(
            [applied(3, "c1", a=UPDATE | {"move_path": f"{PLACE}/b.py"})],
            [("b.py", "edited", "patch", (NUMBERED,), f"{PLACE}/a.py")],
            id="moved",
        ),
        pytest.param(
            [
                codex(
                    "response_item",
                    2,
                    type="function_call",
                    name="shell",
                    call_id="c1",
                    arguments=json.dumps(
                        {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF"], "workdir": f"{PLACE}/sub"}
                    ),
                ),
                outputs(3, "c1", json.dumps({"output": "Success.", "metadata": {"exit_code": 0}})),
            ],
            [("sub/src/ripe.py", "edited", "text", (TEXT,), None)],
            id="in a shell",
        ),
        pytest.param(
            [runs(2, "c1", f"cat <<'EOF' > x.patch\n{PATCH}EOF"), outputs(3, "c1", OK)],
            [],
            id="only written to a file",
        ),
        pytest.param(
            [
                codex(
                    "event_msg",
                    2,
                    type="item_completed",
                    turn_id="t1",
                    item={
                        "type": "FileChange",
                        "id": "c1",
                        "changes": {f"{PLACE}/src/ripe.py": UPDATE},
                        "status": "completed",
                    },
                )
            ],
            [("src/ripe.py", "edited", "patch", (NUMBERED,), None)],
            id="a completed item",
        ),
        pytest.param(
            [
                codex(
                    "event_msg",
                    2,
                    type="item_completed",
                    turn_id="t1",
                    item={
                        "type": "FileChange",
                        "id": "c1",
                        "changes": {f"{PLACE}/src/ripe.py": UPDATE},
                        "status": "failed",
                    },
                )
            ],
            [],
            id="a failed item",
        ),
    ],
)
def test_edits(tmp_path: Path, rows: list[Row], edits: list[Any]) -> None:
    (exchange,) = told(tmp_path, *turn(1, "t1", "go", *rows))
    expected = [(f"{PLACE}/{path}", action, kind, hunks, before) for path, action, kind, hunks, before in edits]
    assert [
        (each.path, each.action, each.evidence, each.hunks, each.previous_path) for each in exchange.edits
    ] == expected


def test_an_edit_knows_its_call_and_time(tmp_path: Path) -> None:
    (exchange,) = told(tmp_path, *turn(1, "t1", "go", patch_call(2, "c1"), applied(3, "c1", src_ripe=UPDATE)))
    assert exchange.edits == (Edit(f"{PLACE}/src/ripe.py", "edited", (NUMBERED,), "patch", None, clock(2), "c1"),)


def test_blotted_out_ids_do_not_mix_calls(tmp_path: Path) -> None:
    (exchange,) = told(
        tmp_path,
        *turn(
            1,
            "t1",
            "go",
            runs(2, "call_REDACTED", "one"),
            runs(3, "call_REDACTED", "two"),
            outputs(4, "call_REDACTED", OK),
            outputs(5, "call_REDACTED", OK.replace("code 0", "code 1")),
        ),
    )
    assert tools(exchange) == [("exec_command", "one", True), ("exec_command", "two", False)]


def item(number: int, **fields: Any) -> Row:
    return codex("event_msg", number, type="item_completed", turn_id="t1", item=fields)


def test_the_items_of_a_paginated_rollout(tmp_path: Path) -> None:
    (exchange,) = told(
        tmp_path,
        *begins(1, "t1"),
        item(2, type="UserMessage", content=[{"type": "text", "text": "go"}]),
        item(3, type="Reasoning", summary_text=["hm"]),
        item(
            4,
            type="CommandExecution",
            id="c1",
            command=["bash", "-lc", "cat a.py"],
            status="completed",
            exit_code=0,
            aggregated_output="x = 1",
            parsed_cmd=[{"type": "read", "path": f"{PLACE}/a.py", "cmd": "cat"}],
        ),
        item(5, type="CommandExecution", id="c2", command=["make"], status="failed", exit_code=2, stderr="no"),
        item(
            6,
            type="McpToolCall",
            id="c3",
            server="wiki",
            tool="ask",
            arguments={"question": "pears?"},
            status="completed",
            result={"content": []},
        ),
        item(7, type="WebSearch", id="c4", query="pears"),
        item(8, type="Plan", id="p", text="1. Pick"),
        item(9, type="AgentMessage", content=[{"type": "Text", "text": "Done."}], phase="final_answer"),
        ends(10, "t1", "Done."),
    )
    assert tools(exchange) == [
        ("exec_command", "cat a.py", True),
        ("exec_command", "make", False),
        ("wiki.ask", "pears?", True),
        ("web_search", "pears", True),
    ]
    assert exchange.reads == (f"{PLACE}/a.py",)
    assert words(exchange) == ["1. Pick", "Done."]


def test_a_call_told_by_response_and_item_counts_once(tmp_path: Path) -> None:
    (exchange,) = told(
        tmp_path,
        *turn(
            1,
            "t1",
            "go",
            runs(2, "c1", "make"),
            item(3, type="CommandExecution", id="c1", command=["make"], exit_code=0, aggregated_output="fine"),
            outputs(4, "c1", OK),
        ),
    )
    assert tools(exchange) == [("exec_command", "make", True)]


OLD = {"id": THREAD, "timestamp": clock(0), "instructions": None, "git": {"branch": "main"}}


def bare(kind: str, **fields: Any) -> Row:
    return {"type": kind, **fields}


def test_the_era_of_bare_items(tmp_path: Path) -> None:
    def said(role: str, text: str) -> Row:
        return bare("message", role=role, content=[{"type": "input_text", "text": text}])

    path = write(
        tmp_path / NAME,
        OLD,
        {"record_type": "state"},
        said("user", f"<environment_context>\n  <cwd>{PLACE}</cwd>\n</environment_context>"),
        said("user", "go"),
        bare("reasoning", summary=[]),
        bare(
            "function_call",
            name="shell",
            call_id="c1",
            arguments=json.dumps({"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF"]}),
        ),
        bare(
            "function_call_output",
            call_id="c1",
            output=json.dumps({"output": "Success.", "metadata": {"exit_code": 0}}),
        ),
        said("assistant", "done"),
        said("user", "go"),
        said("assistant", "again"),
    )
    first, second = exchanges(READER, path)
    assert [(each.prompt, words(each)) for each in (first, second)] == [("go", ["done"]), ("go", ["again"])]
    assert [edit.path for edit in first.edits] == [f"{PLACE}/src/ripe.py"]
    assert (first.session_id, first.branch, first.workspace) == (THREAD, "main", PLACE)
    assert (first.started_at, first.time_source) == (clock(0), "session")
    assert problems(READER, path) == []


def test_the_era_of_whole_documents(tmp_path: Path) -> None:
    path = tmp_path / f"rollout-2025-04-17-{THREAD}.json"
    content = [{"type": "input_text", "text": "go"}]
    answer = [{"type": "output_text", "text": "done"}]
    shell = {"type": "function_call", "name": "shell", "call_id": "c1", "arguments": '{"command":["ls"]}'}
    document = {
        "session": {"id": THREAD, "timestamp": clock(0), "instructions": ""},
        "items": [
            {"type": "message", "role": "user", "content": content},
            shell,
            {"type": "function_call_output", "call_id": "c1", "output": '{"output":"a","metadata":{"exit_code":0}}'},
            {"type": "message", "role": "assistant", "content": answer},
        ],
    }
    path.write_text(json.dumps(document, indent=2))
    (exchange,) = exchanges(READER, path)
    assert (exchange.prompt, words(exchange), tools(exchange)) == ("go", ["done"], [("shell", "ls", True)])
    assert (exchange.session_id, exchange.started_at) == (THREAD, clock(0))
    path.write_text("{")
    assert [problem.offset for problem in problems(READER, path)] == [0]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([*begins(1, "t1"), *both(2, "user", "go"), *both(3, "assistant", "hm")], True),
        ([*begins(1, "t1"), *both(2, "user", "go"), *both(3, "assistant", "ok"), ends(4, "t1")], False),
        (
            [
                *begins(1, "t1"),
                *both(2, "user", "go"),
                codex("event_msg", 3, type="turn_aborted", turn_id="t1", reason="interrupted"),
            ],
            False,
        ),
        ([*both(2, "user", "go"), *both(3, "assistant", "ok")], False),
        ([*both(2, "user", "go")], True),
    ],
)
def test_open(tmp_path: Path, rows: list[Row], expected: bool) -> None:
    assert [each.open for each in told(tmp_path, *rows)] == [expected]


def test_compaction_repeats_no_prompt(tmp_path: Path) -> None:
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}]
    (exchange,) = told(
        tmp_path,
        *begins(1, "t1"),
        *both(2, "user", "go"),
        codex("compacted", 3, message="", replacement_history=history),
        begins(3, "t1")[1],
        codex("event_msg", 3, type="context_compacted"),
        *both(4, "assistant", "ok"),
    )
    assert words(exchange) == ["ok"]


def test_a_rollback_ends_an_exchange_and_forgets_nothing(tmp_path: Path) -> None:
    got = told(
        tmp_path,
        *begins(1, "t1"),
        *both(2, "user", "go"),
        codex("event_msg", 3, type="thread_rolled_back", num_turns=1),
        *turn(4, "t2", "else"),
    )
    assert [(each.prompt, each.open) for each in got] == [("go", False), ("else", False)]


def test_only_the_first_header_tells_the_session(tmp_path: Path) -> None:
    other = "019f0000-0000-7000-8000-00000000000b"
    path = write(
        tmp_path / NAME,
        header(THREAD, git={"branch": "main"}),
        header(other, cwd="/elsewhere"),
        *turn(1, "t1", "go"),
    )
    assert [(each.session_id, each.branch) for each in exchanges(READER, path)] == [(THREAD, "main")]


def test_a_parents_header_is_not_taken_for_a_damaged_one_of_its_own(tmp_path: Path) -> None:
    other = "019f0000-0000-7000-8000-00000000000b"
    path = write(tmp_path / NAME, header(other, cwd="/elsewhere"), header(THREAD), *turn(1, "t1", "go"))
    assert [(each.session_id, each.cwd) for each in exchanges(READER, path)] == [(THREAD, PLACE)]


def test_without_a_header_the_name_tells_the_session(tmp_path: Path) -> None:
    path = write(tmp_path / NAME, *turn(1, "t1", "go"))
    assert [each.session_id for each in exchanges(READER, path)] == [THREAD]


def test_places_models_and_titles_change_by_turn(tmp_path: Path) -> None:
    path = write(
        tmp_path / NAME,
        header(THREAD),
        *turn(1, "t1", "one", *both(2, "assistant", "ok")),
        codex("event_msg", 11, type="task_started", turn_id="t2"),
        codex("turn_context", 11, turn_id="t2", cwd="/home/dev/other", model="gpt-fig"),
        *both(12, "user", "two"),
        *both(13, "assistant", "ok"),
        codex("event_msg", 14, type="thread_name_updated", thread_name="Pears"),
    )
    got = exchanges(READER, path)
    assert [(each.model, each.cwd, each.workspace) for each in got] == [
        ("gpt-plum-5", PLACE, PLACE),
        ("gpt-fig", "/home/dev/other", PLACE),
    ]
    assert session(READER, path).title == "Pears"


def test_a_stray_copy_of_an_older_turns_record_starts_nothing(tmp_path: Path) -> None:
    got = told(
        tmp_path,
        *turn(1, "t1", "one", *both(2, "assistant", "ok")),
        *begins(20, "t2"),
        codex("event_msg", 1, type="task_started", turn_id="t1"),
        *both(21, "user", "two"),
        codex(
            "response_item",
            1,
            type="message",
            role="user",
            content=[{"type": "input_text", "text": "one"}],
            internal_chat_message_metadata_passthrough={"turn_id": "t1"},
        ),
        *both(22, "assistant", "fine"),
    )
    assert [(each.prompt, words(each)) for each in got] == [("one", ["ok"]), ("two", ["fine"])]


def test_unknown_types_are_told_once(tmp_path: Path) -> None:
    path = write(tmp_path / NAME, header(THREAD), codex("pear", 1), codex("pear", 2), {"n": 1}, *turn(3, "t1", "go"))
    assert [each.reason for each in problems(READER, path)] == [
        "unknown type of record: pear",
        "a record without a type",
    ]


def test_reading_goes_on_from_any_turn_plain_or_compressed(tmp_path: Path) -> None:
    rows = [
        header(THREAD, git={"branch": "main"}),
        *turn(1, "t1", "yes", *both(2, "assistant", "ok")),
        *begins(20, "t2"),
        *both(21, "user", "yes"),
        *both(22, "assistant", "ok"),
        *both(23, "user", "yes"),
        *both(23, "user", "no"),
        patch_call(24, "c1"),
        applied(25, "c1", src_ripe=UPDATE),
        *both(26, "assistant", "ok"),
        ends(27, "t2", "ok"),
        message(30, "user", "no turn of its own"),
    ]
    plain = write(tmp_path / NAME, *rows)
    packed = tmp_path / f"{NAME}.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(text_of(*rows)))
    whole = turns(READER, plain)
    assert [each.exchange.prompt for each in whole] == ["yes", "yes", "yes", "no", "no turn of its own"]
    assert turns(READER, packed) == whole
    for place, each in enumerate(whole):
        assert turns(READER, plain, each.at) == whole[place:]
        assert turns(READER, packed, each.at) == whole[place:]


def test_where_rollouts_are(tmp_path: Path) -> None:
    home = tmp_path / ".codex"
    day = home / "sessions" / "2026" / "03" / "04"
    live = write(day / NAME, header(THREAD))
    packed = day / f"{NAME}.zst"
    packed.write_bytes(b"")
    old = home / "sessions" / "rollout-2025-04-17-x.json"
    old.write_text("{}")
    archived = write(home / "archived_sessions" / NAME, header(THREAD))
    (home / "history.jsonl").write_text("{}\n")
    assert [each.path for each in found(READER, tmp_path)] == [live, packed, old, archived]
    assert [each.path for each in found(READER, tmp_path / "nobody", CODEX_HOME=str(home))] == [
        live,
        packed,
        old,
        archived,
    ]
    log = home / "history.jsonl"
    assert {each.path for each in READER.within(home)} == {live, packed, old, archived, log}
    assert items(READER, home / "history.jsonl") == []
