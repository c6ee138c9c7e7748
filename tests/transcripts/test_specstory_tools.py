"""Tool blocks of SpecStory documents as calls, edits and reads."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.model import Hunk
from pastwork.transcripts.specstory_tools import Used, used


def block(body: str, kind: str = "generic", name: str = "Tool", summary: str = "") -> str:
    shown = summary or f"Tool use: **{name}**"
    return (
        f'<tool-use data-tool-type="{kind}" data-tool-name="{name}"><details>\n<summary>{shown}</summary>\n{body}\n'
        "</details></tool-use>"
    )


def found(text: str) -> Used:
    call = used(text)
    assert call is not None
    assert isinstance(json.loads(call.arguments), dict)
    return call


@pytest.mark.parametrize(
    ("text", "name", "summary", "output", "ok"),
    [
        (
            block("Run it\n\n`pytest -q`\n\n```text\n2 passed\n```", "shell", "Bash"),
            "Bash",
            "pytest -q",
            "2 passed",
            True,
        ),
        (
            block("`light`\n\n```text\nExit code 1\nno oil\n```", "shell", "Bash"),
            "Bash",
            "light",
            "Exit code 1\nno oil",
            False,
        ),
        (block("```bash\nls\npwd\n```\n\n```text\nout\n```", "shell", "Bash"), "Bash", "ls\npwd", "out", True),
        (block("`light`", "shell", "Bash"), "Bash", "light", "", None),
        (
            block(
                "```\nProcess exited with code 0\nOutput:\nok\n```",
                "shell",
                "exec_command",
                "Tool use: **exec_command** `ls`",
            ),
            "exec_command",
            "ls",
            "Process exited with code 0\nOutput:\nok",
            True,
        ),
        (block("`./a.py`\n\n```text\n     1→x\n```", "read", "Read"), "Read", "./a.py", "     1→x", True),
        (
            block("Pattern: `wick` Path: `src`\n\n**Result:**\n```text\n3 found\n```", "search", "Grep"),
            "Grep",
            "wick",
            "3 found",
            True,
        ),
        (block("**Error:** not allowed", "generic", "Fetch"), "Fetch", "", "not allowed", False),
        (block("Look at it\n\nResult:\n\nfine", "generic", "Task"), "Task", "Look at it", "fine", True),
        (
            block("- query: `wicks`\n- limit: `5`\n\nOutput (error):\n\nnone", "search", "web"),
            "web",
            "wicks",
            "none",
            False,
        ),
        ("Read file: src/a.py", "read_file", "src/a.py", "", None),
        (
            "Tool use: **run_terminal_cmd**\n\n```bash\nls\n```\n\n```\na.py\n```",
            "run_terminal_cmd",
            "ls",
            "a.py",
            True,
        ),
        (block("<user> words", "generic", "Ask", "Tool use: **Ask** &lt;b&gt;"), "Ask", "<b>", "", None),
    ],
)
def test_calls(text: str, name: str, summary: str, output: str, ok: bool | None) -> None:
    call = found(text)
    assert (call.name, call.summary, call.output, call.ok) == (name, summary, output, ok)


@pytest.mark.parametrize("text", ["", "words", "Tool use: plain words", "```\n<tool-use>\n```", "<tool-user>"])
def test_no_call(text: str) -> None:
    assert used(text) is None


def test_named_arguments_are_the_input() -> None:
    call = found(block("- query: `wicks`\n- limit: `5`", "search", "web"))
    assert json.loads(call.arguments) == {"query": "wicks", "limit": "5"}


def test_what_nothing_explains_stays_in_the_input() -> None:
    call = found(block("Some words about oil\n\n- and a list", "generic", "Think"))
    assert "about oil" in json.loads(call.arguments)["text"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (block("`./src/a.py`\n\n```text\nx\n```", "read", "Read"), ("./src/a.py",)),
        (block("Path: `a.py`\n\n```\nx\n```", "read", "view"), ("a.py",)),
        (block("`https://example.org`\n\n```\nx\n```", "read", "fetch"), ()),
        (block("`ls`", "shell", "Bash"), ()),
        ("Read file: src/a.py", ("src/a.py",)),
    ],
)
def test_reads(text: str, expected: tuple[str, ...]) -> None:
    assert found(text).reads == expected


UPDATED = "```text\nThe file /w/a.py has been updated successfully.\n```"
SECTIONS = "**Add: `b.py`**\n\n```diff\n+x\n```\n\n**Delete: `c.py`**\n\n**Update: `a.py`**\n\n```diff\n@@\n-x\n+y\n```"
PATCH = "```text\n*** Begin Patch\n*** Add File: b.py\n+x\n*** End Patch\n```\n\n```text\nDone.\n```"
OLD = (
    '<tool-use data-tool-type="write" data-tool-name="search_replace">\n'
    "<details>\n<summary>Edit file: a.py</summary>\n\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (block(UPDATED, "write", "Edit"), [("/w/a.py", "edited", "named", ())]),
        (
            block("```py\nx = 1\n```\n\n```text\nFile created successfully at: /w/a.py\n```", "write", "Write"),
            [("/w/a.py", "created", "content", (Hunk(("+x = 1",), None, 1),))],
        ),
        (
            block(
                "```md\n\\```\nx\n\\```\n```\n\n```text\nFile created successfully at: /w/a.md\n```", "write", "Write"
            ),
            [("/w/a.md", "created", "content", (Hunk(("+```", "+x", "+```"), None, 1),))],
        ),
        (
            block(
                "```diff\n@@ -3,1 +3,1 @@\n-x\n+y\n```\n\n```text\nApplied 1 edit to /w/a.py:\n```",
                "write",
                "edit_file",
            ),
            [("/w/a.py", "edited", "diff", (Hunk(("-x", "+y"), 3, 3),))],
        ),
        (
            block(SECTIONS, "write", "apply_patch"),
            [
                ("b.py", "created", "diff", (Hunk(("+x",)),)),
                ("c.py", "deleted", "named", ()),
                ("a.py", "edited", "diff", (Hunk(("-x", "+y")),)),
            ],
        ),
        (block(PATCH, "write", "apply_patch"), [("b.py", "created", "content", (Hunk(("+x",), None, 1),))]),
        (
            f"{OLD}```diff\n@@ -3,2 +3,2 @@\n  def f():\n-     x\n+     y\n```\n</details>\n</tool-use>",
            [("a.py", "edited", "diff", (Hunk((" def f():", "-    x", "+    y"), 3, 3),))],
        ),
        (block("`a.py`\n\n```text\nok\n```", "write", "delete_file"), [("a.py", "deleted", "named", ())]),
        (block("```text\nwhatever\n```", "write", "Edit"), []),
        (block("`a.py`", "read", "Read"), []),
    ],
)
def test_edits(text: str, expected: list[tuple[str, str, str, tuple[Hunk, ...]]]) -> None:
    assert [(edit.path, edit.action, edit.evidence, edit.hunks) for edit in found(text).edits] == expected


@pytest.mark.parametrize(
    "output",
    [
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
        "The user doesn't want to proceed with this tool use.",
        "[Request interrupted by user]",
        "Permission to use Edit was denied",
        "File has not been read yet. Read it first.",
    ],
)
def test_a_failed_edit_is_marked(output: str) -> None:
    assert found(block(f"`a.py`\n\n```text\n{output}\n```", "write", "Edit")).ok is False


def test_an_edits_input_names_its_file() -> None:
    call = found(block("```py\nx = 1\n```\n\n```text\nFile created successfully at: /w/a.py\n```", "write", "Write"))
    assert json.loads(call.arguments) == {"file_path": "/w/a.py", "content": "x = 1"}
    assert call.summary == "/w/a.py"


PIECES = st.lists(
    st.sampled_from(
        [
            "```\n",
            "```diff\n",
            "text\n",
            "`a.py`\n",
            "- key: `v`\n",
            "**Result:**\n",
            "**Add: `b`**\n",
            "<summary>",
            "</details>",
            "@@\n",
            "+x\n",
            "-x\n",
            "*** Begin Patch\n",
            "Output:\n",
            "~~~\n",
            "\n",
            "The file x has been updated\n",
            "&lt;",
        ]
    )
)


@given(
    PIECES, st.sampled_from(["write", "read", "shell", "search", ""]), st.sampled_from(["Write", "Edit", "apply_patch"])
)
def test_any_block(pieces: list[str], kind: str, name: str) -> None:
    call = found(block("".join(pieces), kind, name))
    assert all(edit.path for edit in call.edits)
