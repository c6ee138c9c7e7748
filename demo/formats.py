"""Writers of transcripts in the agents' own shapes.

Each takes a ``Scene`` and gives (path below the home or the workspace, text). They write what a
reader needs and what a real file carries around it, so that tests read what users have.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from demo.story import Change, Look, Run, Sitting, Step, Talk

Json = dict[str, object]


@dataclass(frozen=True)
class Applied:
    """A change with the file's text before and after it."""

    change: Change
    before: str
    after: str

    def hunks(self) -> list[Json]:
        """Numbered hunks of the change with three lines of context."""
        return list(_hunks(self.before, self.after))

    def unified(self) -> str:
        """The hunks as diff text, without file headers."""
        return "".join(
            f"@@ -{h['oldStart']},{h['oldLines']} +{h['newStart']},{h['newLines']} @@\n"
            + "".join(f"{line}\n" for line in h["lines"])  # type: ignore[attr-defined]
            for h in self.hunks()
        )


@dataclass(frozen=True)
class Scene:
    """One sitting placed in time and space; ``acts`` are its talks with their changes applied."""

    sitting: Sitting
    workspace: str
    start: datetime
    acts: tuple[tuple[Talk, tuple[Step | Applied, ...]], ...]

    def id(self, *parts: object) -> str:
        """A UUID that depends on the sitting and ``parts`` only."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(map(str, ("ferryline", self.sitting.key, *parts)))))

    def moments(self) -> Iterator[tuple[int, datetime]]:
        """Number and start of each talk."""
        at = self.start
        for number, (talk, _) in enumerate(self.acts):
            yield number, at
            at += timedelta(minutes=talk.minutes + 3)


def claude_code(scene: Scene) -> tuple[str, str]:
    """One JSONL file, a row a content block."""
    sitting, session = scene.sitting, scene.id("session")
    rows: list[Json] = []
    parent: str | None = None

    def row(kind: str, at: datetime, body: Json) -> None:
        nonlocal parent
        this = scene.id("row", len(rows))
        rows.append(
            {
                "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": scene.workspace,
                "sessionId": session, "version": "2.1.20", "gitBranch": sitting.branch, "type": kind,
                "uuid": this, "timestamp": _iso(at), **body,
            }
        )  # fmt: skip
        parent = this

    def say(at: datetime, block: Json) -> None:
        message = {"id": f"msg_{scene.id('message', len(rows))[:12]}", "role": "assistant", "type": "message",
                   "model": sitting.model, "content": [block], "stop_reason": None}  # fmt: skip
        row("assistant", at, {"message": message})

    for number, at in scene.moments():
        talk, steps = scene.acts[number]
        row("user", at, {"message": {"role": "user", "content": talk.prompt}, "promptSource": "typed"})
        for place, step in enumerate(steps):
            at += timedelta(seconds=25)
            call = f"toolu_{scene.id('tool', number, place)[:12]}"
            name, given, output, ok, structured = _claude_tool(scene, step)
            say(at, {"type": "tool_use", "id": call, "name": name, "input": given})
            result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": not ok}
            row("user", at + timedelta(seconds=5), {"message": {"role": "user", "content": [result]}, **structured})
        say(at + timedelta(minutes=1), {"type": "text", "text": talk.answer})
    rows.append({"type": "ai-title", "sessionId": session, "aiTitle": sitting.title})
    slug = re.sub(r"[^A-Za-z0-9-]", "-", scene.workspace)
    return f".claude/projects/{slug}/{session}.jsonl", _lines(rows)


def _claude_tool(scene: Scene, step: Step | Applied) -> tuple[str, Json, str, bool, Json]:
    if isinstance(step, Run):
        return "Bash", {"command": step.command}, step.output, step.ok, {}
    if isinstance(step, Look):
        return "Read", {"file_path": f"{scene.workspace}/{step.path}"}, "(file content)", True, {}
    assert isinstance(step, Applied)
    path = f"{scene.workspace}/{step.change.path}"
    if not step.change.old:
        done: Json = {"type": "create", "filePath": path, "content": step.after, "structuredPatch": []}
        return (
            "Write",
            {"file_path": path, "content": step.after},
            f"File created at {path}",
            True,
            {"toolUseResult": done},
        )
    given: Json = {"file_path": path, "old_string": step.change.old, "new_string": step.change.new}
    done = {"filePath": path, "oldString": step.change.old, "newString": step.change.new,
            "originalFile": step.before, "structuredPatch": step.hunks(), "userModified": False}  # fmt: skip
    return "Edit", given, f"The file {path} has been updated.", True, {"toolUseResult": done}


def codex(scene: Scene) -> tuple[str, str]:
    """A rollout with event messages, function calls and applied patches."""
    sitting, session = scene.sitting, scene.id("session")
    rows: list[Json] = []

    def row(kind: str, at: datetime, payload: Json) -> None:
        rows.append({"timestamp": _iso(at), "type": kind, "payload": payload})

    row("session_meta", scene.start, {"id": session, "timestamp": _iso(scene.start), "cwd": scene.workspace,
        "originator": "codex-tui", "cli_version": "0.141.0", "source": "cli",
        "git": {"branch": sitting.branch, "commit_hash": "0" * 40}})  # fmt: skip
    for number, at in scene.moments():
        talk, steps = scene.acts[number]
        turn = scene.id("turn", number)
        row("event_msg", at, {"type": "task_started", "turn_id": turn})
        row("turn_context", at, {"turn_id": turn, "cwd": scene.workspace, "model": sitting.model})
        row("event_msg", at, {"type": "user_message", "message": talk.prompt, "images": []})
        for place, step in enumerate(steps):
            at += timedelta(seconds=20)
            for kind, payload in _codex_step(scene, turn, f"call_{scene.id('call', number, place)[:12]}", step):
                row(kind, at, payload)
        at += timedelta(minutes=1)
        row("event_msg", at, {"type": "agent_message", "message": talk.answer, "phase": "final_answer"})
        row("event_msg", at, {"type": "task_complete", "turn_id": turn, "last_agent_message": talk.answer})
    stamp = scene.start.strftime("%Y-%m-%dT%H-%M-%S")
    return f".codex/sessions/{scene.start:%Y/%m/%d}/rollout-{stamp}-{session}.jsonl", _lines(rows)


def _codex_step(scene: Scene, turn: str, call: str, step: Step | Applied) -> Iterator[tuple[str, Json]]:
    if isinstance(step, Applied):
        path = f"{scene.workspace}/{step.change.path}"
        head = "Add" if not step.change.old else "Update"
        body = "".join(f"+{line}\n" for line in step.after.splitlines()) if head == "Add" else step.unified()
        patch = f"*** Begin Patch\n*** {head} File: {path}\n{body}*** End Patch\n"
        change: Json = {"type": "add", "content": step.after} if head == "Add" else {
            "type": "update", "unified_diff": step.unified(), "move_path": None}  # fmt: skip
        yield "response_item", {"type": "custom_tool_call", "call_id": call, "name": "apply_patch", "input": patch}
        yield (
            "event_msg",
            {"type": "patch_apply_end", "call_id": call, "turn_id": turn, "success": True, "changes": {path: change}},
        )
        yield "response_item", {"type": "custom_tool_call_output", "call_id": call, "output": "Exit code: 0\nSuccess."}
        return
    command = step.command if isinstance(step, Run) else f"cat {step.path}"
    output = step.output if isinstance(step, Run) else "(file content)"
    code = 0 if not isinstance(step, Run) or step.ok else 1
    given = json.dumps({"cmd": command, "workdir": scene.workspace})
    yield "response_item", {"type": "function_call", "name": "exec_command", "arguments": given, "call_id": call}
    yield (
        "response_item",
        {"type": "function_call_output", "call_id": call, "output": f"Exit code: {code}\nOutput:\n{output}"},
    )


def copilot_cli(scene: Scene) -> tuple[str, str]:
    """An event log."""
    sitting, session = scene.sitting, scene.id("session")
    rows: list[Json] = []

    def row(kind: str, at: datetime, data: Json) -> None:
        parent = rows[-1]["id"] if rows else None
        rows.append(
            {"type": kind, "data": data, "id": scene.id("row", len(rows)), "timestamp": _iso(at), "parentId": parent}
        )

    place: Json = {"cwd": scene.workspace, "gitRoot": scene.workspace, "branch": sitting.branch}
    row("session.start", scene.start, {"sessionId": session, "version": 1, "copilotVersion": "1.0.64",
        "startTime": _iso(scene.start), "context": place})  # fmt: skip
    for number, at in scene.moments():
        talk, steps = scene.acts[number]
        row("user.message", at, {"content": talk.prompt, "transformedContent": talk.prompt, "attachments": []})
        for spot, step in enumerate(steps):
            at += timedelta(seconds=15)
            call = f"call_{scene.id('call', number, spot)[:12]}"
            name, given, detail = _copilot_tool(scene, step)
            row("tool.execution_start", at, {"toolCallId": call, "toolName": name, "arguments": given})
            row(
                "tool.execution_complete",
                at,
                {"toolCallId": call, "success": True, "result": {"content": "done", "detailedContent": detail}},
            )
        row("assistant.message", at + timedelta(seconds=30), {"messageId": scene.id("m", number), "model": sitting.model,
            "content": talk.answer, "toolRequests": []})  # fmt: skip
        row("assistant.turn_end", at + timedelta(seconds=31), {"turnId": str(number)})
    return f".copilot/session-state/{session}/events.jsonl", _lines(rows)


def _copilot_tool(scene: Scene, step: Step | Applied) -> tuple[str, Json, str]:
    if isinstance(step, Applied):
        path = f"{scene.workspace}/{step.change.path}"
        diff = f"diff --git a/{step.change.path} b/{step.change.path}\n--- a/{step.change.path}\n+++ b/{step.change.path}\n{step.unified()}"
        if not step.change.old:
            return "create", {"path": path, "file_text": step.after}, diff
        return "edit", {"path": path, "old_str": step.change.old, "new_str": step.change.new}, diff
    if isinstance(step, Run):
        return "bash", {"command": step.command}, step.output
    return "view", {"path": f"{scene.workspace}/{step.path}"}, "(file content)"


def gemini_cli(scene: Scene) -> tuple[str, str]:
    """A session document; the project is named by the SHA-256 of its folder."""
    session = scene.id("session")
    project = hashlib.sha256(scene.workspace.encode()).hexdigest()
    messages: list[Json] = []
    for number, at in scene.moments():
        talk, steps = scene.acts[number]
        messages.append({"id": scene.id("u", number), "timestamp": _iso(at), "type": "user", "content": talk.prompt})
        calls: list[Json] = []
        for step in steps:
            if not isinstance(step, Applied):
                continue
            path = f"{scene.workspace}/{step.change.path}"
            shown: Json = {"fileDiff": f"--- {path}\n+++ {path}\n{step.unified()}", "fileName": path.rsplit("/", 1)[-1],
                           "filePath": path, "originalContent": step.before, "newContent": step.after}  # fmt: skip
            calls.append({"id": scene.id("c", number, len(calls)), "name": "write_file", "status": "success",
                          "args": {"file_path": path, "content": step.after}, "resultDisplay": shown})  # fmt: skip
        messages.append({"id": scene.id("a", number), "timestamp": _iso(at + timedelta(minutes=2)), "type": "gemini",
                         "content": talk.answer, "model": scene.sitting.model, "toolCalls": calls})  # fmt: skip
    last = messages[-1]["timestamp"]
    document = {
        "sessionId": session,
        "projectHash": project,
        "startTime": _iso(scene.start),
        "lastUpdated": last,
        "messages": messages,
    }
    name = f"session-{scene.start:%Y-%m-%dT%H-%M}-{session[:8]}.json"
    return f".gemini/tmp/{project}/chats/{name}", json.dumps(document, indent=2)


def aider(scene: Scene) -> tuple[str, str]:
    """The Markdown history kept in the project (path relative to the workspace)."""
    out = [
        f"\n# aider chat started at {scene.start:%Y-%m-%d %H:%M:%S}\n\n> Main model: {scene.sitting.model} with diff edit format  \n"
    ]
    for number, _ in scene.moments():
        talk, steps = scene.acts[number]
        out.append("".join(f"\n#### {line}  " for line in talk.prompt.splitlines()) + f"\n\n{talk.answer}\n")
        out.extend(
            f"\n{step.change.path}\n```python\n<<<<<<< SEARCH\n{step.change.old}=======\n{step.change.new}>>>>>>> REPLACE\n```\n"
            f"\n> Applied edit to {step.change.path}  \n"
            for step in steps
            if isinstance(step, Applied)
        )
        out.append("> Tokens: 2.1k sent, 310 received.  \n")
    return ".aider.chat.history.md", "".join(out)


def specstory(scene: Scene) -> tuple[str, str]:
    """A Markdown transcript beside the code (path relative to the workspace)."""
    stamp = f"{scene.start:%Y-%m-%d %H:%M:%S}Z"
    out = [
        f"<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# {stamp}\n\n<!-- Claude Code Session {scene.id('session')} ({stamp}) -->\n"
    ]
    for number, at in scene.moments():
        talk, _ = scene.acts[number]
        out.append(f"\n_**User ({at:%Y-%m-%d %H:%M:%S}Z)**_\n\n{talk.prompt}\n\n---\n")
        answered = at + timedelta(seconds=40)
        out.append(f"\n_**Agent ({scene.sitting.model} {answered:%Y-%m-%d %H:%M:%S}Z)**_\n\n{talk.answer}\n\n---\n")
    slug = "-".join(scene.sitting.title.lower().split())
    return f".specstory/history/{scene.start:%Y-%m-%d_%H-%M-%S}Z-{slug}.md", "".join(out)


#: Agent name -> writer, and whether its file lies in the workspace instead of the home folder.
WRITERS: dict[str, tuple[Callable[[Scene], tuple[str, str]], bool]] = {
    "claude-code": (claude_code, False),
    "codex": (codex, False),
    "copilot-cli": (copilot_cli, False),
    "gemini-cli": (gemini_cli, False),
    "aider": (aider, True),
    "specstory": (specstory, True),
}


def _hunks(before: str, after: str) -> Iterator[Json]:
    old, new = before.splitlines(), after.splitlines()
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[a:b]]
            else:
                lines += [f"-{line}" for line in old[a:b]] + [f"+{line}" for line in new[c:d]]
        a, b, c, d = group[0][1], group[-1][2], group[0][3], group[-1][4]
        yield {
            "oldStart": a + 1 if b > a else a,
            "oldLines": b - a,
            "newStart": c + 1,
            "newLines": d - c,
            "lines": lines,
        }


def _iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def _lines(rows: list[Json]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
