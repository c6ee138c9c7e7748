"""How a tool call reads in one line."""

from __future__ import annotations

import pytest

from pastwork.transcripts import calls


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"file_path": "/w/app/src/a.py", "old_string": "x"}, "src/a.py"),
        ({"file_path": "/elsewhere/a.py"}, "/elsewhere/a.py"),
        ({"file_path": "/w/app-2/a.py"}, "/w/app-2/a.py"),
        ({"path": "src/a.py"}, "src/a.py"),
        ({"command": "make test\nmake lint", "description": "Tests"}, "make test"),
        ({"command": ["bash", "-lc", "make test"]}, "make test"),
        ({"command": ["git", "status"]}, "git status"),
        ({"pattern": "def .*", "path": ""}, "def .*"),
        ({"n": 3}, ""),
        ({}, ""),
        ({"query": "\n\n  spaces  \n"}, "spaces"),
    ],
)
def test_summary(given: dict[str, object], expected: str) -> None:
    assert calls.summary(given, "/w/app") == expected


def test_windows_paths_are_relative_too() -> None:
    assert calls.summary({"file_path": "C:\\w\\app\\src\\a.py"}, "c:\\w\\app") == "src\\a.py"


def test_long_lines_are_cut() -> None:
    assert calls.line("x" * 500) == "x" * 159 + "…"


@pytest.mark.parametrize(
    ("text", "expected"), [('{"a":1}', {"a": 1}), ("[1]", {}), ("{", {}), ("", {}), ("[" * 9999, {})]
)
def test_arguments(text: str, expected: dict[str, object]) -> None:
    assert calls.arguments(text) == expected


def test_a_trace_keeps_the_telling_argument_only() -> None:
    assert calls.trace({"file_path": "a.py", "content": "long"}) == '{"file_path":"a.py"}'
    assert calls.trace({"n": 1}) == "{}"


def test_outputs_keep_both_ends() -> None:
    assert calls.cut("short") == "short"
    cut = calls.cut("a" * 1000 + "b" * 1000)
    assert cut == "a" * 300 + "\n[…]\n" + "b" * 300
