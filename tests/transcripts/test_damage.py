"""Damaged transcripts that grow with restarts between: no good exchange lost, none doubled, each fault told once.

Here the agents that append JSON lines; ``test_damage_documents`` has the other shapes.
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
from tests.transcripts.damage import CAP, NINE, Damaged, Kind, damaged, reorder
from tests.transcripts.reading import turns
from tests.transcripts.shapes_lines import SHAPES, Shape, marker

#: Files a shape in CI and in the soak run; with the shapes of ``test_damage_documents`` well over 2,000 and 20,000.
FILES = int(os.environ.get("PASTWORK_DAMAGED_FILES", "60"))
SOAK = int(os.environ.get("PASTWORK_DAMAGED_SOAK", "2000"))

#: What a run leaves in its ``--junitxml`` file, for bench/transcripts.
Record = Callable[[str, object], None]
NUMBERS = st.integers(0, 2**20)
DEEDS = st.lists(st.tuples(st.sampled_from(NINE), NUMBERS, NUMBERS), max_size=5)
CUTS = st.lists(NUMBERS, max_size=6)


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
        os.utime(path, (1_772_600_000, 1_772_600_000))
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


def spoilt(shape: Shape, found: Damaged) -> Damaged:
    """Also harmed: what stands beside a prompt's copy without an id, and beside an odd row where places tell."""
    for at, each in enumerate(found.lines):
        again = each.copied is not None and not shape.own and each.marker
        if again or (shape.ordered and (each.odd or each.copied is not None or each.bad)):
            found.harmed |= each.of.union(*(line.of for line in found.lines[max(0, at - 1) : at + 2]))
    return found


def damage_many(shape: Shape, folder: Path, files: int) -> None:
    path = folder / shape.name
    path.parent.mkdir(exist_ok=True)

    @settings(max_examples=files, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(exchanges=st.integers(1, 5), deeds=DEEDS, cuts=CUTS)
    def one(exchanges: int, deeds: list[tuple[Kind, int, int]], cuts: list[int]) -> None:
        kinds = [deed for deed in deeds if not (shape.ordered and deed[0] is reorder)]
        found = spoilt(shape, damaged(shape.lines(exchanges), kinds))
        check(shape.reader, path, found, exchanges, cuts, all_told=shape.told)

    one()


@pytest.mark.parametrize("shape", SHAPES)
def test_damaged_files(shape: str, tmp_path: Path) -> None:
    damage_many(SHAPES[shape], tmp_path, FILES)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("shape", SHAPES)
def test_very_many_damaged_files(shape: str, tmp_path: Path, record_property: Record) -> None:
    record_property("files", SOAK)
    damage_many(SHAPES[shape], tmp_path, SOAK)


@pytest.mark.parametrize(
    ("shape", "deed"),
    [
        pytest.param(name, deed, id=f"{deed.__name__}-{name}")
        for deed in NINE
        for name, shape in SHAPES.items()
        if not (shape.ordered and deed is reorder)
    ],
)
def test_each_damage_by_itself(shape: str, deed: Kind, tmp_path: Path) -> None:
    """Every line of a small file is hit once by each damage."""
    given = SHAPES[shape]
    path = tmp_path / given.name
    path.parent.mkdir(exist_ok=True)
    whole = given.lines(3)
    for where in range(len(whole)):
        found = spoilt(given, damaged(whole, [(deed, where, where)]))
        check(given.reader, path, found, 3, [where * 97], all_told=given.told)
