"""Cline, Roo Code and Kilo Code (before it became OpenCode's kin): one folder of JSON documents per task.

``ui_messages.json`` has times and is preferred; ``api_conversation_history.json`` stands in where it
is missing; Cline's newest releases keep ``sessions/<id>/<id>.messages.json``. Folders are listed, the
products' indexes only add what they know. Documents may be cut or end in stray brackets.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Raw

from pastwork.model import Problem, Session
from pastwork.transcripts import blocks, mended_json, not_prompts, roots, tell
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.calls import arguments
from pastwork.transcripts.cline_rows import INDEX, MESSAGE, MESSAGES, ROW, ROWS, TASK, ApiMessage, Index, Row, Task
from pastwork.transcripts.faults import Faults, kinds
from pastwork.transcripts.folders import FolderReader, mtime
from pastwork.transcripts.jsonl import opened

_UI = ("ui_messages.json", "claude_messages.json")
_API = "api_conversation_history.json"
_SDK = ".messages.json"
_WRAPPED = re.compile(r"<(task|feedback|user_message|answer)>\s*(.*?)\s*</\1>", re.DOTALL)
_TOOL_RESULT = re.compile(r"\[[^\]\n]*\] Result:")
_ENVIRONMENT = re.compile(r"<environment_details>.*?(?:</environment_details>|\Z)", re.DOTALL)
_DIRECTORY = re.compile(r"# Current (?:Workspace|Working) Directory \((?P<path>[^)\n]+)\)")
_FAILED = frozenset({"error", "diff_error", "mistake_limit_reached", "clineignore_error", "rooignore_error"})
#: What is said or asked and known, most of it without use here.
_KINDS = kinds(
    """
    task text reasoning user_feedback user_feedback_diff completion_result tool command command_output followup
    plan_mode_respond act_mode_respond api_req_started api_req_finished api_req_failed api_req_retried
    api_req_retry_delayed api_req_deleted api_req_rate_limit_wait error error_retry info task_progress resume_task
    resume_completed_task new_task condense condense_context condense_context_error sliding_window_truncation
    summarize_task report_bug checkpoint_created checkpoint_saved shell_integration_warning browser_action
    browser_action_launch browser_action_result browser_session_status mcp_server_request_started
    mcp_server_response mcp_notification use_mcp_server use_subagents subagent subagent_usage load_mcp_documentation
    generate_explanation deleted_api_reqs mistake_limit_reached auto_approval_max_req_reached diff_error
    clineignore_error rooignore_error codebase_search_result subtask_result finishTask image hook hook_status
    hook_output_stream conditional_rules_applied user_edit_todos too_many_tools_warning
    """
)
_SETTINGS_BYTES = 1024 * 1024
_STORAGE = re.compile(r'"(?:roo-cline|kilo-code)\.customStoragePath"\s*:\s*"((?:[^"\\]|\\.)+)"')


def read(
    source: Source, since: Position | None = None, *, agent: str = "cline", clock: Callable[[], float] = time.time
) -> Iterator[Item]:
    """The exchanges of one task."""
    path = source.path
    if path.name == _API and any(path.with_name(name).exists() for name in _UI):
        return
    session_id = path.parent.name if path.name in (*_UI, _API) else path.name.removesuffix(_SDK).removesuffix(".json")
    faults = Faults(path, _KINDS | blocks.ROLES)
    if path.name.endswith(_SDK):
        document = mended_json.document(path, MESSAGES, faults)
        found: list[Raw] | Problem = document if isinstance(document, Problem) else document.messages
        session_id = session_id if isinstance(document, Problem) else document.session_id or session_id
    else:
        found = mended_json.document(path, ROWS, faults)
    if isinstance(found, Problem):
        yield found
        return
    known = _known(path, path.name.removesuffix(_SDK) if path.name.endswith(_SDK) else session_id)
    title = (known.metadata.title if known.metadata else None) or ""
    session = Session(agent, session_id, title, parent_id=known.parent)
    build = Builder.start(session, now=clock(), mtime=mtime(path))
    build.context(cwd=source.workspace or known.folder or _described(path), model=known.model)
    if path.name.endswith(_UI):
        rows = mended_json.each(found, ROW, faults, "row")
        for row in rows:
            faults.knows(row.kind or None)
        yield from _tell_rows(build, rows)
    else:
        for message in mended_json.each(found, MESSAGE, faults, "message"):
            faults.knows(message.role)
            yield from _tell_message(build, message, faults)
    yield from faults.taken()
    yield from build.finish()


def _known(path: Path, session_id: str) -> Task:
    """What the files beside a task and the indexes above it say, the nearest first."""
    above = path.parent.parent
    beside = (path.with_name("history_item.json"), path.with_name("task_metadata.json"))
    for each in (*beside, path.with_name(f"{session_id}.json")):
        if each != path and each.is_file():
            found = mended_json.document(each, TASK)
            if isinstance(found, Task) and found.folder:
                return found
    for index in (above / "_index.json", above / "taskHistory.json", above.parent / "state" / "taskHistory.json"):
        for task in _listed(index):
            if task.id == session_id:
                return task
    return Task()


def _listed(index: Path) -> list[Task]:
    if not index.is_file():
        return []
    found = mended_json.document(index, INDEX)
    if isinstance(found, Problem):
        return []
    return mended_json.each(found.entries if isinstance(found, Index) else found, TASK)


def _described(path: Path) -> str | None:
    """The folder that the first message's environment names."""
    found = mended_json.document(path.with_name(_API), ROWS)
    if isinstance(found, Problem) or not found:
        return None
    text = bytes(found[0]).decode("utf-8", "replace")
    directory = _DIRECTORY.search(text)
    return msgspec.json.decode(f'"{directory["path"]}"', type=str) if directory else None


def _tell_rows(build: Builder, rows: list[Row]) -> Iterator[Item]:
    told: set[str] = set()
    for at, row in enumerate(rows):
        if row.model is not None:
            build.context(model=row.model.model or row.model.id)
        if (at == 0 and row.kind in ("text", "task")) or row.kind in ("user_feedback", "user_feedback_diff"):
            text = not_prompts.typed(_feedback(row))
            if text is not None:
                told.clear()
                yield from build.prompt(text, offset=0, time=row.ts)
        elif row.kind in ("text", "completion_result", "followup", "plan_mode_respond"):
            build.answer(_question(row.text or ""), time=row.ts, once=True)
        elif row.kind == "tool":
            _tool(build, row, told, failed=at + 1 < len(rows) and rows[at + 1].kind in _FAILED)
        elif row.kind == "command":
            _command(build, row, rows[at + 1 :], told)


def _feedback(row: Row) -> str:
    """What was typed; with a diff of the user's own it stands in a JSON object."""
    if row.kind != "user_feedback_diff":
        return row.text or ""
    return f"(edited {arguments(row.text or '').get('path', '')})"


def _question(text: str) -> str:
    """A question or plan, which some releases wrap in a JSON object."""
    given = arguments(text) if text.startswith("{") else {}
    return next((said for key in ("question", "response") if isinstance(said := given.get(key), str)), text)


def _tool(build: Builder, row: Row, told: set[str], *, failed: bool) -> None:
    """A tool call; it is asked about, then said: told once."""
    given = arguments(row.text or "")
    name = given.get("tool")
    if not isinstance(name, str):
        return
    mark = f"{name}:{given.get('path')}:{given.get('diff') or given.get('content') or given.get('regex')}"
    if mark not in told:
        told.add(mark)
        rest = {key: value for key, value in given.items() if key != "tool"}
        tell.call(build, name, rest, ok=not failed, time=row.ts)


def _command(build: Builder, row: Row, following: list[Row], told: set[str]) -> None:
    mark = f"command:{row.text}"
    if mark in told:
        return
    told.add(mark)
    output: list[str] = []
    for each in following:
        if each.kind == "command_output":
            output.append(each.text or "")
        elif each.kind not in ("command", "checkpoint_saved", "shell_integration_warning"):
            break
    tell.call(build, "execute_command", {"command": row.text or ""}, output="\n".join(output), ok=True, time=row.ts)


def _tell_message(build: Builder, message: ApiMessage, faults: Faults) -> Iterator[Item]:
    if message.summary:
        return
    if message.model is not None:
        build.context(model=message.model.model or message.model.id)
    told = blocks.Message(message.role, message.content)
    yield from blocks.tell_message(build, told, typed, time=message.ts, faults=faults)


def typed(text: str) -> str | None:
    """What a person typed, out of the envelopes and between the results of a user message."""
    wrapped = _WRAPPED.search(text)
    if wrapped:
        return not_prompts.typed(wrapped[2])
    return None if _TOOL_RESULT.match(text) else not_prompts.typed(_ENVIRONMENT.sub("", text))


def _parts(path: Path) -> tuple[Path, ...]:
    return tuple(
        each for name in ("history_item.json", "task_metadata.json") if (each := path.with_name(name)).is_file()
    )


_TASKS = tuple(f"tasks/*/{name}" for name in (*_UI, _API))
_LOOSE = ("*ui_messages.json", f"*{_API}", f"*{_SDK}")


def _extension(agent: str, name: str, *more: str) -> FolderReader:
    def places(env: Env) -> tuple[Path, ...]:
        users = roots.users(env)
        found = [user / "globalStorage" / name for user in users]
        if agent == "cline":
            found += [roots.named(env, "CLINE_DATA_DIR", ".cline/data"), *_named(env, "CLINE_DIR", "data")]
            found += [each.parent for each in _named(env, "CLINE_SESSION_DATA_DIR", "")]
        else:
            found += [place for user in users for place in _custom(user / "settings.json")]
        return tuple(found)

    reading = partial(read, agent=agent)
    return FolderReader(agent, "fixture-only", places, (*_TASKS, *more), reading, _parts, _LOOSE)


def _named(env: Env, variable: str, below: str) -> tuple[Path, ...]:
    value = env.variables.get(variable)
    return (Path(value).expanduser() / below,) if value else ()


def _custom(settings: Path) -> tuple[Path, ...]:
    """A storage folder of the user's own, from the editor's settings (JSON with comments, often behind a link)."""
    try:
        with opened(Path(os.path.realpath(settings))) as stream:
            found = _STORAGE.search(stream.read(_SETTINGS_BYTES).decode("utf-8", "replace"))
        return (Path(msgspec.json.decode(f'"{found[1]}"', type=str)),) if found else ()
    except (OSError, msgspec.DecodeError, RecursionError):
        return ()


CLINE = _extension("cline", "saoudrizwan.claude-dev", "sessions/*/*.messages.json")
ROO_CODE = _extension("roo-code", "rooveterinaryinc.roo-cline")
KILO_CODE = _extension("kilo-code", "kilocode.kilo-code")
