"""Damage to the transcripts of all other agents: lines that know what they cost, and any bytes of any sample."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pastwork.model import Problem, Session
from pastwork.transcripts.base import Reader, Source, Turn
from pastwork.transcripts.copilot_cli import COPILOT_CLI
from pastwork.transcripts.droid import DROID
from pastwork.transcripts.goose import GOOSE
from pastwork.transcripts.pi import PI
from pastwork.transcripts.qwen import QWEN
from pastwork.transcripts.registry import READERS
from tests.transcripts import made
from tests.transcripts.damage import NINE, Kind, Line, damaged, line
from tests.transcripts.samples import sources
from tests.transcripts.test_damage import CUTS, DEEDS, FILES, SOAK, check, marker

Row = dict[str, Any]
#: A row of an agent: what it is, its number, and the exchange's mark.
Rows = Callable[[str, int, str], Row]


def lines(rows: Rows, exchanges: int) -> list[Line]:
    """Each exchange: a prompt, an edit with its result, an answer."""
    found = []
    for number in range(exchanges):
        first, mark = 10 * number, marker(number)
        found += [
            line(rows("asks", first + 1, mark), number, marker=mark),
            line(rows("calls", first + 2, mark), number),
            line(rows("results", first + 3, mark), number),
            line(rows("answers", first + 4, mark), number, marker=mark),
        ]
    return found


def swap(mark: str) -> Row:
    return {"path": f"/w/{mark}", "old_str": "a", "new_str": "b"}


def pick(kind: str, **rows: Any) -> Any:
    return rows[kind]


def copilot(kind: str, number: int, mark: str) -> Row:
    data = pick(
        kind,
        asks={"content": f"{mark} please"},
        calls={"toolCallId": f"c{number}", "toolName": "edit", "arguments": swap(mark)},
        results={"toolCallId": f"c{number - 1}", "success": True, "result": {"content": "ok"}},
        answers={"content": f"{mark} is done"},
    )
    types = {"asks": "user.message", "calls": "tool.execution_start", "results": "tool.execution_complete"}
    return {
        "type": types.get(kind, "assistant.message"),
        "data": data,
        "id": made.uuid(number),
        "timestamp": made.clock(number),
    }


def pi(kind: str, number: int, mark: str) -> Row:
    told = pick(
        kind,
        asks={"role": "user", "content": f"{mark} please"},
        calls={
            "role": "assistant",
            "content": [{"type": "toolCall", "id": f"c{number}", "name": "edit", "arguments": swap(mark)}],
        },
        results={"role": "toolResult", "toolCallId": f"c{number - 1}", "content": "ok"},
        answers={"role": "assistant", "content": f"{mark} is done", "stopReason": "stop"},
    )
    return {"type": "message", "timestamp": made.clock(number), "message": told | {"timestamp": 1.7e12 + number}}


def droid(kind: str, number: int, mark: str) -> Row:
    content = pick(
        kind,
        asks=f"{mark} please",
        calls=[{"type": "tool_use", "id": f"c{number}", "name": "edit", "input": swap(mark)}],
        results=[{"type": "tool_result", "tool_use_id": f"c{number - 1}", "content": "ok"}],
        answers=f"{mark} is done",
    )
    role = "user" if kind in ("asks", "results") else "assistant"
    told = {"role": role, "content": content}
    return {"type": "message", "id": made.uuid(number), "timestamp": made.clock(number), "message": told}


def qwen(kind: str, number: int, mark: str) -> Row:
    part = pick(
        kind,
        asks={"text": f"{mark} please"},
        calls={"functionCall": {"id": f"c{number}", "name": "edit", "args": swap(mark)}},
        results={"functionResponse": {"id": f"c{number - 1}", "response": {"output": "ok"}}},
        answers={"text": f"{mark} is done"},
    )
    kinds = {"asks": "user", "results": "tool_result"}
    return {
        "type": kinds.get(kind, "assistant"),
        "uuid": made.uuid(number),
        "timestamp": made.clock(number),
        "message": {"parts": [part]},
    }


def goose(kind: str, number: int, mark: str) -> Row:
    value = {"name": "edit", "arguments": swap(mark)}
    block = pick(
        kind,
        asks={"type": "text", "text": f"{mark} please"},
        calls={"type": "toolRequest", "id": f"c{number}", "toolCall": {"status": "success", "value": value}},
        results={"type": "toolResponse", "id": f"c{number - 1}", "toolResult": {"status": "success", "value": []}},
        answers={"type": "text", "text": f"{mark} is done"},
    )
    role = "user" if kind in ("asks", "results") else "assistant"
    return {"id": made.uuid(number), "role": role, "created": 1772600400 + number, "content": [block]}


#: Droid's times may be numbers; Goose's blocks are decoded one by one.
LENIENT = ("droid", "goose")
SHAPES: dict[str, tuple[Reader, Rows]] = {
    "copilot-cli": (COPILOT_CLI, copilot),
    "pi": (PI, pi),
    "droid": (DROID, droid),
    "qwen-code": (QWEN, qwen),
    "goose": (GOOSE, goose),
}
QUICK = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))


def damage_many(shape: str, folder: Path, files: int) -> None:
    (reader, rows), told = SHAPES[shape], shape not in LENIENT

    @settings(QUICK, max_examples=files)
    @given(exchanges=st.integers(1, 5), deeds=DEEDS, cuts=CUTS)
    def one(exchanges: int, deeds: list[tuple[Kind, int, int]], cuts: list[int]) -> None:
        check(reader, folder / "s1.jsonl", damaged(lines(rows, exchanges), deeds), exchanges, cuts, all_told=told)

    one()


@pytest.mark.parametrize("shape", SHAPES)
def test_damaged_lines(shape: str, tmp_path: Path) -> None:
    damage_many(shape, tmp_path, FILES)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("shape", SHAPES)
def test_very_many_damaged_lines(shape: str, tmp_path: Path) -> None:
    damage_many(shape, tmp_path, SOAK)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("deed", NINE, ids=lambda deed: deed.__name__)
def test_each_damage_by_itself(shape: str, deed: Kind, tmp_path: Path) -> None:
    """Every line of a small file is hit once by each damage."""
    (reader, rows), told = SHAPES[shape], shape not in LENIENT
    whole = lines(rows, 3)
    for where in range(len(whole)):
        check(reader, tmp_path / "s1.jsonl", damaged(whole, [(deed, where, where)]), 3, [where * 97], all_told=told)


#: What is put in the place of some bytes of a file.
BYTES = st.sampled_from(
    [
        b"",
        b"\0" * 9,
        b"\xff",
        b"\xed\xa0\xbc",
        b"\\ud83c",
        b"\n",
        b"\r\n",
        b"{",
        b"]",
        b'"',
        b"```\n",
        b"null",
        b"[[",
        b"\\",
    ]
)
HITS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 60), BYTES), max_size=4)
BYTE_FILES = int(os.environ.get("PASTWORK_DAMAGED_SAMPLES", "25"))


def hit(data: bytes, hits: list[tuple[int, int, bytes]]) -> bytes:
    """The bytes after some of them were replaced."""
    for where, length, put in hits:
        at = where % (len(data) + 1)
        data = data[:at] + put + data[at + length :]
    return data


def told(reader: Reader, source: Source) -> Iterator[str]:
    """All that a source tells, well formed."""
    ids: set[str] = set()
    for item in reader.read(source):
        if isinstance(item, Turn):
            assert item.exchange.prompt.strip()
            assert item.exchange.id not in ids
            ids.add(item.exchange.id)
            for entry in item.exchange.entries:
                assert entry.tool is None or isinstance(json.loads(entry.tool.input_json), dict)
        else:
            assert isinstance(item, Session | Problem)
        yield str(item)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.agent)
def test_any_bytes_of_any_sample(reader: Reader, tmp_path: Path) -> None:
    """Whatever a file holds, reading it raises nothing and tells nothing that can't be kept."""
    if reader.agent in ("claude-code", "codex"):
        return
    for source in sources(reader, tmp_path):
        for path in (source.path, *source.parts):
            damage_bytes(reader, source, path)


def damage_bytes(reader: Reader, source: Source, path: Path) -> None:
    """One file of a source with other bytes, many times over."""
    data = path.read_bytes()

    @settings(QUICK, max_examples=BYTE_FILES)
    @given(hits=HITS)
    def one(hits: list[tuple[int, int, bytes]]) -> None:
        path.write_bytes(hit(data, hits))
        for text in told(reader, source):
            text.encode()

    one()
    path.write_bytes(data)
