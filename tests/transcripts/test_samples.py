"""Every agent's invented samples, laid out as a home folder: what their reader tells of them, line by line.

``tests/data/told/<agent>.txt`` is what is expected; ``PASTWORK_ACCEPT=1`` writes it anew.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.model import Exchange, Problem
from pastwork.transcripts.base import Position, Reader, Source, Turn
from pastwork.transcripts.registry import READERS
from tests.transcripts.samples import DATA, LIKE, sources, told

TOLD = DATA / "told"
#: Agents with tests of their own.
ELSEWHERE = {"claude-code", "codex"}
EACH = [reader for reader in READERS if reader.agent not in ELSEWHERE]
each = pytest.mark.parametrize("reader", EACH, ids=lambda reader: reader.agent)


@pytest.fixture(autouse=True)
def _in_greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Some transcripts hold this machine's times."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@each
def test_told(reader: Reader, tmp_path: Path) -> None:
    found = told(reader, sources(reader, tmp_path), tmp_path)
    like, names = LIKE.get(reader.agent, (reader.agent, {}))
    path = TOLD / f"{like}.txt"
    for old, new in names.items():
        found = found.replace(new, old)
    if os.environ.get("PASTWORK_ACCEPT"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


def read(reader: Reader, source: Source, since: Position | None = None) -> list[Turn]:
    return [item for item in reader.read(source, since) if isinstance(item, Turn)]


@each
def test_reading_goes_on_from_every_turn(reader: Reader, tmp_path: Path) -> None:
    """From a turn on, all that follows it in the source comes again, exactly; nothing else comes."""
    for source in sources(reader, tmp_path):
        whole = [turn.exchange for turn in read(reader, source)]
        for at, turn in enumerate(read(reader, source)):
            again = [each.exchange for each in read(reader, source, turn.at)]
            assert again[-len(whole[at:]) :] == whole[at:]
            assert all(exchange in whole for exchange in again)


@each
def test_exchanges_are_well_formed(reader: Reader, tmp_path: Path) -> None:
    exchanges = [turn.exchange for source in sources(reader, tmp_path) for turn in read(reader, source)]
    assert exchanges
    by_id: dict[str, Exchange] = {}
    for exchange in exchanges:
        assert exchange.agent == reader.agent
        assert exchange.prompt.strip()
        assert exchange.twin
        assert exchange.started_at
        assert exchange.ended_at is None or exchange.ended_at >= exchange.started_at
        assert by_id.setdefault(exchange.id, exchange).prompt == exchange.prompt


@each
def test_nothing_is_written(reader: Reader, tmp_path: Path) -> None:
    found = sources(reader, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    for source in found:
        read(reader, source)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@each
@pytest.mark.parametrize("how", ["vanished", "emptied", "garbage"])
def test_what_can_not_be_read_is_a_problem_at_most(reader: Reader, how: str, tmp_path: Path) -> None:
    for source in sources(reader, tmp_path):
        if how == "vanished":
            source.path.unlink()
        else:
            source.path.write_bytes(b"" if how == "emptied" else b"garbage " * 99)
        items = list(reader.read(source))
        assert all(isinstance(item, Problem) for item in items)
        assert len(items) <= 1
        assert items or how != "vanished"
