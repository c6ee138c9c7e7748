"""Calls by name and JSON arguments, told to a builder."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Raw

from pastwork.model import Edit, Exchange, Hunk, Session
from pastwork.transcripts import tell
from pastwork.transcripts.base import Turn
from pastwork.transcripts.builder import Builder
from tests.transcripts.reading import tools

EDIT: dict[str, Any] = {"path": "/w/src/lamp.py", "old_str": "wick = 9", "new_str": "wick = 4"}


def begun() -> Builder:
    build = Builder.start(Session("lamp", "s"), now=2e9)
    build.context(cwd="/w")
    build.prompt("trim the wick", offset=0)
    return build


def done(build: Builder) -> Exchange:
    return next(item for item in build.finish() if isinstance(item, Turn)).exchange


def test_a_call_and_its_result() -> None:
    build = begun()
    tell.call(build, "edit", EDIT, ref="c1")
    tell.call(build, "read", '{"path": "/w/oil.py"}', ref="c2")
    tell.result(build, "c1", "Edited.")
    tell.result(build, "c2", "no such file", ok=False)
    exchange = done(build)
    assert tools(exchange) == [("edit", "src/lamp.py", True), ("read", "oil.py", False)]
    assert [(edit.path, edit.evidence) for edit in exchange.edits] == [("/w/src/lamp.py", "text")]
    assert exchange.reads == ()


def test_a_failed_edit_is_none() -> None:
    build = begun()
    tell.call(build, "edit", EDIT, ref="c1")
    tell.result(build, "c1", "not found", ok=False)
    assert done(build).edits == ()


def test_a_result_shows_the_numbers() -> None:
    build = begun()
    tell.call(build, "edit", EDIT, ref="c1")
    tell.result(build, "c1", diff="--- a/x\n+++ b/x\n@@ -3,1 +3,1 @@\n-wick = 9\n+wick = 4\n")
    (edit,) = done(build).edits
    assert (edit.path, edit.evidence, edit.hunks) == (
        "/w/src/lamp.py",
        "patch",
        (Hunk(("-wick = 9", "+wick = 4"), 3, 3),),
    )


def test_a_sub_agents_call_is_a_trace_with_its_edits() -> None:
    build = begun()
    tell.call(build, "edit", EDIT, ref="c1", below=True)
    tell.result(build, "c1", "x" * 9999, below=True)
    exchange = done(build)
    tool = exchange.entries[-1].tool
    assert tool is not None
    assert (tool.summary, tool.input_json) == ("↳ src/lamp.py", '{"path":"/w/src/lamp.py"}')
    assert len(tool.output) < 700
    assert len(exchange.edits) == 1


def test_a_change_apart_from_calls() -> None:
    build = begun()
    tell.changed(build, Edit("/w/lid.py", "deleted"))
    exchange = done(build)
    assert tools(exchange) == [("edit", "/w/lid.py", True)]
    assert [edit.action for edit in exchange.edits] == ["deleted"]


@pytest.mark.parametrize(
    ("given", "summary"),
    [
        ({"path": "/w/src/lamp.py"}, "src/lamp.py"),
        ({"targetFile": "/w/src/lamp.py"}, "src/lamp.py"),
        ({"command": "light"}, "light"),
        ({"input": "*** Begin Patch\n*** Delete File: lid.py\n*** End Patch"}, "lid.py"),
        ({}, ""),
    ],
)
def test_summaries(given: dict[str, Any], summary: str) -> None:
    build = begun()
    tell.call(build, "apply_patch", given)
    assert tools(done(build))[0][1] == summary


@pytest.mark.parametrize(
    ("given", "text", "found"),
    [
        ({"a": 1}, '{"a":1}', {"a": 1}),
        (Raw(b'{"a": 1}'), '{"a": 1}', {"a": 1}),
        ('{"a": 1}', '{"a": 1}', {"a": 1}),
        (Raw(b'"{\\"a\\": 1}"'), '{"a": 1}', {"a": 1}),
        ("*** Begin Patch", '{"input":"*** Begin Patch"}', {"input": "*** Begin Patch"}),
        (Raw(b'"words"'), '{"input":"words"}', {"input": "words"}),
        ('{"a": 1', '{"input":"{\\"a\\": 1"}', {"input": '{"a": 1'}),
        (" { } ", "{}", {}),
        ("[1]", '{"input":"[1]"}', {"input": "[1]"}),
        (None, "{}", {}),
        ("", "{}", {}),
        (Raw(b""), "{}", {}),
        (b"\xff", '{"input":"\ufffd"}', {"input": "\ufffd"}),
        ('"not closed', '{"input":"\\"not closed"}', {"input": '"not closed'}),
    ],
)
def test_arguments_in_every_wrapping(given: tell.Given, text: str, found: dict[str, Any]) -> None:
    assert tell.opened(given) == (text, found)


@pytest.mark.parametrize(
    ("output", "expected"), [("words", "words"), ('"a\\nb"', "a\nb"), ('{"a": 1}', '{"a": 1}'), ('"cut', '"cut')]
)
def test_results_kept_as_json(output: str, expected: str) -> None:
    assert tell.plain(output) == expected


def test_before_any_prompt_nothing_is_kept() -> None:
    build = Builder.start(Session("lamp", "s"), now=2e9)
    tell.call(build, "edit", EDIT)
    tell.result(build, "c1", diff="@@ -1 +1 @@\n-a\n+b")
    assert build.finish() == ()
