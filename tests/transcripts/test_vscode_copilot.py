"""Copilot Chat's sessions: sentences out of pieces, edits out of groups, what the user undid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pastwork.model import Exchange, Hunk
from pastwork.transcripts.vscode_copilot import VSCODE_COPILOT
from tests.transcripts.reading import exchanges, problems, tools, words

Row = dict[str, Any]
LAMP: Row = {"path": "/w/lamp.py"}


def edits(*pieces: tuple[int, int, str]) -> Row:
    """A text edit group: (line, column, text) each."""
    batch = [{"text": text, "range": {"startLineNumber": line, "startColumn": column}} for line, column, text in pieces]
    return {"kind": "textEditGroup", "uri": LAMP, "edits": [batch]}


def one(tmp_path: Path, *response: Any, **more: Any) -> Exchange:
    """The exchange of a session with one request."""
    request = {
        "requestId": "request_1",
        "timestamp": 1_772_600_401_000,
        "message": {"text": "trim it"},
        "response": response,
    }
    path = tmp_path / "s1.json"
    path.write_text(json.dumps({"sessionId": "s1", "requests": [request | more]}), encoding="utf-8")
    (exchange,) = exchanges(VSCODE_COPILOT, path)
    return exchange


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ([{"value": "I trim "}, {"value": "it."}], ["I trim it."]),
        (
            [{"value": "See "}, {"kind": "inlineReference", "inlineReference": {"path": "/w/lamp.py"}}, {"value": "."}],
            ["See `lamp.py`."],
        ),
        ([{"kind": "inlineReference", "inlineReference": {"name": "light"}}], ["`light`"]),
        ([{"kind": "markdownContent", "content": {"value": "Hello"}}], ["Hello"]),
        (["plain words"], ["plain words"]),
        ([{"value": "a"}, {"kind": "progressMessage", "content": {"value": "…"}}, {"value": "b"}], ["a", "b"]),
        ([{"kind": "thinking", "value": "hm"}, 5, None, {"value": "a"}], ["a"]),
        ([], []),
    ],
)
def test_sentences(tmp_path: Path, response: list[Any], expected: list[str]) -> None:
    assert words(one(tmp_path, *response)) == expected


@pytest.mark.parametrize(
    ("pieces", "hunks"),
    [
        ([(4, 1, "wick = 4\n")], [Hunk(("+wick = 4",), 4, 4)]),
        ([(4, 1, "a\nb\n"), (9, 1, "c\n")], [Hunk(("+a", "+b"), 4, 4), Hunk(("+c",), 9, 9)]),
        ([(4, 5, "rest\nwhole\n")], [Hunk(("+whole",), 5, 5)]),
        ([(4, 5, "x")], []),
        ([(4, 1, "")], []),
    ],
)
def test_edit_groups(tmp_path: Path, pieces: list[tuple[int, int, str]], hunks: list[Hunk]) -> None:
    (edit,) = one(tmp_path, edits(*pieces)).edits
    assert (edit.path, list(edit.hunks), edit.evidence) == ("/w/lamp.py", hunks, "patch" if hunks else "named")


@pytest.mark.parametrize(("kind", "kept"), [(1, True), (2, False), (3, True)])
def test_what_the_user_undid_is_no_edit(tmp_path: Path, kind: int, kept: bool) -> None:
    exchange = one(tmp_path, edits((1, 1, "a\n")), editedFileEvents=[{"uri": LAMP, "eventKind": kind}])
    assert bool(exchange.edits) is kept


CALL: Row = {
    "id": "c1",
    "name": "replace_string_in_file",
    "arguments": json.dumps({"filePath": "/w/lamp.py", "oldString": "9", "newString": "4"}),
}
METADATA: Row = {
    "metadata": {
        "toolCallRounds": [{"toolCalls": [CALL]}],
        "toolCallResults": {"c1": {"content": [{"value": "Edited."}]}},
    }
}


@pytest.mark.parametrize(
    "item",
    [
        {"kind": "toolInvocationSerialized", "toolId": "other", "toolCallId": "c1"},
        {"kind": "toolInvocationSerialized", "toolId": "replace_string_in_file"},
        None,
    ],
)
def test_calls_are_found_by_id_by_name_or_left_over(tmp_path: Path, item: Row | None) -> None:
    exchange = one(tmp_path, *([item] if item else []), {"value": "Done."}, result=METADATA)
    assert tools(exchange) == [("replace_string_in_file", "/w/lamp.py", True)]
    assert [(edit.path, edit.evidence) for edit in exchange.edits] == [("/w/lamp.py", "text")]
    assert exchange.entries[-1 if item is None else 1].tool is not None
    assert [entry.tool.output for entry in exchange.entries if entry.tool] == ["Edited."]


def test_a_group_tells_better_than_a_call(tmp_path: Path) -> None:
    exchange = one(tmp_path, edits((4, 1, "wick = 4\n")), result=METADATA)
    assert [(edit.path, edit.evidence) for edit in exchange.edits] == [("/w/lamp.py", "patch")]


def test_a_request_without_a_result_is_still_open(tmp_path: Path) -> None:
    assert one(tmp_path, {"value": "a"}).open
    assert not one(tmp_path, {"value": "a"}, result={}).open


NO_JSON, UNTYPED = "not the JSON that was expected", "a record without a type"


@pytest.mark.parametrize(
    ("text", "document", "log"),
    [
        ("", [NO_JSON], []),
        ("[]", [NO_JSON], []),
        ("{}", [], [UNTYPED]),
        ('{"requests": "odd"}', ["of the wrong shape: requests"], [UNTYPED]),
        (
            '{"requests": [1, {}, {"message": 5}, {"message": {"text": ""}}]}',
            ["request 1: not what was expected", "request 3: of the wrong shape: message"],
            [UNTYPED],
        ),
        ("garbage", [NO_JSON], []),
    ],
)
def test_odd_sessions_tell_nothing_but_what_is_odd(
    tmp_path: Path, text: str, document: list[str], log: list[str]
) -> None:
    """As a document and as a log, whose last line is pending where it is no JSON."""
    for name, told in (("s1.json", document), ("s1.jsonl", log)):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert exchanges(VSCODE_COPILOT, path) == []
        assert [each.reason for each in problems(VSCODE_COPILOT, path)] == told


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ({"path": "/w/a.py"}, "/w/a.py"),
        ({"path": "/c:/w/a.py"}, "c:/w/a.py"),
        ({"fsPath": "/w/a.py"}, "/w/a.py"),
        ({"external": "vscode-remote://ssh-remote%2Bbox/w/a.py", "path": "/x"}, "/w/a.py"),
    ],
)
def test_paths(tmp_path: Path, uri: Row, path: str) -> None:
    exchange = one(tmp_path, edits((1, 1, "a\n")) | {"uri": uri})
    assert [edit.path for edit in exchange.edits] == [path]
