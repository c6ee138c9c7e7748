"""The turns, calls and edits of agents that keep lines or documents: one table each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pastwork.model import Exchange
from pastwork.transcripts.amp import AMP
from pastwork.transcripts.antigravity import ANTIGRAVITY
from pastwork.transcripts.base import Reader
from pastwork.transcripts.continue_dev import CONTINUE
from pastwork.transcripts.droid import DROID
from pastwork.transcripts.exports import CHATGPT, CLAUDE_AI
from pastwork.transcripts.goose import GOOSE
from pastwork.transcripts.junie import JUNIE
from pastwork.transcripts.kimi import KIMI_CLI, KIMI_CODE
from pastwork.transcripts.kiro import KIRO
from pastwork.transcripts.qwen import QWEN
from pastwork.transcripts.vibe import VIBE
from tests.transcripts import made
from tests.transcripts.reading import exchanges, tools, words

Row = dict[str, Any]
SWAP: Row = {"path": "a.py", "old_str": "9", "new_str": "4"}
#: What is told of one exchange: prompt, answers, calls.
Told = tuple[str, list[str], list[tuple[str, str, bool | None]]]
EDITED: list[tuple[str, str, bool | None]] = [("edit", "a.py", True)]


def shown(found: list[Exchange]) -> list[Told]:
    return [(each.prompt, words(each), tools(each)) for each in found]


def lines(reader: Reader, tmp_path: Path, *rows: Any, name: str = "s1/events.jsonl") -> list[Exchange]:
    return exchanges(reader, made.write(tmp_path / name, *rows))


def document(reader: Reader, tmp_path: Path, value: Any, name: str = "s1.json") -> list[Exchange]:
    path = tmp_path / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return exchanges(reader, path)


def call(kind: str = "function", arguments: Any = SWAP) -> Row:
    """A call as OpenAI's interface has it."""
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", kind: {"name": "edit", "arguments": arguments}}],
    }


ASK: Row = {"role": "user", "content": "trim it"}
OPENAI: list[tuple[list[Row], list[Told]]] = [
    ([ASK, {"role": "assistant", "content": "Done."}], [("trim it", ["Done."], [])]),
    ([{"role": "system", "content": "x"}, ASK], [("trim it", [], [])]),
    ([{"role": "user", "content": "x", "injected": True}, ASK], [("trim it", [], [])]),
    (
        [{"role": "user", "content": [{"type": "text", "text": "trim"}, {"type": "text", "text": "it"}]}],
        [("trim\nit", [], [])],
    ),
    ([ASK, call(), {"role": "tool", "tool_call_id": "c1", "content": "ok"}], [("trim it", [], EDITED)]),
    (
        [ASK, call(arguments=json.dumps(SWAP)), {"role": "tool", "tool_call_id": "c1", "content": "ok"}],
        [("trim it", [], EDITED)],
    ),
    (
        [ASK, call(), {"role": "tool", "tool_call_id": "c1", "content": "Error: no such file"}],
        [("trim it", [], [("edit", "a.py", False)])],
    ),
    ([ASK, call()], [("trim it", [], [("edit", "a.py", None)])]),
    ([ASK, call(kind="odd")], [("trim it", [], [("", "", None)])]),
    ([{"role": "tool", "tool_call_id": "c9", "content": "early"}, ASK], [("trim it", [], [])]),
]


@pytest.mark.parametrize(("messages", "expected"), OPENAI)
def test_messages_of_openais_interface(messages: list[Row], expected: list[Told], tmp_path: Path) -> None:
    assert shown(lines(VIBE, tmp_path, *messages, name="s1/messages.jsonl")) == expected
    assert (
        shown(document(CONTINUE, tmp_path, {"sessionId": "s1", "history": [{"message": each} for each in messages]}))
        == expected
    )


@pytest.mark.parametrize(
    ("status", "ok"), [("done", True), ("errored", False), ("canceled", False), ("generating", None)]
)
def test_continue_knows_how_calls_went(status: str, ok: bool | None, tmp_path: Path) -> None:
    history = [{"message": ASK}, {"message": call(), "toolCallStates": [{"status": status}]}]
    assert shown(document(CONTINUE, tmp_path, {"history": history})) == [("trim it", [], [("edit", "a.py", ok)])]


USE: Row = {"type": "tool_use", "id": "c1", "name": "edit", "input": SWAP}
TEXT: Row = {"type": "text", "text": "trim it"}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([("user", "trim it"), ("assistant", "Done.")], [("trim it", ["Done."], [])]),
        (
            [("user", [TEXT]), ("assistant", [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "Done."}])],
            [("trim it", ["Done."], [])],
        ),
        (
            [
                ("user", [TEXT]),
                ("assistant", [USE]),
                ("user", [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]),
            ],
            [("trim it", [], EDITED)],
        ),
        (
            [
                ("user", [TEXT]),
                ("assistant", [USE]),
                ("user", [{"type": "tool_result", "toolUseID": "c1", "content": [{"type": "text", "text": "ok"}]}]),
            ],
            [("trim it", [], EDITED)],
        ),
        (
            [
                ("user", [TEXT]),
                ("assistant", [USE]),
                ("user", [{"type": "tool_result", "tool_use_id": "c1", "is_error": True}]),
            ],
            [("trim it", [], [("edit", "a.py", False)])],
        ),
        (
            [
                ("user", [TEXT]),
                ("assistant", [USE]),
                ("user", [{"type": "tool_result", "toolUseID": "c1", "run": {"status": "done", "result": "ok"}}]),
            ],
            [("trim it", [], EDITED)],
        ),
        (
            [
                ("user", [TEXT]),
                ("assistant", [USE]),
                (
                    "user",
                    [{"type": "tool_result", "toolUseID": "c1", "run": {"status": "error", "error": {"message": "x"}}}],
                ),
            ],
            [("trim it", [], [("edit", "a.py", False)])],
        ),
        ([("user", [TEXT]), ("assistant", [5, "odd", USE])], [("trim it", [], [("edit", "a.py", None)])]),
        ([("user", "<system-reminder>x</system-reminder>"), ("user", [TEXT])], [("trim it", [], [])]),
        ([("info", "x"), ("user", 5)], []),
    ],
)
def test_messages_of_anthropics_interface(
    messages: list[tuple[str, Any]], expected: list[Told], tmp_path: Path
) -> None:
    listed = [{"role": role, "content": content} for role, content in messages]
    assert shown(document(AMP, tmp_path, {"id": "T-1", "messages": listed})) == expected
    rows = [{"type": "message", "id": made.uuid(at), "message": each} for at, each in enumerate(listed)]
    assert shown(lines(DROID, tmp_path, *rows)) == expected


STEPS: list[tuple[list[Row], list[Told]]] = [
    (
        [
            {
                "source": "USER_EXPLICIT",
                "content": "<USER_REQUEST>\ntrim it\n</USER_REQUEST>\n<ADDITIONAL_METADATA>{}</ADDITIONAL_METADATA>",
            }
        ],
        [("trim it", [], [])],
    ),
    ([{"source": "USER_EXPLICIT", "content": "<USER_REQUEST>trim it"}], [("trim it", [], [])]),
    (
        [{"source": "USER_EXPLICIT", "content": "trim it"}, {"source": "MODEL", "content": "Done."}],
        [("trim it", ["Done."], [])],
    ),
    ([{"source": "USER_IMPLICIT", "content": "x"}, {"source": "SYSTEM", "content": "x"}], []),
]


@pytest.mark.parametrize(("rows", "expected"), STEPS)
def test_antigravitys_prompts(rows: list[Row], expected: list[Told], tmp_path: Path) -> None:
    assert shown(lines(ANTIGRAVITY, tmp_path, *rows)) == expected


@pytest.mark.parametrize(
    ("results", "ok"),
    [
        (["Edited."], [True, None]),
        (["Error: no", "read"], [False, True]),
        ([], [None, None]),
        (["a", "b", "c"], [True, True, True]),
    ],
)
def test_antigravitys_results_come_in_order(results: list[str], ok: list[bool | None], tmp_path: Path) -> None:
    given = {
        name: json.dumps(value)
        for name, value in {"TargetFile": "a.py", "TargetContent": "9", "ReplacementContent": "4"}.items()
    }
    calls = [
        {"name": "replace_file_content", "args": given},
        {"name": "view_file", "args": {"AbsolutePath": '"b.py"', "toolSummary": '"x"'}},
    ]
    rows = [
        {"source": "USER_EXPLICIT", "content": "trim it"},
        {"source": "MODEL", "type": "PLANNER_RESPONSE", "tool_calls": calls},
        *({"source": "MODEL", "type": "CODE_ACTION", "content": text} for text in results),
    ]
    (exchange,) = lines(ANTIGRAVITY, tmp_path, *rows)
    assert [each for _, _, each in tools(exchange)] == ok
    assert bool(exchange.edits) is (ok[0] is True)


def test_antigravitys_short_log_stands_in_only_for_the_full_one(tmp_path: Path) -> None:
    row = {"source": "USER_EXPLICIT", "content": "trim it"}
    short = made.write(tmp_path / "c1" / ".system_generated" / "logs" / "transcript.jsonl", row)
    assert [each.session_id for each in exchanges(ANTIGRAVITY, short)] == ["c1"]
    made.write(short.with_name("transcript_full.jsonl"), row)
    assert exchanges(ANTIGRAVITY, short) == []


def junie(kind: str, **event: Any) -> Row:
    return {"kind": "SessionA2uxEvent", "event": {"agentEvent": {"kind": f"{kind}BlockUpdatedEvent", **event}}}


JUNIES: list[tuple[list[Row], Told]] = [
    (
        [junie("Markdown", stepId="1", text="Tr"), junie("Markdown", stepId="1", text="Trimmed.")],
        ("trim it", ["Trimmed."], []),
    ),
    (
        [junie("Markdown", stepId="1", text="Done."), junie("Result", stepId="2", result="<!-- ANSWER -->Done.")],
        ("trim it", ["Done."], []),
    ),
    ([junie("Terminal", stepId="1", command="ls", output="a")], ("trim it", [], [("terminal", "ls", True)])),
    ([junie("FileChanges", stepId="1", changes=[{"afterRelativePath": "a.py"}])], ("trim it", [], EDITED)),
    (
        [
            junie("FileChanges", stepId="1", changes=[{"path": "a.py"}]),
            junie("Result", stepId="2", changes=[{"path": "a.py"}]),
        ],
        ("trim it", [], EDITED),
    ),
    ([junie("Tool", stepId="1", text="Search", details="3 found")], ("trim it", [], [("Tool", "", True)])),
    ([junie("FileChanges", stepId="1", changes=["odd", {}])], ("trim it", [], [])),
]


@pytest.mark.parametrize(("rows", "expected"), JUNIES)
def test_junies_blocks_count_as_told_last(rows: list[Row], expected: Told, tmp_path: Path) -> None:
    asked = {
        "kind": "UserPromptEvent",
        "prompt": "long form",
        "presentablePrompt": "trim it",
        "requestId": made.uuid(1),
    }
    assert shown(lines(JUNIE, tmp_path, asked, *rows)) == [expected]


def kimi(kind: str, **payload: Any) -> Row:
    return {"timestamp": 1_772_600_400.0, "message": {"type": kind, "payload": payload}}


KIMIS: list[tuple[list[Row], list[Told]]] = [
    (
        [kimi("TurnBegin", user_input="trim it"), kimi("ContentPart", type="text", text="Done."), kimi("TurnEnd")],
        [("trim it", ["Done."], [])],
    ),
    (
        [
            kimi("TurnBegin", user_input=[{"type": "text", "text": "trim it"}]),
            kimi("ContentPart", type="think", text="hm"),
        ],
        [("trim it", [], [])],
    ),
    (
        [
            kimi("TurnBegin", user_input="trim it"),
            kimi("ToolCall", id="c1", function={"name": "edit", "arguments": json.dumps(SWAP)}),
            kimi("ToolResult", tool_call_id="c1", return_value={"is_error": False, "output": "ok"}),
        ],
        [("trim it", [], EDITED)],
    ),
    (
        [
            kimi("TurnBegin", user_input="trim it"),
            kimi("ToolCall", id="c1", function={"name": "edit", "arguments": "{"}),
            kimi("ToolResult", tool_call_id="c1", return_value={"is_error": True, "message": "bad"}),
        ],
        [("trim it", [], [("edit", "", False)])],
    ),
]


@pytest.mark.parametrize(("rows", "expected"), KIMIS)
def test_kimi_cli(rows: list[Row], expected: list[Told], tmp_path: Path) -> None:
    assert shown(lines(KIMI_CLI, tmp_path, *rows, name="s1/wire.jsonl")) == expected


def append(text: str, kind: str = "user") -> Row:
    return {"type": "context.append_message", "message": {"role": "user", "content": text, "origin": {"kind": kind}}}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"type": "turn.prompt", "input": "trim it"}, append("trim it")], ["trim it"]),
        ([append("trim it")], ["trim it"]),
        ([{"type": "turn.prompt", "input": "trim it"}, append("a notice", "system")], ["trim it"]),
        ([{"type": "turn.prompt", "input": "x", "origin": {"kind": "cron"}}], []),
        (
            [
                {"type": "turn.prompt", "input": "trim it"},
                {"type": "turn.steer", "input": "sharply"},
                append("sharply"),
            ],
            ["trim it"],
        ),
        (
            [
                {"type": "turn.prompt", "input": "go"},
                append("go"),
                {"type": "turn.ended"},
                {"type": "turn.prompt", "input": "go"},
                append("go"),
            ],
            ["go", "go"],
        ),
    ],
)
def test_kimi_codes_prompts_are_told_twice(rows: list[Row], expected: list[str], tmp_path: Path) -> None:
    assert [each.prompt for each in lines(KIMI_CODE, tmp_path, *rows, name="s1/agents/main/wire.jsonl")] == expected


def goose(role: str, *blocks: Row) -> Row:
    return {"role": role, "created": 1_772_600_400, "content": list(blocks)}


REQUEST: Row = {
    "type": "toolRequest",
    "id": "c1",
    "toolCall": {"status": "success", "value": {"name": "edit", "arguments": SWAP}},
}


@pytest.mark.parametrize(
    ("result", "ok"),
    [
        ({"status": "success", "value": [{"type": "text", "text": "ok"}]}, True),
        ({"status": "success", "value": {"content": [{"type": "text", "text": "ok"}], "isError": False}}, True),
        ({"status": "error", "error": "no such file"}, False),
    ],
)
def test_gooses_results(result: Row, ok: bool, tmp_path: Path) -> None:
    rows = [
        goose("user", TEXT),
        goose("assistant", REQUEST),
        goose("user", {"type": "toolResponse", "id": "c1", "toolResult": result}),
    ]
    (exchange,) = lines(GOOSE, tmp_path, {"working_dir": "/w"}, *rows)
    assert tools(exchange) == [("edit", "a.py", ok)]
    assert [entry.tool.output for entry in exchange.entries if entry.tool] == ["ok" if ok else "no such file"]


def qwen(kind: str, number: int, *parts: Row, **more: Any) -> Row:
    return {
        "type": kind,
        "uuid": made.uuid(number),
        "timestamp": made.clock(number),
        "message": {"parts": list(parts)},
        **more,
    }


QWENS: list[tuple[list[Row], list[Told]]] = [
    (
        [
            qwen("user", 1, {"text": "trim it"}),
            qwen("assistant", 2, {"text": "hm", "thought": True}, {"text": "Done."}),
        ],
        [("trim it", ["Done."], [])],
    ),
    ([qwen("user", 1, {"text": "trim it\n@a.py"}, systemPayload={"displayText": "trim it"})], [("trim it", [], [])]),
    ([qwen("user", 1, {"text": "trim it"}, {"text": "<qwen:user-prompt-submit-context>x"})], [("trim it", [], [])]),
    ([qwen("user", 1, {"text": "trim it"}), qwen("user", 1, {"text": "trim it"})], [("trim it", [], [])]),
    (
        [
            qwen("user", 1, {"text": "trim it"}),
            qwen("assistant", 2, {"functionCall": {"id": "c1", "name": "edit", "args": SWAP}}),
            qwen("tool_result", 3, {"functionResponse": {"id": "c1", "response": {"output": "ok"}}}),
        ],
        [("trim it", [], EDITED)],
    ),
    (
        [
            qwen("user", 1, {"text": "trim it"}),
            qwen("assistant", 2, {"functionCall": {"id": "c1", "name": "edit", "args": SWAP}}),
            qwen("tool_result", 3, {"functionResponse": {"id": "c1", "response": {"error": "no"}}}),
        ],
        [("trim it", [], [("edit", "a.py", False)])],
    ),
]


@pytest.mark.parametrize(("rows", "expected"), QWENS)
def test_qwen(rows: list[Row], expected: list[Told], tmp_path: Path) -> None:
    assert shown(lines(QWEN, tmp_path, *rows)) == expected


def kiro(kind: str, *content: Row) -> Row:
    return {"kind": kind, "data": {"content": list(content), "meta": {"timestamp": 1_772_600_400}}}


def test_kiros_lines(tmp_path: Path) -> None:
    use = {"kind": "toolUse", "data": {"toolUseId": "c1", "name": "edit", "input": SWAP}}
    result = {
        "kind": "toolResult",
        "data": {"toolUseId": "c1", "content": [{"kind": "text", "data": "ok"}], "status": "success"},
    }
    rows = (
        kiro("Prompt", {"kind": "text", "data": "trim it"}),
        kiro("AssistantMessage", {"kind": "text", "data": "Trimming."}, use),
        kiro("ToolResults", result),
    )
    assert shown(lines(KIRO, tmp_path, *rows)) == [("trim it", ["Trimming."], EDITED)]


def chatgpt(current: str, *nodes: tuple[str, str | None, str, Any]) -> list[Row]:
    """A conversation of nodes: (id, parent, role, parts)."""
    tree = {
        own: {"parent": parent, "message": {"author": {"role": role}, "content": {"parts": parts}}}
        for own, parent, role, parts in nodes
    }
    return [{"id": "c1", "title": "Wicks", "create_time": 1_772_600_400, "current_node": current, "mapping": tree}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (chatgpt("2", ("1", None, "user", ["how?"]), ("2", "1", "assistant", ["So."])), [("how?", ["So."], [])]),
        (
            chatgpt(
                "3", ("1", None, "user", ["how?"]), ("2", "1", "assistant", ["old"]), ("3", "1", "assistant", ["new"])
            ),
            [("how?", ["new"], [])],
        ),
        (chatgpt("1", ("1", "1", "user", ["loop"])), [("loop", [], [])]),
        (chatgpt("9", ("1", None, "user", ["how?"])), []),
        (chatgpt("1", ("1", None, "user", ["see", {"type": "image"}, {"text": "this"}, 5])), [("see\nthis", [], [])]),
        ([{"id": "odd"}, 5, {"mapping": 5}], []),
        ({"not": "a list"}, []),
    ],
)
def test_chatgpts_current_branch(value: Any, expected: list[Told], tmp_path: Path) -> None:
    assert shown(document(CHATGPT, tmp_path, value, "conversations.json")) == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([{"sender": "human", "text": "how?"}, {"sender": "assistant", "text": "So."}], [("how?", ["So."], [])]),
        ([{"sender": "human", "content": [{"type": "text", "text": "how?"}]}], [("how?", [], [])]),
        (["odd", {"sender": 5}], []),
    ],
)
def test_claude_ai(messages: list[Any], expected: list[Told], tmp_path: Path) -> None:
    value = [{"uuid": "u1", "name": "Wicks", "chat_messages": messages}]
    assert shown(document(CLAUDE_AI, tmp_path, value, "conversations.json")) == expected


def test_an_archive_of_the_other_program_tells_nothing(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(chatgpt("1", ("1", None, "user", ["how?"]))))
    assert exchanges(CLAUDE_AI, path) == []
    path.write_text('[{"uuid": "u1", "chat_messages": [{"sender": "human", "text": "how?"}]}]')
    assert exchanges(CHATGPT, path) == []
