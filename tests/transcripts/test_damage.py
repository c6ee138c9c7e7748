"""Damaged transcripts that grow with restarts between: no good exchange lost, none doubled, each fault told once.

The number of files is ``$PASTWORK_DAMAGED_FILES`` for each shape (150), and 10,000 in the soak run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pastwork.model import Exchange, Problem
from pastwork.transcripts import jsonl
from pastwork.transcripts.base import Position, Reader, Source, Turn
from pastwork.transcripts.claude_code import CLAUDE_CODE
from pastwork.transcripts.codex import CODEX
from tests.transcripts import made
from tests.transcripts.damage import CAP, NINE, Damaged, Kind, Line, damaged, line
from tests.transcripts.reading import turns

FILES = int(os.environ.get("PASTWORK_DAMAGED_FILES", "150"))
SOAK = 10_000
THREAD = "019f0000-0000-7000-8000-00000000000a"

NUMBERS = st.integers(0, 2**20)
DEEDS = st.lists(st.tuples(st.sampled_from(NINE), NUMBERS, NUMBERS), max_size=5)
CUTS = st.lists(NUMBERS, max_size=6)


def marker(exchange: int) -> str:
    return f"MARK{exchange}X"


def claude_lines(exchanges: int) -> list[Line]:
    """Each exchange: a prompt, a call with its edit, noise, an answer."""
    lines = []
    for number in range(exchanges):
        first, mark = 10 * number, marker(number)
        lines += [
            line({"type": "file-history-snapshot", "messageId": str(first), "snapshot": {"files": {}}}),
            line(made.asks(first + 1, f"{mark} please"), number, marker=mark),
            line(
                made.calls(first + 2, "Edit", {"file_path": f"/w/{mark}", "old_string": "a", "new_string": "b"}), number
            ),
            line({"type": "progress", "data": {"type": "bash_progress", "output": "…"}, "uuid": made.uuid(first + 3)}),
            line(made.results(first + 4, f"toolu_{first + 2}", "updated"), number),
            line(made.answers(first + 5, f"{mark} is done"), number, marker=mark),
        ]
    return lines


def codex_lines(exchanges: int) -> list[Line]:
    """Each exchange: a turn's rows, both carriers of both messages, a call with its result."""
    lines = [line(made.header(THREAD))]
    for number in range(exchanges):
        first, mark, turn = 10 * number, marker(number), f"turn-{number}"
        update = {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n"}
        change = {f"/w/{mark}": update}
        lines += [
            *(line(row, number) for row in made.begins(first + 1, turn)),
            *(line(row, number, marker=mark) for row in made.both(first + 2, "user", f"{mark} please")),
            line(made.codex("event_msg", first + 3, type="token_count", info=None)),
            line(
                made.codex(
                    "event_msg", first + 4, type="patch_apply_end", call_id=f"c{first}", success=True, changes=change
                ),
                number,
            ),
            *(line(row, number, marker=mark) for row in made.both(first + 5, "assistant", f"{mark} is done")),
            line(made.ends(first + 6, turn, f"{mark} is done"), number, marker=mark),
        ]
    return lines


def check_good(exchanges: list[Exchange], number: int) -> None:
    """One exchange, whole: its question, its answer, its edit."""
    (exchange,) = [each for each in exchanges if marker(number) in each.prompt]
    assert any(marker(number) in entry.text for entry in exchange.entries if entry.role == "assistant")
    assert f"/w/{marker(number)}" in [edit.path for edit in exchange.edits]


def growing(reader: Reader, path: Path, data: bytes, cuts: list[int]) -> tuple[list[Exchange], set[int]]:
    """Exchanges and offsets of problems, met while the file grows and reading goes on from the last turn."""
    known: dict[str, Exchange] = {}
    faults: set[int] = set()
    since: Position | None = None
    for cut in [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]:
        path.write_bytes(data[:cut])
        for item in reader.read(Source(reader.agent, path), since):
            if isinstance(item, Turn):
                known[item.exchange.id], since = item.exchange, item.at
            elif isinstance(item, Problem):
                faults.add(item.offset)
    return list(known.values()), faults


def check(
    reader: Reader, path: Path, found: Damaged, exchanges: int, cuts: list[int], *, all_told: bool = True
) -> None:
    """``all_told``: every fault is a problem; else those inside of fields that are decoded later are not."""
    with mock.patch.object(jsonl, "CAP", CAP):
        known, faults = growing(reader, path, found.data, cuts)
        whole = [turn.exchange for turn in turns(reader, path)]
    assert known == whole
    assert len({exchange.id for exchange in whole}) == len(whole)
    for number in set(range(exchanges)) - found.harmed:
        check_good(whole, number)
    assert len(faults) == found.bad or not all_told
    for exchange in whole:
        str(exchange).encode()


SHAPES: dict[str, tuple[Reader, str, Callable[[int], list[Line]]]] = {
    "claude-code": (CLAUDE_CODE, f"{made.SESSION}.jsonl", claude_lines),
    "codex": (CODEX, f"rollout-2026-03-04T05-00-00-{THREAD}.jsonl", codex_lines),
}


def damage_many(shape: str, folder: Path, files: int) -> None:
    reader, name, lines = SHAPES[shape]

    @settings(max_examples=files, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(exchanges=st.integers(1, 5), deeds=DEEDS, cuts=CUTS)
    def one(exchanges: int, deeds: list[tuple[Kind, int, int]], cuts: list[int]) -> None:
        check(reader, folder / name, damaged(lines(exchanges), deeds), exchanges, cuts)

    one()


@pytest.mark.parametrize("shape", SHAPES)
def test_damaged_files(shape: str, tmp_path: Path) -> None:
    damage_many(shape, tmp_path, FILES)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("shape", SHAPES)
def test_very_many_damaged_files(shape: str, tmp_path: Path) -> None:
    damage_many(shape, tmp_path, SOAK)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("deed", NINE, ids=lambda deed: deed.__name__)
def test_each_damage_by_itself(shape: str, deed: Kind, tmp_path: Path) -> None:
    """Every line of a small file is hit once by each damage."""
    reader, name, lines = SHAPES[shape]
    whole = lines(3)
    for where in range(len(whole)):
        check(reader, tmp_path / name, damaged(whole, [(deed, where, where)]), 3, [where * 97])
