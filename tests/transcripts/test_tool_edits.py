"""What tool calls do to files, by name and arguments, in every agent's spelling."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.model import Edit, Hunk
from pastwork.transcripts import tool_edits
from pastwork.transcripts.patches import content

Given = dict[str, Any]
SWAP = (Hunk(("-wick = 9", "+wick = 4")),)
PATCH = "*** Begin Patch\n*** Update File: lamp.py\n@@\n-wick = 9\n+wick = 4\n*** End Patch\n"
DIFF = "--- a/lamp.py\n+++ b/lamp.py\n@@ -3 +3 @@\n-wick = 9\n+wick = 4\n"
SEARCH = "<<<<<<< SEARCH\nwick = 9\n=======\nwick = 4\n>>>>>>> REPLACE\n"
DASHED = SEARCH.replace("<<<<<<<", "-------").replace(">>>>>>>", "+++++++")
ROO = "<<<<<<< SEARCH\n:start_line:3\n-------\nwick = 9\n=======\nwick = 4\n>>>>>>> REPLACE"


@pytest.mark.parametrize(
    ("name", "given", "kind"),
    [
        ("Edit", {}, "edit"),
        ("str_replace", {}, "edit"),
        ("StrReplaceFile", {}, "edit"),
        ("MultiEdit", {}, "edit"),
        ("functions.write_file", {}, "write"),
        ("mcp__files__read_text_file", {}, "read"),
        ("developer__text_editor", {"command": "view", "path": "a"}, "read"),
        ("developer__text_editor", {"command": "create", "path": "a"}, "create"),
        ("anything", {"command": "str_replace", "path": "a"}, "edit"),
        ("bash", {"command": "create"}, None),
        ("create_new_file", {}, "create"),
        ("read_file_tool", {}, "read"),
        ("ApplyPatch", {}, "patch"),
        ("delete-path", {}, "delete"),
        ("bash", {}, None),
        ("", {}, None),
        ("replacement", {}, None),
    ],
)
def test_kinds(name: str, given: Given, kind: str | None) -> None:
    assert tool_edits.kind_of(name, given) == kind


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("edit", {"file_path": "lamp.py", "old_string": "wick = 9", "new_string": "wick = 4"}, SWAP),
        ("edit", {"filePath": "lamp.py", "oldString": "wick = 9\n", "newString": "wick = 4\n"}, SWAP),
        ("Edit", {"path": "lamp.py", "oldText": "wick = 9", "newText": "wick = 4"}, SWAP),
        (
            "str_replace_editor",
            {"command": "str_replace", "path": "lamp.py", "old_str": "wick = 9", "new_str": "wick = 4"},
            SWAP,
        ),
        (
            "MultiEdit",
            {"file_path": "lamp.py", "edits": [{"old_string": "wick = 9", "new_string": "wick = 4"}, 5]},
            SWAP,
        ),
        ("StrReplaceFile", {"path": "lamp.py", "edit": {"old": "wick = 9", "new": "wick = 4"}}, SWAP),
        (
            "multi_replace_file_content",
            {
                "TargetFile": "lamp.py",
                "ReplacementChunks": [{"TargetContent": "wick = 9", "ReplacementContent": "wick = 4"}],
            },
            SWAP,
        ),
        ("search_replace", {"file_path": "lamp.py", "content": SEARCH}, SWAP),
        ("replace_in_file", {"path": "lamp.py", "diff": SEARCH}, SWAP),
        ("replace_in_file", {"path": "lamp.py", "diff": DASHED}, SWAP),
        ("apply_diff", {"path": "lamp.py", "diff": ROO}, (Hunk(SWAP[0].lines, 3, None),)),
        ("apply_diff", {"path": "lamp.py", "diff": DIFF}, (Hunk(SWAP[0].lines, 3, 3),)),
        ("edit", {"path": "lamp.py", "new_string": "wick = 4"}, (Hunk(("+wick = 4",)),)),
        ("apply_patch", {"input": PATCH}, SWAP),
        ("patch", {"patchText": DIFF}, (Hunk(SWAP[0].lines, 3, 3),)),
        ("write_file", {"path": "lamp.py", "content": "a\nb\n"}, content("a\nb\n")),
        ("write", {"filePath": "lamp.py", "contents": ""}, content("")),
        ("insert_content", {"path": "lamp.py", "line": 4, "content": "burn()"}, (Hunk(("+burn()",), None, 5),)),
        ("insert", {"path": "lamp.py", "insert_line": 0, "new_str": "a\nb"}, (Hunk(("+a", "+b"), None, 1),)),
        ("insert", {"path": "lamp.py", "text": "a"}, (Hunk(("+a",), None, None),)),
        ("edit_file", {"target_file": "lamp.py", "instructions": "shorten it"}, ()),
        ("edit_file", {"target_file": "lamp.py", "code_edit": "…"}, ()),
        ("edit_file", {"path": "lamp.py", "content": "…"}, ()),
        ("insert", {"path": "lamp.py"}, ()),
        ("write", {"path": "lamp.py"}, ()),
    ],
)
def test_one_edit(name: str, given: Given, expected: tuple[Hunk, ...]) -> None:
    (edit,) = tool_edits.changes(name, given)
    assert (edit.path, edit.action, edit.hunks) == ("lamp.py", "edited", expected)


@pytest.mark.parametrize(
    ("name", "given", "action", "evidence"),
    [
        ("edit", {"path": "a", "old_str": "x", "new_str": "y"}, "edited", "text"),
        ("edit", {"path": "a"}, "edited", "named"),
        ("write", {"path": "a", "content": "x"}, "edited", "content"),
        ("write", {"path": "a"}, "edited", "named"),
        ("create_file", {"path": "a", "content": "x"}, "created", "content"),
        ("create_file", {"path": "a"}, "created", "named"),
        ("insert", {"path": "a", "line": 1, "text": "x"}, "edited", "text"),
        ("delete_file", {"path": "a"}, "deleted", "named"),
    ],
)
def test_actions_and_evidence(name: str, given: Given, action: str, evidence: str) -> None:
    (edit,) = tool_edits.changes(name, given)
    assert (edit.action, edit.evidence) == (action, evidence)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("bash", {"command": "rm lamp.py"}),
        ("read", {"path": "lamp.py"}),
        ("edit", {"old_string": "a", "new_string": "b"}),
        ("edit", {"path": ""}),
        ("edit", {"path": "two\nlines", "content": "x"}),
        ("edit", {"path": 5}),
        ("apply_patch", {"input": "words"}),
    ],
)
def test_no_edit(name: str, given: Given) -> None:
    assert tool_edits.changes(name, given) == ()


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("read", {"file_path": "a"}, ("a",)),
        ("Read", {"AbsolutePath": " /a "}, ("/a",)),
        ("read_many_files", {"paths": ["a", "b", 5, ""]}, ("a", "b")),
        ("read_files", {"files": [{"path": "a"}, {"filePath": "b"}, {}]}, ("a", "b")),
        ("fs_read", {"operations": [{"mode": "Line", "path": "a"}]}, ("a",)),
        ("grep", {"path": "a"}, ()),
        ("read", {}, ()),
    ],
)
def test_reads(name: str, given: Given, expected: tuple[str, ...]) -> None:
    assert tool_edits.reads(name, given) == expected


def test_a_diff_has_the_numbers_that_arguments_lack() -> None:
    meant = (Edit("/w/lamp.py", "edited", SWAP, "text"),)
    assert tool_edits.diffed(DIFF, meant) == (Edit("/w/lamp.py", "edited", (Hunk(SWAP[0].lines, 3, 3),), "patch"),)
    assert tool_edits.diffed("@@ -3 +3 @@\n-wick = 9\n+wick = 4\n", meant)[0].path == "/w/lamp.py"
    assert tool_edits.diffed("no diff", meant) == ()


def test_a_diff_of_more_files_names_them_itself() -> None:
    both = DIFF + DIFF.replace("lamp.py", "oil.py").replace("a/oil.py", "/dev/null")
    edits = tool_edits.diffed(both, (Edit("/w/lamp.py", "edited"),))
    assert [(edit.path, edit.action, edit.evidence) for edit in edits] == [
        ("lamp.py", "edited", "patch"),
        ("oil.py", "created", "patch"),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["path", "old", "new", "x"]), inner),
    max_leaves=9,
)
KEYS = st.sampled_from(
    ["path", "edits", "edit", "diff", "content", "old_str", "new_str", "insert_line", "paths", "input"]
)


@given(
    st.sampled_from(["edit", "write", "create", "delete", "patch", "insert", "read", "?"]), st.dictionaries(KEYS, JSON)
)
def test_any_arguments(name: str, given: Given) -> None:
    for edit in tool_edits.changes(name, given):
        assert edit.path
        assert "\n" not in edit.path
    assert all(tool_edits.reads(name, given))
