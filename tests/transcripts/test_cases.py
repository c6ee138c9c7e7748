"""The shared inputs that broke comparable tools, as far as reading alone decides about them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pastwork.model import Exchange, Problem
from pastwork.transcripts.base import Env, Item, Reader, Turn
from pastwork.transcripts.claude_code import CLAUDE_CODE
from pastwork.transcripts.codex import CODEX

pytestmark = pytest.mark.shared

CASES = [
    *(f"L{number:02d}" for number in (1, 2, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)),
    *("I01", "I04", "I07", "I08", "T02", "T03", "T04"),
]
#: Records of each case that can't be used as they stand; one cut at a file's end is pending, no problem.
BAD = {"L01": 1, "L02": 2, "L04": 2, "L06": 1, "L07": 1, "L08": 1, "L10": 1, "L13": 7, "L14": 1, "L15": 1, "L16": 2}
Expected = dict[str, Any]


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict[str, Expected]:
    found: dict[str, Expected] = json.loads((shared / "cases" / "expected.json").read_text())
    return found


def placed(home: Path, source: Path, case: str) -> None:
    """A case's file where its agent would have written it."""
    project = source.parent.name if case == "I04" else "-home-dev-demo"
    folder = (
        home / ".codex" / "sessions" / "2026" / "02" / "01"
        if case == "L06"
        else home / ".claude" / "projects" / project
    )
    folder.mkdir(parents=True, exist_ok=True)
    name = "one.jsonl" if case in {"T02", "T03"} else source.name
    shutil.copyfile(source, folder / name)


def read(home: Path) -> list[Item]:
    readers: tuple[Reader, ...] = (CLAUDE_CODE, CODEX)
    return [item for reader in readers for source in reader.locate(Env(home, {})) for item in reader.read(source)]


def known(items: Iterable[Item]) -> dict[str, Exchange]:
    """Exchanges by id: a second copy is the first one's alias."""
    found: dict[str, Exchange] = {}
    for item in items:
        if isinstance(item, Turn):
            found.setdefault(item.exchange.id, item.exchange)
    return found


def holding(exchanges: Iterable[Exchange], marker: str) -> list[Exchange]:
    return [exchange for exchange in exchanges if marker in exchange.prompt]


def answered(exchange: Exchange, marker: str) -> bool:
    return any(marker in entry.text for entry in exchange.entries if entry.role == "assistant")


@pytest.mark.parametrize("case", CASES)
def test_case(shared: Path, expected: dict[str, Expected], tmp_path: Path, case: str) -> None:
    wanted = expected[case]
    items: list[Item] = []
    before: dict[str, Exchange] = {}
    for name in wanted["files"]:
        placed(tmp_path, shared / "cases" / name, case)
        if wanted.get("sequence") == "replace":
            before |= known(items)
            items = read(tmp_path)
    if wanted.get("sequence") != "replace":
        items = read(tmp_path)
    got = known(items)

    for marker in wanted["good"]:
        (exchange,) = holding(got.values(), marker)
        assert answered(exchange, marker), marker
        assert wanted.get("cwd", {}).get(marker, exchange.workspace) == exchange.workspace
    for marker in wanted.get("partial", ()):
        assert len(holding(got.values(), marker)) == 1
    for marker in wanted.get("optional", ()):
        assert len(holding(got.values(), marker)) <= 1
    for marker in wanted.get("keep", ()):
        assert len(holding(before.values(), marker)) == 1
    for text in wanted.get("forbid", ()):
        assert text not in str(items)
    assert len(got) <= wanted.get("max_exchanges", len(got))
    if not wanted["good"]:
        assert items == [item for item in items if isinstance(item, Problem)]
    assert len([item for item in items if isinstance(item, Problem)]) == BAD.get(case, 0)
    json.dumps([exchange.prompt for exchange in got.values()]).encode()
    str(items).encode()


def test_what_was_cut_is_read_when_the_rest_comes(shared: Path, tmp_path: Path) -> None:
    """L05: the answer of CHARLIE, completed later, is read from the last turn's position."""
    whole = (shared / "cases" / "L02_meta_line_cut.jsonl").read_bytes().splitlines(keepends=True)[-1]
    path = tmp_path / ".claude" / "projects" / "x" / "one.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes((shared / "cases" / "L05_tail_cut_no_newline.jsonl").read_bytes())
    source = next(iter(CLAUDE_CODE.locate(Env(tmp_path, {}))))
    last = [item for item in CLAUDE_CODE.read(source) if isinstance(item, Turn)][-1]
    assert last.exchange.open
    with path.open("ab") as file:
        file.write(whole[60:])
    (again,) = [item for item in CLAUDE_CODE.read(source, last.at) if isinstance(item, Turn)]
    assert again.exchange.id == last.exchange.id
    assert answered(again.exchange, "CHARLIE")
    assert not again.exchange.open


def test_times_that_can_not_be_are_unknown(shared: Path, tmp_path: Path) -> None:
    """L18: file order pairs; a prompt of 2099 gets no time of its own."""
    placed(tmp_path, shared / "cases" / "L18_future_and_skewed_time.jsonl", "L18")
    got = list(known(read(tmp_path)).values())
    assert [(each.prompt, each.started_at, each.time_source) for each in got] == [
        ("fix ALPHA", "2026-01-01T18:04:05.000Z", "inferred"),
        ("fix BRAVO", "2026-01-01T18:04:05.000Z", "exact"),
        ("fix CHARLIE", "2026-01-02T03:00:05.000Z", "exact"),
    ]


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_every_sample_is_read(shared: Path, agent: str) -> None:
    """No exception, and something in all but those that hold no prompt."""
    from pastwork.transcripts.registry import reader_of

    reader = reader_of(agent)
    assert reader is not None
    silent = set()
    for source in sorted((shared / "formats" / "samples" / agent).rglob("*.jsonl*")):
        items = [item for each in reader.within(source) for item in reader.read(each)]  # type: ignore[attr-defined]
        if not any(isinstance(item, Turn) for item in items):
            silent.add(source.name)
    assert silent == SILENT[agent]


SILENT = {
    "claude-code": {
        "agent-a0ad4f44468bdf20d.jsonl",
        "viewer-agent.jsonl",
        "episodic-memory-short.jsonl",
        "original.jsonl",
        "minsky-2.1.117-queue-capture.jsonl",
        "minsky-2.1.117-subagent-capture.jsonl",
    },
    "codex": {
        "agent-sessions-050_legacy.jsonl",
        "agent-sessions-051_usage.jsonl",
        "agent-sessions-052_raw.jsonl",
        "agent-sessions-schema_drift.jsonl",
        "ccusage-session-alpha.jsonl",
        "deja-vu-history.jsonl",
    },
}
