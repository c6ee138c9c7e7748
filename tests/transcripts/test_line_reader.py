"""Readers of JSON lines: the example of CONTRIBUTING.md, and what all of them do."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from pastwork.model import Exchange
from pastwork.transcripts.base import Env, Reader
from tests.transcripts.reading import exchanges, found, grown, problems, session, tools, words

GUIDE = Path(__file__).parents[2] / "CONTRIBUTING.md"
ROWS = (
    {"kind": "user", "id": "p1", "time": "2026-03-04T05:00:01Z", "cwd": "/w", "text": "trim the wick"},
    {"kind": "answer", "text": "Trimming."},
    {"kind": "call", "id": "c1", "tool": "edit", "given": {"path": "lamp.py", "old_str": "9", "new_str": "4"}},
    {"kind": "result", "id": "c1", "text": "Edited.", "time": "2026-03-04T05:00:04Z"},
    {"kind": "user", "id": "p2", "time": "2026-03-04T05:00:05Z", "text": "<system-reminder>be good</system-reminder>"},
    {"kind": "user", "id": "p3", "time": "2026-03-04T05:00:06Z", "text": "and the oil?"},
    {"kind": "call", "id": "c2", "tool": "write", "given": {"path": "oil.py", "content": "oil = 7\n"}},
    {"kind": "result", "id": "c2", "text": "disk full", "failed": True},
)
DATA = b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)


@pytest.fixture(scope="module")
def lamp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """The reader that CONTRIBUTING.md shows, as a module."""
    (code,) = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len([line for line in code.splitlines() if line and not line.startswith(("from", "import"))]) <= 30
    path = tmp_path_factory.mktemp("guide") / "lamp.py"
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("lamp", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, {"lamp": module}):
        spec.loader.exec_module(module)
        yield module.LAMP


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / ".lamp" / "sessions" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(DATA)
    return path


def test_the_example_of_the_guide(lamp: Reader, path: Path, tmp_path: Path) -> None:
    assert [source.path for source in found(lamp, tmp_path)] == [path]
    first, second = exchanges(lamp, path)
    assert (first.prompt, first.session_id, first.cwd, first.time_source) == ("trim the wick", "s1", "/w", "exact")
    assert words(first) == ["Trimming."]
    assert tools(first) == [("edit", "lamp.py", True)]
    assert [edit.path for edit in first.edits] == ["lamp.py"]
    assert (second.prompt, second.edits, second.turn) == ("and the oil?", (), 2)
    assert list(lamp.locate(Env(tmp_path / "nobody", {}))) == []


def test_it_resumes_wherever_it_is_cut(lamp: Reader, path: Path) -> None:
    whole = exchanges(lamp, path)
    for cut in range(0, len(DATA), 7):
        assert grown(lamp, path, DATA, [cut]) == whole


def test_bad_lines_cost_only_themselves(lamp: Reader, path: Path) -> None:
    whole = exchanges(lamp, path)
    lines = DATA.splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"{not json\n", b"\0\0\n", *lines[1:], b'{"kind": 5}\n', b'"text"\n']))
    assert len(problems(lamp, path)) == 4
    assert [without_offsets(each) for each in exchanges(lamp, path)] == [without_offsets(each) for each in whole]


def test_a_session_is_told(lamp: Reader, path: Path) -> None:
    told = session(lamp, path)
    assert (told.id, told.agent, told.started_at) == ("s1", "lamp", "2026-03-04T05:00:01.000Z")


def without_offsets(exchange: Exchange) -> tuple[object, ...]:
    return exchange.id, exchange.prompt, exchange.entries, exchange.edits
