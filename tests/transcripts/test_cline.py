"""Cline, Roo Code, Kilo Code: rows of the interface, messages of the model, folders from many places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pastwork.model import Exchange
from pastwork.transcripts.base import Env
from pastwork.transcripts.cline import CLINE, ROO_CODE, typed
from tests.transcripts.reading import exchanges, items, problems, tools, words

Row = dict[str, Any]


def rows(tmp_path: Path, *told: tuple[str, str, str]) -> list[Exchange]:
    """A task's interface log: (type, kind, text) each; the first is the task."""
    listed = [
        {"ts": 1_772_600_400_000 + at, "type": kind, kind: what, "text": text}
        for at, (kind, what, text) in enumerate(told)
    ]
    path = tmp_path / "tasks" / "17" / "ui_messages.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(listed), encoding="utf-8")
    return exchanges(CLINE, path)


def tool(name: str, **given: str) -> str:
    return json.dumps({"tool": name, **given})


TASK = ("say", "text", "trim it")
EDIT = tool("editedExistingFile", path="a.py", diff="<<<<<<< SEARCH\n9\n=======\n4\n>>>>>>> REPLACE")


@pytest.mark.parametrize(
    ("told", "prompts", "answers", "calls"),
    [
        ([TASK], ["trim it"], [], []),
        ([TASK, ("say", "text", "Trimming."), ("say", "text", "Trimming.")], ["trim it"], ["Trimming."], []),
        (
            [TASK, ("say", "reasoning", "hm"), ("say", "api_req_started", "{}"), ("say", "completion_result", "Done.")],
            ["trim it"],
            ["Done."],
            [],
        ),
        ([TASK, ("say", "user_feedback", "no, fill it")], ["trim it", "no, fill it"], [], []),
        ([TASK, ("say", "user_feedback_diff", tool("x", path="a.py"))], ["trim it", "(edited a.py)"], [], []),
        ([TASK, ("ask", "followup", '{"question": "Which?", "options": []}')], ["trim it"], ["Which?"], []),
        ([TASK, ("ask", "plan_mode_respond", '{"response": "A plan."}')], ["trim it"], ["A plan."], []),
        ([TASK, ("ask", "tool", EDIT), ("say", "tool", EDIT)], ["trim it"], [], [("editedExistingFile", "a.py", True)]),
        (
            [TASK, ("ask", "tool", EDIT), ("say", "diff_error", "a.py")],
            ["trim it"],
            [],
            [("editedExistingFile", "a.py", False)],
        ),
        (
            [
                TASK,
                ("ask", "command", "ls"),
                ("say", "command_output", "a"),
                ("say", "command_output", "b"),
                ("say", "command", "ls"),
            ],
            ["trim it"],
            [],
            [("execute_command", "ls", True)],
        ),
        ([TASK, ("say", "tool", "garbage"), ("say", "tool", "{}")], ["trim it"], [], []),
        (
            [("say", "text", "<system-reminder>x</system-reminder>"), ("say", "user_feedback", "typed")],
            ["typed"],
            [],
            [],
        ),
    ],
)
def test_rows(
    tmp_path: Path,
    told: list[tuple[str, str, str]],
    prompts: list[str],
    answers: list[str],
    calls: list[tuple[str, str, bool]],
) -> None:
    found = rows(tmp_path, *told)
    assert [each.prompt for each in found] == prompts
    assert [text for each in found for text in words(each)] == answers
    assert [call for each in found for call in tools(each)] == calls


def test_a_commands_output_is_joined(tmp_path: Path) -> None:
    (exchange,) = rows(
        tmp_path, TASK, ("ask", "command", "ls"), ("say", "command_output", "a"), ("say", "command_output", "b")
    )
    assert [entry.tool.output for entry in exchange.entries if entry.tool] == ["a\nb"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("trim it", "trim it"),
        ("<task>\ntrim it\n</task>\n\n<environment_details>\n# Time\n</environment_details>", "trim it"),
        ("<feedback>no</feedback>", "no"),
        ("<user_message>\nno\n</user_message>", "no"),
        ("trim it\n<environment_details>\ncut", "trim it"),
        ("[read_file for 'a.py'] Result:\nx = 1", None),
        ("<environment_details>\n</environment_details>", None),
    ],
)
def test_what_was_typed(text: str, expected: str | None) -> None:
    assert typed(text) == expected


def test_the_models_messages_stand_in_only_where_rows_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "tasks" / "17" / "api_conversation_history.json"
    path.parent.mkdir(parents=True)
    path.write_text('[{"role": "user", "content": "trim it"}]')
    assert [each.prompt for each in exchanges(CLINE, path)] == ["trim it"]
    rows(tmp_path, TASK)
    assert items(CLINE, path) == []


@pytest.mark.parametrize(
    ("name", "document", "folder"),
    [
        ("tasks/17/history_item.json", {"workspace": "/w/a"}, "/w/a"),
        ("tasks/17/task_metadata.json", {"cwd": "/w/b"}, "/w/b"),
        (
            "tasks/_index.json",
            {"entries": [{"id": "9", "workspace": "/no"}, {"id": "17", "workspace": "/w/c"}]},
            "/w/c",
        ),
        ("tasks/taskHistory.json", [{"id": "17", "cwdOnTaskInitialization": "/w/d"}], "/w/d"),
        ("state/taskHistory.json", [{"id": "17", "cwdOnTaskInitialization": "/w/e"}], "/w/e"),
        (
            "tasks/17/api_conversation_history.json",
            [{"role": "user", "content": "# Current Workspace Directory (/w/\\f) Files"}],
            "/w/\\f",
        ),
        ("tasks/17/task_metadata.json", {"files_in_context": []}, None),
        ("state/taskHistory.json", "garbage", None),
    ],
)
def test_the_folder_comes_from_the_files_beside(tmp_path: Path, name: str, document: Any, folder: str | None) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(json.dumps(document))
    (exchange,) = rows(tmp_path, TASK)
    assert exchange.cwd == folder


@pytest.mark.parametrize("end", ["", "]", "}\n}]", "\0\0", ', {"ts": 5, "ty'])
def test_documents_cut_or_overgrown(tmp_path: Path, end: str) -> None:
    rows(tmp_path, TASK, ("say", "text", "Trimmed."))
    path = tmp_path / "tasks" / "17" / "ui_messages.json"
    path.write_text(path.read_text().removesuffix("]") + end if end.startswith(",") else path.read_text() + end)
    assert [words(each) for each in exchanges(CLINE, path)] == [["Trimmed."]]
    assert len(problems(CLINE, path)) == bool(end)


def test_a_storage_folder_of_the_users_own(tmp_path: Path) -> None:
    settings = tmp_path / ".config" / "Code" / "User" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'{{\n  // mine\n  "roo-cline.customStoragePath": "{tmp_path / "own"}",\n}}')
    path = tmp_path / "own" / "tasks" / "17" / "ui_messages.json"
    path.parent.mkdir(parents=True)
    path.write_text("[]")
    assert [source.path for source in ROO_CODE.locate(Env(tmp_path, {}))] == [path]


def test_folders_named_by_variables(tmp_path: Path) -> None:
    path = tmp_path / "own" / "data" / "tasks" / "17" / "ui_messages.json"
    path.parent.mkdir(parents=True)
    path.write_text("[]")
    assert [source.path for source in CLINE.locate(Env(tmp_path, {"CLINE_DIR": str(tmp_path / "own")}))] == [path]
