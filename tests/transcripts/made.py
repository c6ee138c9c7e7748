"""Invented transcript rows, as few fields as their agents write; every text and id is made up here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
SESSION = "5e551011-0000-4000-8000-00000000000a"
PLACE = "/home/dev/orchard"


def text_of(*rows: Row) -> bytes:
    """The rows as JSON lines."""
    return b"".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for row in rows)


def write(path: Path, *rows: Row) -> Path:
    """A transcript of these rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text_of(*rows))
    return path


def clock(number: int) -> str:
    """A time of day for the n-th row."""
    return f"2026-03-04T{5 + number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z"


def uuid(number: int) -> str:
    return f"0c0ffee0-0000-4000-8000-{number:012d}"


def claude(kind: str, number: int, content: Any, **more: Any) -> Row:
    """A Claude Code row of a user or of the agent; the number gives uuid and time."""
    row: Row = {
        "parentUuid": uuid(number - 1) if number else None,
        "isSidechain": False,
        "cwd": PLACE,
        "sessionId": SESSION,
        "gitBranch": "main",
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": uuid(number),
        "timestamp": clock(number),
    }
    if kind == "assistant":
        row["message"]["model"] = "claude-pear-4"
    return row | more


def asks(number: int, content: Any, **more: Any) -> Row:
    return claude("user", number, content, **more)


def answers(number: int, words: str, **more: Any) -> Row:
    return claude("assistant", number, [{"type": "text", "text": words}], **more)


def calls(number: int, name: str, given: Row, ref: str | None = None, **more: Any) -> Row:
    block = {"type": "tool_use", "id": ref or f"toolu_{number}", "name": name, "input": given}
    return claude("assistant", number, [block], **more)


def results(number: int, ref: str, output: Any = "done", *, failed: bool = False, **more: Any) -> Row:
    block: Row = {"type": "tool_result", "tool_use_id": ref, "content": output}
    if failed:
        block["is_error"] = True
    return claude("user", number, [block], **more)


def patched(path: str, *hunks: tuple[int, int, Sequence[str]]) -> Row:
    """The structured result of an edit: (old start, new start, lines) for each hunk."""
    listed = [{"oldStart": old, "newStart": new, "lines": list(lines)} for old, new, lines in hunks]
    return {"filePath": path, "structuredPatch": listed, "originalFile": "…", "userModified": False}


def codex(kind: str, number: int, **payload: Any) -> Row:
    """A Codex row: ``kind`` is the envelope's type."""
    return {"timestamp": clock(number), "type": kind, "payload": payload}


def header(thread: str, **more: Any) -> Row:
    return codex("session_meta", 0, **({"id": thread, "timestamp": clock(0), "cwd": PLACE, "source": "cli"} | more))


def begins(number: int, turn: str) -> list[Row]:
    """A turn's first rows."""
    place = codex("turn_context", number, turn_id=turn, cwd=PLACE, workspace_roots=[PLACE], model="gpt-plum-5")
    return [codex("event_msg", number, type="task_started", turn_id=turn), place]


def ends(number: int, turn: str, last: str | None = None) -> Row:
    return codex("event_msg", number, type="task_complete", turn_id=turn, last_agent_message=last)


def message(number: int, role: str, *texts: str) -> Row:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return codex("response_item", number, type="message", role=role, content=content)


def both(number: int, role: str, text: str) -> list[Row]:
    """A message told by both usual carriers."""
    kind = "user_message" if role == "user" else "agent_message"
    return [message(number, role, text), codex("event_msg", number, type=kind, message=text)]


def runs(number: int, ref: str, command: str) -> Row:
    given = json.dumps({"cmd": command, "workdir": PLACE})
    return codex("response_item", number, type="function_call", name="exec_command", arguments=given, call_id=ref)


def outputs(number: int, ref: str, output: Any, kind: str = "function_call_output") -> Row:
    return codex("response_item", number, type=kind, call_id=ref, output=output)
