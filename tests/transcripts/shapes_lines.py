"""Invented transcripts of JSON lines of every agent that writes such: each row knows the exchange it tells of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pastwork.transcripts.antigravity import ANTIGRAVITY
from pastwork.transcripts.base import Reader
from pastwork.transcripts.claude_code import CLAUDE_CODE
from pastwork.transcripts.codex import CODEX
from pastwork.transcripts.copilot_cli import COPILOT_CLI
from pastwork.transcripts.cursor import CURSOR
from pastwork.transcripts.droid import DROID
from pastwork.transcripts.gemini import GEMINI
from pastwork.transcripts.goose import GOOSE
from pastwork.transcripts.junie import JUNIE
from pastwork.transcripts.kimi import KIMI_CLI, KIMI_CODE
from pastwork.transcripts.kiro import KIRO
from pastwork.transcripts.pi import OH_MY_PI, PI
from pastwork.transcripts.qwen import QWEN
from pastwork.transcripts.vibe import VIBE
from pastwork.transcripts.vscode_copilot import VSCODE_COPILOT
from tests.transcripts import made
from tests.transcripts.damage import Line, line

Row = dict[str, Any]
#: A row of an agent: what it is (asks, calls, results, answers), its number, and the exchange's mark.
Rows = Callable[[str, int, str], Row]
THREAD = "019f0000-0000-7000-8000-00000000000a"


def marker(exchange: int) -> str:
    return f"MARK{exchange}X"


def swap(mark: str) -> Row:
    """The arguments of an edit."""
    return {"path": f"/w/{mark}", "old_str": "a", "new_str": "b"}


def pick(kind: str, **rows: Any) -> Any:
    return rows[kind]


def lines(rows: Rows, exchanges: int) -> list[Line]:
    """Each exchange: a prompt, an edit with its result, an answer."""
    found = []
    for number in range(exchanges):
        first, mark = 10 * number, marker(number)
        found += [
            line(rows("asks", first + 1, mark), number, marker=mark),
            line(rows("calls", first + 2, mark), number),
            line(rows("results", first + 3, mark), number),
            line(rows("answers", first + 4, mark), number, marker=mark),
        ]
    return found


def claude_lines(exchanges: int) -> list[Line]:
    """Each exchange: a prompt, a call with its edit, noise, an answer."""
    found = []
    for number in range(exchanges):
        first, mark = 10 * number, marker(number)
        given = {"file_path": f"/w/{mark}", "old_string": "a", "new_string": "b"}
        found += [
            line({"type": "file-history-snapshot", "messageId": str(first), "snapshot": {"files": {}}}),
            line(made.asks(first + 1, f"{mark} please"), number, marker=mark),
            line(made.calls(first + 2, "Edit", given), number),
            line({"type": "progress", "data": {"type": "bash_progress", "output": "…"}, "uuid": made.uuid(first + 3)}),
            line(made.results(first + 4, f"toolu_{first + 2}", "updated"), number),
            line(made.answers(first + 5, f"{mark} is done"), number, marker=mark),
        ]
    return found


def codex_lines(exchanges: int) -> list[Line]:
    """Each exchange: a turn's rows, both carriers of both messages, a call with its result."""
    found = [line(made.header(THREAD))]
    for number in range(exchanges):
        first, mark, turn = 10 * number, marker(number), f"turn-{number}"
        change = {f"/w/{mark}": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n"}}
        told: Row = {"type": "patch_apply_end", "call_id": f"c{first}", "success": True, "changes": change}
        found += [
            *(line(row, number) for row in made.begins(first + 1, turn)),
            *(line(row, number, marker=mark) for row in made.both(first + 2, "user", f"{mark} please")),
            line(made.codex("event_msg", first + 3, type="token_count", info=None)),
            line(made.codex("event_msg", first + 4, **told), number),
            *(line(row, number, marker=mark) for row in made.both(first + 5, "assistant", f"{mark} is done")),
            line(made.ends(first + 6, turn, f"{mark} is done"), number, marker=mark),
        ]
    return found


def copilot(kind: str, number: int, mark: str) -> Row:
    data = pick(
        kind,
        asks={"content": f"{mark} please"},
        calls={"toolCallId": f"c{number}", "toolName": "edit", "arguments": swap(mark)},
        results={"toolCallId": f"c{number - 1}", "success": True, "result": {"content": "ok"}},
        answers={"content": f"{mark} is done"},
    )
    types = {"asks": "user.message", "calls": "tool.execution_start", "results": "tool.execution_complete"}
    return {
        "type": types.get(kind, "assistant.message"),
        "data": data,
        "id": made.uuid(number),
        "timestamp": made.clock(number),
    }


def pi(kind: str, number: int, mark: str) -> Row:
    told = pick(
        kind,
        asks={"role": "user", "content": f"{mark} please"},
        calls={
            "role": "assistant",
            "content": [{"type": "toolCall", "id": f"c{number}", "name": "edit", "arguments": swap(mark)}],
        },
        results={"role": "toolResult", "toolCallId": f"c{number - 1}", "content": "ok"},
        answers={"role": "assistant", "content": f"{mark} is done", "stopReason": "stop"},
    )
    return {"type": "message", "timestamp": made.clock(number), "message": told | {"timestamp": 1.7e12 + number}}


def droid(kind: str, number: int, mark: str) -> Row:
    content = pick(
        kind,
        asks=f"{mark} please",
        calls=[{"type": "tool_use", "id": f"c{number}", "name": "edit", "input": swap(mark)}],
        results=[{"type": "tool_result", "tool_use_id": f"c{number - 1}", "content": "ok"}],
        answers=f"{mark} is done",
    )
    role = "user" if kind in ("asks", "results") else "assistant"
    told = {"role": role, "content": content}
    return {"type": "message", "id": made.uuid(number), "timestamp": made.clock(number), "message": told}


def droid_stream(kind: str, number: int, mark: str) -> Row:
    """What ``droid exec`` prints."""
    told = pick(
        kind,
        asks={"type": "message", "role": "user", "text": f"{mark} please"},
        calls={"type": "tool_call", "toolCallId": f"c{number}", "toolName": "edit", "parameters": swap(mark)},
        results={"type": "tool_result", "toolCallId": f"c{number - 1}", "value": "ok", "isError": False},
        answers={"type": "message", "role": "assistant", "text": f"{mark} is done"},
    )
    return {"id": made.uuid(number), "timestamp": made.clock(number)} | told


def qwen(kind: str, number: int, mark: str) -> Row:
    part = pick(
        kind,
        asks={"text": f"{mark} please"},
        calls={"functionCall": {"id": f"c{number}", "name": "edit", "args": swap(mark)}},
        results={"functionResponse": {"id": f"c{number - 1}", "response": {"output": "ok"}}},
        answers={"text": f"{mark} is done"},
    )
    kinds = {"asks": "user", "results": "tool_result"}
    return {
        "type": kinds.get(kind, "assistant"),
        "uuid": made.uuid(number),
        "timestamp": made.clock(number),
        "message": {"parts": [part]},
    }


def goose_block(kind: str, number: int, mark: str) -> Row:
    value = {"name": "edit", "arguments": swap(mark)}
    found: Row = pick(
        kind,
        asks={"type": "text", "text": f"{mark} please"},
        calls={"type": "toolRequest", "id": f"c{number}", "toolCall": {"status": "success", "value": value}},
        results={"type": "toolResponse", "id": f"c{number - 1}", "toolResult": {"status": "success", "value": []}},
        answers={"type": "text", "text": f"{mark} is done"},
    )
    return found


def goose(kind: str, number: int, mark: str) -> Row:
    role = "user" if kind in ("asks", "results") else "assistant"
    content = [goose_block(kind, number, mark)]
    return {"id": made.uuid(number), "role": role, "created": 1772600400 + number, "content": content}


def gemini(kind: str, number: int, mark: str) -> Row:
    """A call and its result are one row; the row in the result's place is a notice."""
    call = {"id": f"c{number}", "name": "edit", "args": swap(mark), "status": "success"}
    told = pick(
        kind,
        asks={"type": "user", "content": f"{mark} please"},
        calls={"type": "gemini", "content": "", "toolCalls": [call]},
        results={"type": "info", "content": "a notice"},
        answers={"type": "gemini", "content": f"{mark} is done"},
    )
    return {"id": made.uuid(number), "timestamp": made.clock(number)} | told


def kimi_cli(kind: str, number: int, mark: str) -> Row:
    function = {"name": "edit", "arguments": swap(mark)}
    kinds = {"asks": "TurnBegin", "calls": "ToolCall", "results": "ToolResult", "answers": "ContentPart"}
    payload = pick(
        kind,
        asks={"user_input": f"{mark} please"},
        calls={"type": "function", "id": f"c{number}", "function": function},
        results={"tool_call_id": f"c{number - 1}", "return_value": {"is_error": False, "output": "ok"}},
        answers={"type": "text", "text": f"{mark} is done"},
    )
    return {"timestamp": 1772600400 + number, "message": {"type": kinds[kind], "payload": payload}}


def kimi_code(kind: str, number: int, mark: str) -> Row:
    event = pick(
        kind,
        asks=None,
        calls={"type": "tool.call", "toolCallId": f"c{number}", "name": "edit", "args": swap(mark)},
        results={"type": "tool.result", "toolCallId": f"c{number - 1}", "result": {"output": "ok"}},
        answers={"type": "content.part", "part": {"type": "text", "text": f"{mark} is done"}},
    )
    if event is None:
        return {"type": "turn.prompt", "time": 1772600400000 + number, "input": f"{mark} please"}
    return {"type": "context.append_loop_event", "time": 1772600400000 + number, "event": event}


def cursor(kind: str, number: int, mark: str) -> Row:
    """Results are not recorded; in their place stands a row that says nothing."""
    block = pick(
        kind,
        asks={"type": "text", "text": f"<user_query>\n{mark} please\n</user_query>"},
        calls={"type": "tool_use", "name": "StrReplace", "input": swap(mark)},
        results={"type": "text", "text": ""},
        answers={"type": "text", "text": f"{mark} is done"},
    )
    return {"role": "user" if kind == "asks" else "assistant", "message": {"content": [block]}}


def vibe(kind: str, number: int, mark: str) -> Row:
    call = {"id": f"c{number}", "function": {"name": "edit", "arguments": swap(mark)}}
    found: Row = pick(
        kind,
        asks={"role": "user", "content": f"{mark} please"},
        calls={"role": "assistant", "content": "", "tool_calls": [call]},
        results={"role": "tool", "tool_call_id": f"c{number - 1}", "content": "ok"},
        answers={"role": "assistant", "content": f"{mark} is done"},
    )
    return found


def antigravity(kind: str, number: int, mark: str) -> Row:
    """A result belongs to the call before it."""
    told = pick(
        kind,
        asks={
            "source": "USER_EXPLICIT",
            "type": "USER_INPUT",
            "content": f"<USER_REQUEST>{mark} please</USER_REQUEST>",
        },
        calls={
            "source": "MODEL",
            "type": "PLANNER_RESPONSE",
            "tool_calls": [{"name": "edit_file", "args": swap(mark)}],
        },
        results={"source": "MODEL", "type": "CODE_ACTION", "content": "ok"},
        answers={"source": "MODEL", "type": "PLANNER_RESPONSE", "content": f"{mark} is done"},
    )
    return told | {"created_at": made.clock(number)}


def kiro(kind: str, number: int, mark: str) -> Row:
    kinds = {"asks": "Prompt", "results": "ToolResults"}
    piece = pick(
        kind,
        asks={"kind": "text", "data": f"{mark} please"},
        calls={"kind": "toolUse", "data": {"toolUseId": f"c{number}", "name": "write", "input": swap(mark)}},
        results={"kind": "toolResult", "data": {"toolUseId": f"c{number - 1}", "content": [], "status": "success"}},
        answers={"kind": "text", "data": f"{mark} is done"},
    )
    data = {"content": [piece], "meta": {"timestamp": 1772600400 + number}}
    return {"kind": kinds.get(kind, "AssistantMessage"), "data": data}


def junie(kind: str, number: int, mark: str) -> Row:
    event = pick(
        kind,
        asks=None,
        calls={
            "kind": "FileChangesBlockUpdatedEvent",
            "stepId": f"s{number}",
            "changes": [{"afterRelativePath": f"/w/{mark}"}],
        },
        results={"kind": "TerminalBlockUpdatedEvent", "stepId": f"s{number}", "command": "ls", "output": "ok"},
        answers={"kind": "MarkdownBlockUpdatedEvent", "stepId": f"s{number}", "text": f"{mark} is done"},
    )
    moment = {"timestampMs": 1772600400000 + number}
    if event is None:
        return {"kind": "UserPromptEvent", "requestId": made.uuid(number), "prompt": f"{mark} please"} | moment
    return {"kind": "SessionA2uxEvent", "event": {"agentEvent": event}} | moment


@dataclass(frozen=True)
class Shape:
    """``told``: a bad time is a problem (some agents' may be numbers, some rows have none).

    ``own``: prompts have ids of the agent's own, so that a copied row is known as one; ``ordered``: a
    result is found by its place, so that rows in another order are other calls.
    """

    reader: Reader
    name: str
    lines: Callable[[int], list[Line]]
    told: bool = True
    own: bool = True
    ordered: bool = False


def rowed(reader: Reader, rows: Rows, name: str = "s1.jsonl", **more: bool) -> Shape:
    return Shape(reader, name, lambda exchanges: lines(rows, exchanges), **more)


SHAPES: dict[str, Shape] = {
    "claude-code": Shape(CLAUDE_CODE, f"{made.SESSION}.jsonl", claude_lines),
    "codex": Shape(CODEX, f"rollout-2026-03-04T05-00-00-{THREAD}.jsonl", codex_lines),
    "copilot-cli": rowed(COPILOT_CLI, copilot),
    "pi": rowed(PI, pi),
    "oh-my-pi": rowed(OH_MY_PI, pi),
    "droid": rowed(DROID, droid, told=False),
    "droid-stream": rowed(DROID, droid_stream, told=False),
    "qwen-code": rowed(QWEN, qwen),
    "goose": rowed(GOOSE, goose, told=False),
    "gemini-cli": rowed(GEMINI, gemini),
    "kimi-cli": rowed(KIMI_CLI, kimi_cli, told=False, own=False),
    "kimi-code": rowed(KIMI_CODE, kimi_code, told=False, own=False),
    "cursor": rowed(CURSOR, cursor, told=False, own=False),
    "mistral-vibe": rowed(VIBE, vibe, told=False, own=False),
    "antigravity": rowed(ANTIGRAVITY, antigravity, told=False, own=False, ordered=True),
    "kiro": rowed(KIRO, kiro, told=False, own=False),
    "junie": rowed(JUNIE, junie, told=False),
    "vscode-copilot": rowed(VSCODE_COPILOT, copilot, "transcripts/s1.jsonl"),
}
