"""Invented transcripts of the agents that keep no JSON lines: documents, databases, trees of files, Markdown.

An ``Items`` shape is one JSON value with a list of items in it; it is a file, or one row of a database.
A ``Rows`` shape keeps each item in a row or file of its own.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pastwork.transcripts.aider import AIDER
from pastwork.transcripts.amp import AMP
from pastwork.transcripts.base import Reader
from pastwork.transcripts.cline import CLINE, ROO_CODE
from pastwork.transcripts.codex import CODEX
from pastwork.transcripts.continue_dev import CONTINUE
from pastwork.transcripts.cursor import CURSOR
from pastwork.transcripts.exports import CHATGPT, CLAUDE_AI
from pastwork.transcripts.gemini import GEMINI
from pastwork.transcripts.goose import GOOSE
from pastwork.transcripts.kiro import KIRO
from pastwork.transcripts.opencode import OPENCODE
from pastwork.transcripts.specstory import SPECSTORY
from pastwork.transcripts.vscode_copilot import VSCODE_COPILOT
from pastwork.transcripts.zed import ZED
from tests.transcripts import made, shapes_lines
from tests.transcripts.damage import Line, line
from tests.transcripts.shapes_lines import marker, pick, swap

Row = dict[str, Any]
Write = Callable[[Path, bytes], None]


def items(rows: shapes_lines.Rows) -> Callable[[int], list[Line]]:
    return lambda exchanges: shapes_lines.lines(rows, exchanges)


def as_file(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def as_row(script: str, insert: str) -> Write:
    """The value is one row of a database."""

    def write(path: Path, data: bytes) -> None:
        with_rows(path, script, [(insert, (data,))])

    return write


def with_rows(path: Path, script: str, rows: Sequence[tuple[str, tuple[Any, ...]]]) -> None:
    """A database anew: what the script makes, and the rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(script)
    for insert, values in rows:
        connection.execute(insert, values)
    connection.commit()
    connection.close()


# --- one value with a list in it -------------------------------------------------------------------------------


def anthropic(kind: str, number: int, mark: str) -> Row:
    """Content blocks as Amp, Cline and Roo Code keep them."""
    block = pick(
        kind,
        asks={"type": "text", "text": f"{mark} please"},
        calls={"type": "tool_use", "id": f"c{number}", "name": "edit", "input": swap(mark)},
        results={"type": "tool_result", "tool_use_id": f"c{number - 1}", "content": "ok"},
        answers={"type": "text", "text": f"{mark} is done"},
    )
    return {"role": "user" if kind in ("asks", "results") else "assistant", "content": [block]}


def cline(kind: str, number: int, mark: str) -> Row:
    told = pick(
        kind,
        asks={"type": "say", "say": "user_feedback", "text": f"{mark} please"},
        calls={"type": "say", "say": "tool", "text": json.dumps({"tool": "editedExistingFile", "path": f"/w/{mark}"})},
        results={"type": "say", "say": "api_req_started", "text": "{}"},
        answers={"type": "say", "say": "text", "text": f"{mark} is done"},
    )
    return {"ts": 1772600400000 + number} | told


def openai(kind: str, number: int, mark: str) -> Row:
    """Continue's steps."""
    call = {"id": f"c{number}", "function": {"name": "edit", "arguments": json.dumps(swap(mark))}}
    told = pick(
        kind,
        asks={"role": "user", "content": f"{mark} please"},
        calls={"role": "assistant", "content": "", "toolCalls": [call]},
        results={"role": "tool", "toolCallId": f"c{number - 1}", "content": "ok"},
        answers={"role": "assistant", "content": f"{mark} is done"},
    )
    return {"message": told}


def zed(kind: str, number: int, mark: str) -> Row | str:
    use = {"id": f"c{number}", "name": "edit_file", "input": swap(mark)}
    done = {f"c{number}": {"tool_use_id": f"c{number}", "is_error": False, "content": "ok"}}
    found: Row | str = pick(
        kind,
        asks={"User": {"id": made.uuid(number), "content": [{"Text": f"{mark} please"}]}},
        calls={"Agent": {"content": [{"ToolUse": use}], "tool_results": done}},
        results="Resume",
        answers={"Agent": {"content": [{"Text": f"{mark} is done"}]}},
    )
    return found


def kiro(kind: str, number: int, mark: str) -> Row:
    use = {"id": f"c{number}", "name": "fs_write", "args": swap(mark)}
    done = {"tool_use_results": [{"tool_use_id": f"c{number - 1}", "content": [], "status": "Success"}]}
    found: Row = pick(
        kind,
        asks={"user": {"content": {"Prompt": {"prompt": f"{mark} please"}}, "timestamp": made.clock(number)}},
        calls={"assistant": {"ToolUse": {"content": "", "tool_uses": [use]}}},
        results={"user": {"content": {"ToolUseResults": done}}},
        answers={"assistant": {"Response": {"content": f"{mark} is done"}}},
    )
    return found


def vscode_lines(exchanges: int) -> list[Line]:
    """A request holds an exchange."""
    return [line(vscode(number), number, marker=marker(number)) for number in range(exchanges)]


def vscode(number: int) -> Row:
    mark = marker(number)
    edit = {"text": "b\n", "range": {"startLineNumber": 1, "startColumn": 1, "endLineNumber": 2}}
    group = {"kind": "textEditGroup", "uri": {"path": f"/w/{mark}"}, "edits": [[edit]]}
    return {
        "requestId": f"request_{made.uuid(number)}",
        "timestamp": 1772600400000 + number,
        "message": {"text": f"{mark} please"},
        "response": [{"value": f"{mark} is done"}, group],
        "result": {},
    }


def export(kind: str, number: int, mark: str) -> Row:
    """Claude.ai's messages; no tools are exported."""
    sender = "human" if kind == "asks" else "assistant"
    words = {"asks": f"{mark} please", "answers": f"{mark} is done"}.get(kind, "")
    return {"uuid": made.uuid(number), "sender": sender, "text": words, "created_at": made.clock(number)}


def chatgpt_lines(exchanges: int) -> list[Line]:
    """A conversation holds an exchange; no tools are exported."""
    found = []
    for number in range(exchanges):
        mark = marker(number)
        asks = {"id": made.uuid(number), "author": {"role": "user"}, "content": {"parts": [f"{mark} please"]}}
        says = {"author": {"role": "assistant"}, "content": {"parts": [f"{mark} is done"]}}
        mapping = {"a": {"message": asks, "parent": None}, "b": {"message": says, "parent": "a"}}
        found.append(line({"id": f"s{number}", "current_node": "b", "mapping": mapping}, number, marker=mark))
    return found


def cursor_lines(exchanges: int) -> list[Line]:
    return [
        line(bubble(*each), each[2], marker=marker(each[2]) if each[0] != "calls" else "") for each in talk(exchanges)
    ]


def talk(exchanges: int) -> list[tuple[str, int, int]]:
    """Kind, number and exchange of each bubble."""
    kinds = ("asks", "calls", "answers")
    return [(kind, 10 * number + place, number) for number in range(exchanges) for place, kind in enumerate(kinds)]


def bubble(kind: str, number: int, exchange: int) -> Row:
    mark = marker(exchange)
    tool = {"name": "search_replace", "rawArgs": json.dumps(swap(mark)), "status": "completed"}
    told = pick(
        kind,
        asks={"type": 1, "text": f"{mark} please"},
        calls={"type": 2, "text": "", "toolFormerData": tool},
        answers={"type": 2, "text": f"{mark} is done"},
    )
    return {"bubbleId": made.uuid(number), "createdAt": 1772600400000 + number} | told


def codex_items(exchanges: int) -> list[Line]:
    """The first era: one object a session."""
    found = []
    for number in range(exchanges):
        mark = marker(number)
        patch = f"*** Begin Patch\n*** Update File: /w/{mark}\n@@\n-a\n+b\n*** End Patch"
        command = {"command": ["apply_patch", patch]}
        call = {"type": "function_call", "name": "shell", "call_id": f"c{number}", "arguments": json.dumps(command)}
        done = {"output": "Success", "metadata": {"exit_code": 0}}
        output = {"type": "function_call_output", "call_id": f"c{number}", "output": json.dumps(done)}
        found += [
            line(message("user", f"{mark} please"), number, marker=mark),
            line(call, number),
            line(output, number),
            line(message("assistant", f"{mark} is done"), number, marker=mark),
        ]
    return found


def message(role: str, text: str) -> Row:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


@dataclass(frozen=True)
class Items:
    """``head`` and ``tail`` stand around the items; ``edits``: the agent records what was changed."""

    reader: Reader
    name: str
    head: str
    tail: str
    lines: Callable[[int], list[Line]]
    write: Write = as_file
    edits: bool = True


THREADS = "CREATE TABLE threads (id TEXT, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)"
KIRO_TABLE = "CREATE TABLE conversations_v2 (key TEXT, value TEXT)"
STATE = "CREATE TABLE ItemTable (key TEXT PRIMARY KEY, value BLOB);"
KEYS = STATE + "CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB);"
TABS = "workbench.panel.aichat.view.aichat.chatdata"
DOCUMENTS: dict[str, Items] = {
    "cline": Items(CLINE, "tasks/17/ui_messages.json", "[", "]", items(cline)),
    "cline-sessions": Items(CLINE, "sessions/s1/s1.messages.json", '{"messages":[', "]}", items(anthropic)),
    "roo-code": Items(ROO_CODE, "tasks/18/api_conversation_history.json", "[", "]", items(anthropic)),
    "continue": Items(CONTINUE, "s1.json", '{"sessionId":"s1","history":[', "]}", items(openai)),
    "amp": Items(AMP, "T-1.json", '{"id":"T-1","messages":[', "]}", items(anthropic)),
    "gemini-cli": Items(GEMINI, "session-1.json", '{"sessionId":"s1","messages":[', "]}", items(shapes_lines.gemini)),
    "vscode-copilot": Items(VSCODE_COPILOT, "s1.json", '{"sessionId":"s1","requests":[', "]}", vscode_lines),
    "kiro-ide": Items(KIRO, "s1.json", '{"sessionId":"s1","history":[', "]}", items(openai)),
    "claude-ai": Items(
        CLAUDE_AI, "conversations.json", '[{"uuid":"u1","chat_messages":[', "]}]", items(export), edits=False
    ),
    "chatgpt": Items(CHATGPT, "conversations.json", "[", "]", chatgpt_lines, edits=False),
    "codex-first": Items(CODEX, "rollout-2025.json", '{"session":{"id":"s1"},"items":[', "]}", codex_items),
    "zed": Items(
        ZED,
        "threads.db",
        '{"version":"0.3.0","messages":[',
        "]}",
        items(zed),  # type: ignore[arg-type]
        as_row(THREADS, "INSERT INTO threads VALUES ('t1', '', '2026-03-04T05:00:00Z', 'json', ?)"),
    ),
    "kiro-cli": Items(
        KIRO,
        "data.sqlite3",
        '{"conversation_id":"s1","history":[',
        "]}",
        items(kiro),
        as_row(KIRO_TABLE, "INSERT INTO conversations_v2 VALUES ('/w', ?)"),
    ),
    "cursor-tabs": Items(
        CURSOR,
        "state.vscdb",
        '{"tabs":[{"tabId":"s1","bubbles":[',
        "]}]}",
        cursor_lines,
        as_row(STATE, f"INSERT INTO ItemTable VALUES ('{TABS}', ?)"),
    ),
}


# --- a row or file of its own for each item --------------------------------------------------------------------

#: A place of a row's data, and the data; the rest of the row comes from the place.
Kept = Sequence[tuple[int, Line]]


def goose(path: Path, kept: Kept) -> None:
    script = """
        CREATE TABLE sessions (id TEXT, name TEXT, description TEXT, session_type TEXT, working_dir TEXT,
                               created_at TEXT, updated_at TEXT);
        CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT,
                               created_timestamp INTEGER);
        INSERT INTO sessions VALUES ('s1', '', '', 'user', '/w', '2026-03-04 05:00:00', '2026-03-04 05:00:09');
    """
    insert = "INSERT INTO messages VALUES (?, 's1', ?, ?, ?)"
    rows = [(insert, (at, role(each), each.data, 1772600400 + at)) for at, each in kept]
    with_rows(path, script, rows)


def role(each: Line) -> str:
    """Goose and OpenCode keep who speaks beside the data; of two glued rows it is the first's."""
    asked, told = each.data.find(b"please"), each.data.find(b" is done")
    user = asked >= 0 and (told < 0 or asked < told)
    return "user" if user or b"toolResponse" in each.data else "assistant"


def goose_lines(exchanges: int) -> list[Line]:
    found = shapes_lines.lines(shapes_lines.goose, exchanges)
    for each in found:
        each.data = json.dumps(json.loads(each.data)["content"]).encode()
    return found


def opencode_part(kind: str, number: int, mark: str) -> Row:
    state = {"status": "completed", "input": swap(mark), "output": "ok", "metadata": {}}
    found: Row = pick(
        kind,
        asks={"type": "text", "text": f"{mark} please"},
        calls={"type": "tool", "callID": f"c{number}", "tool": "edit", "state": state},
        results={"type": "step-finish"},
        answers={"type": "text", "text": f"{mark} is done"},
    )
    return found


def opencode_lines(exchanges: int) -> list[Line]:
    """Parts; the messages around them are whole."""
    return shapes_lines.lines(opencode_part, exchanges)


SESSION = "INSERT INTO session VALUES ('ses_1', NULL, '/w', '', 1772600400000, 1772600409000)"


def opencode_first(path: Path, kept: Kept) -> None:
    """A message for each part."""
    script = """
        CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INT, time_updated INT);
        CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT);
        CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);
    """
    rows: list[tuple[str, tuple[Any, ...]]] = [(SESSION, ())]
    for at, each in kept:
        told = {"role": role(each), "time": {"created": 1772600400000 + at, "completed": 1772600400000 + at}}
        rows += [
            ("INSERT INTO message VALUES (?, 'ses_1', ?, ?)", (made.uuid(at), at, json.dumps(told))),
            ("INSERT INTO part VALUES (?, ?, ?)", (f"prt_{at:05}", made.uuid(at), each.data)),
        ]
    with_rows(path, script, rows)


def opencode_second(path: Path, kept: Kept) -> None:
    script = """
        CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INT, time_updated INT);
        CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INT, time_created INT, data TEXT);
    """
    insert = "INSERT INTO session_message VALUES (?, 'ses_1', ?, ?, ?, ?)"
    rows = [(insert, (made.uuid(at), role(each), at, at, each.data)) for at, each in kept]
    with_rows(path, script, [(SESSION, ()), *rows])


def opencode_messages(exchanges: int) -> list[Line]:
    """The second generation's rows hold their parts."""
    found = opencode_lines(exchanges)
    for each in found:
        part = json.loads(each.data)
        held = {"text": part["text"]} if b"please" in each.data else {"content": [part]}
        each.data = json.dumps({"time": {"created": 1772600400000}} | held).encode()
    return found


def opencode_tree(path: Path, kept: Kept) -> None:
    """A file for each message and part; ``path`` is the session's."""
    storage = path.parents[2]
    as_file(path, b'{"id":"ses_1","directory":"/w","time":{"created":1772600400000}}')
    for at, each in kept:
        own = made.uuid(at)
        told = {"id": own, "role": role(each), "time": {"created": 1772600400000 + at, "completed": 1772600400000 + at}}
        as_file(storage / "message" / "ses_1" / f"{own}.json", json.dumps(told).encode())
        as_file(storage / "part" / own / f"prt_{at:05}.json", each.data)


def cursor_global(path: Path, kept: Kept) -> None:
    """The composer names the bubbles that there are, in order."""
    headers = [{"bubbleId": made.uuid(at)} for at, _ in kept]
    composer = {"composerId": "s1", "createdAt": 1772600400000, "fullConversationHeadersOnly": headers}
    insert = "INSERT INTO cursorDiskKV VALUES (?, ?)"
    rows = [(insert, (f"bubbleId:s1:{made.uuid(at)}", each.data)) for at, each in kept]
    with_rows(path, KEYS, [(insert, ("composerData:s1", json.dumps(composer))), *rows])


def unnamed_bubbles(exchanges: int) -> list[Line]:
    """A bubble's id is in its key."""
    found = cursor_lines(exchanges)
    for each in found:
        told = json.loads(each.data)
        del told["bubbleId"]
        each.data = json.dumps(told).encode()
    return found


@dataclass(frozen=True)
class Rows:
    """``own``: a row's key is its prompt's id."""

    reader: Reader
    name: str
    lines: Callable[[int], list[Line]]
    write: Callable[[Path, Kept], None]
    own: bool = True


ROWS: dict[str, Rows] = {
    "goose": Rows(GOOSE, "sessions.db", goose_lines, goose, own=False),
    "opencode-1": Rows(OPENCODE, "opencode.db", opencode_lines, opencode_first),
    "opencode-2": Rows(OPENCODE, "opencode.db", opencode_messages, opencode_second),
    "opencode-tree": Rows(OPENCODE, "storage/session/p/ses_1.json", opencode_lines, opencode_tree),
    "cursor-global": Rows(CURSOR, "state.vscdb", unnamed_bubbles, cursor_global),
}


# --- logs of changes, and Markdown -----------------------------------------------------------------------------


def mutations(exchanges: int) -> list[Line]:
    """VS Code's log: a request is pushed, then its response set; what is lost moves all that follow."""
    everyone = set(range(exchanges))
    found = [Line(json.dumps({"kind": 0, "v": {"sessionId": "s1", "requests": []}}).encode(), everyone)]
    for number in range(exchanges):
        whole = vscode(number)
        response = whole.pop("response")
        push = {"kind": 2, "k": ["requests"], "v": [whole], "i": number}
        found += [
            Line(json.dumps(push).encode(), set(range(number, exchanges)), marker(number).encode()),
            line(
                {"kind": 1, "k": ["requests", number, "response"], "v": response}, number, marker=f"{marker(number)} is"
            ),
        ]
    return found


def aider_run(number: int) -> str:
    mark = marker(number)
    block = f"w/{mark}.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```"
    return (
        f"# aider chat started at 2026-03-04 05:{number:02}:00\n\n#### {mark} please  \n\n{block}\n\n"
        f"{mark} is done\n\n> Applied edit to w/{mark}.py  \n\n"
    )


def specstory_head(number: int) -> str:
    return (
        "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n<!-- Claude Code Session s1 (2026-03-04 05:00:00Z) -->\n\n"
    )


def specstory_turns(number: int) -> str:
    mark = marker(number)
    tool = (
        f'<tool-use data-tool-type="write" data-tool-name="Write"><details>\n<summary>Tool use: **Write**</summary>\n\n'
        f"File: `/w/{mark}`\n\n```\nb\n```\n\n</details></tool-use>"
    )
    return (
        f"_**User (2026-03-04 05:{number:02}:01Z)**_\n\n{mark} please\n\n---\n\n"
        f"_**Agent (pear-4 2026-03-04 05:{number:02}:02Z)**_\n\n{tool}\n\n{mark} is done\n\n---\n\n"
    )


@dataclass(frozen=True)
class Pages:
    """Markdown: a head, and a piece of text for each exchange; nothing is read before the first ``begin``."""

    reader: Reader
    name: str
    head: str
    piece: Callable[[int], str]
    begin: re.Pattern[bytes]


AIDER_RUN = re.compile(rb"^# aider chat started at [-\d]{10} [:\d]{8}[ \t]*$", re.MULTILINE)
MARKDOWN: dict[str, Pages] = {
    "aider": Pages(AIDER, ".aider.chat.history.md", "", aider_run, AIDER_RUN),
    "specstory": Pages(SPECSTORY, "2026-03-04_05-00-00Z-x.md", specstory_head(0), specstory_turns, re.compile(b"")),
}
