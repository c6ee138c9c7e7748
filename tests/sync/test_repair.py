"""A damaged store is not the end: what can be read is saved, forgotten things stay forgotten."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pastwork.errors import StoreUnusable
from pastwork.index.okapi import OkapiLane
from pastwork.model import PalaceObject
from pastwork.store import places
from pastwork.store.forget import Forgetting, forget
from pastwork.store.lock import WriterBusy
from pastwork.store.reader import StoreReader
from pastwork.store.verify import verify
from pastwork.store.writer import StoreWriter
from pastwork.sync.digest import distil
from pastwork.sync.repair import repair
from tests.store.samples import dump
from tests.sync.jotter import Home, ask, line


def filled(tmp_path: Path, transcripts: int = 6) -> Path:
    """A store of 15 exchanges a transcript, the transcripts gone; one exchange forgotten, one distilled by a model."""
    data = tmp_path / "data"
    home = Home(tmp_path / "home", StoreWriter.open(data))
    with home.writer as writer:
        for name in range(transcripts):
            home.write(
                f"{name}.jot", line(title=f"T{name}"), *(ask(f"topic {name}-{n}", 100 * name + n) for n in range(1, 16))
            )
        home.sync().run_once(vectors=False)
        forget(writer, Forgetting(exchange_id=writer.verbatim(3).id), [OkapiLane(writer.connection)])
        writer.set_object(5, PalaceObject("By a model", "a word", distilled_by="ollama:tiny"), 4)
        for path in home.path(".").glob("*.jot"):
            path.unlink()
    return data


def test_a_sound_store_comes_out_whole(tmp_path: Path) -> None:
    data = filled(tmp_path)
    with StoreReader.open(data) as reader:
        before = dump(reader.connection)
    answer = repair(data, distil)
    assert (answer.kept, answer.lost, answer.forgotten) == (89, 0, True)
    with StoreReader.open(data) as reader:
        assert dump(reader.connection) == before
        assert verify(reader).faults == ()
        kept = [kept.object.distilled_by for kept in reader.kept(range(1, 99)).values()]
        assert kept.count("ollama:tiny") == 1


@pytest.mark.parametrize("seed", range(12))
def test_torn_pages(tmp_path: Path, seed: int) -> None:
    data = filled(tmp_path)
    path, chance = data / places.STORE, random.Random(seed)
    content = bytearray(path.read_bytes())
    torn = [chance.randrange(1, len(content) // 4096) for _ in range(3)]
    for page in torn:
        content[page * 4096 : (page + 1) * 4096] = chance.choice([bytes(4096), chance.randbytes(4096)])
    path.write_bytes(content)
    answer = repair(data, distil)
    with StoreReader.open(data) as reader:
        assert verify(reader).faults == ()
        assert len(reader.kept(range(1, 99))) == answer.kept
        assert answer.kept > 40, f"three pages cost {89 - answer.kept} of 89 exchanges"
    assert answer.aside.read_bytes() == bytes(content)


def test_transcripts_that_are_still_there_fill_the_gaps(tmp_path: Path) -> None:
    data = tmp_path / "data"
    home = Home(tmp_path / "home", StoreWriter.open(data))
    home.write("a.jot", ask("tides", 1), ask("ferries", 2))
    home.sync().run_once(vectors=False)
    home.writer.close()
    (data / places.STORE).write_bytes(b"no header any more" * 1000)
    with pytest.raises(StoreUnusable):
        StoreWriter.open(data)
    answer = repair(data, distil)
    assert (answer.kept, answer.forgotten) == (0, False)
    home.writer = StoreWriter.open(data)
    home.sync().run_once(vectors=False)
    assert home.prompts() == ["ferries", "tides"]
    home.writer.close()


def test_a_second_repair_keeps_both_wrecks(tmp_path: Path) -> None:
    data = filled(tmp_path, transcripts=1)
    wrecks = {repair(data, distil).aside for _ in range(2)}
    assert len(wrecks) == 2
    assert all(wreck.exists() for wreck in wrecks)


def test_not_while_somebody_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = filled(tmp_path, transcripts=1)
    monkeypatch.setattr("pastwork.sync.repair.PATIENCE", 0.1)
    with StoreWriter.open(data), pytest.raises(WriterBusy):
        repair(data, distil)
    assert (data / places.STORE).exists()


def test_nothing_to_repair(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable):
        repair(tmp_path, distil)
