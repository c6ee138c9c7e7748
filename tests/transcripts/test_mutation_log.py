"""VS Code's log of changes, replayed."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.transcripts.mutation_log import Change, replay

WHOLE = {"kind": 0, "v": {"title": "", "items": [{"n": 0}, {"n": 1}], "deep": {"list": [1, 2, 3]}}}


def state(*changes: dict[str, object]) -> object:
    return replay(msgspec.convert(change, Change) for change in changes)


@pytest.mark.parametrize(
    ("change", "path", "expected"),
    [
        ({"kind": 1, "k": ["title"], "v": "Wicks"}, ["title"], "Wicks"),
        ({"kind": 1, "k": ["title"]}, ["title"], None),
        ({"kind": 1, "k": ["new"], "v": {"a": 1}}, ["new", "a"], 1),
        ({"kind": 1, "k": ["items", 0, "n"], "v": 7}, ["items", 0, "n"], 7),
        ({"kind": 1, "k": ["items", "1", "n"], "v": 7}, ["items", 1, "n"], 7),
        ({"kind": 1, "k": ["items", 2], "v": {"n": 2}}, ["items", 2, "n"], 2),
        ({"kind": 1, "k": ["items", 9], "v": {"n": 9}}, ["items"], [{"n": 0}, {"n": 1}]),
        ({"kind": 1, "k": ["gone", "deep"], "v": 1}, ["title"], ""),
        ({"kind": 2, "k": ["items"], "v": [{"n": 2}]}, ["items", 2, "n"], 2),
        ({"kind": 2, "k": ["items"], "v": [{"n": 5}], "i": 1}, ["items"], [{"n": 0}, {"n": 5}]),
        ({"kind": 2, "k": ["items"], "i": 0}, ["items"], []),
        ({"kind": 2, "k": ["fresh"], "v": [1]}, ["fresh"], [1]),
        ({"kind": 2, "k": ["deep", "list"], "v": [4], "i": 99}, ["deep", "list"], [1, 2, 3, 4]),
        ({"kind": 3, "k": ["title"]}, [], {"items": [{"n": 0}, {"n": 1}], "deep": {"list": [1, 2, 3]}}),
        ({"kind": 3, "k": ["deep", "list", 1]}, ["deep", "list"], [1, 3]),
        ({"kind": 3, "k": ["gone"]}, ["title"], ""),
        ({"kind": 0, "v": {"title": "anew"}}, [], {"title": "anew"}),
        ({"kind": 7, "k": ["title", "x"], "v": 1}, ["title"], ""),
        ({"kind": 1, "k": []}, ["title"], ""),
    ],
)
def test_one_change(change: dict[str, object], path: list[str | int], expected: object) -> None:
    found = state(json.loads(json.dumps(WHOLE)), change)
    for step in path:
        found = found[step]  # type: ignore[index]
    assert found == expected


def test_changes_before_the_first_whole_value_change_nothing() -> None:
    assert state({"kind": 1, "k": ["a"], "v": 1}, {"kind": 2, "k": ["a", "b"], "v": [1]}) is None


STEPS = st.lists(st.sampled_from(["a", "b", 0, 1, -1, "0", "9", ""]), max_size=4)
VALUES = st.recursive(st.none() | st.integers(0, 3), lambda inner: st.lists(inner, max_size=3), max_leaves=5)
CHANGES = st.builds(Change, st.integers(-1, 4), STEPS, VALUES | st.just({"a": [{"b": []}]}), st.none() | st.integers())


@given(st.lists(CHANGES, max_size=20))
def test_no_log_raises(changes: list[Change]) -> None:
    lines = [msgspec.json.encode(change) for change in changes]
    msgspec.json.encode(replay(msgspec.json.decode(line, type=Change) for line in lines))


@pytest.mark.shared
def test_a_recorded_log_gives_the_recorded_state(shared: Path) -> None:
    folder = shared / "formats" / "samples" / "vscode-copilot"
    lines = (folder / "mutation-log.jsonl").read_text(encoding="utf-8").splitlines()
    expected = json.loads((folder / "mutation-log.expected.json").read_text(encoding="utf-8"))
    assert replay(msgspec.json.decode(line, type=Change) for line in lines) == expected
