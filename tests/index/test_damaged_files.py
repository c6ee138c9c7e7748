"""Every flipped bit, cut and run of zeroes in any derived file is noticed before the file is used."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pastwork.index import derived
from pastwork.index.base import Fields
from pastwork.index.fulltext import FulltextLane, Holdings
from pastwork.index.vectors import HnswLane
from tests.index.test_vectors import unit_vectors
from tests.sizes import size

Damage = Callable[[bytes, random.Random], bytes]
TEXTS = {row: Fields(prose=f"alpha beta{row} gamma{row % 7}") for row in range(60)}


def made(folder: Path) -> list[Path]:
    """One derived file (or folder) of each kind; what lies in ``folder`` afterwards."""
    graph = HnswLane()
    graph.add(enumerate(unit_vectors(80)))
    graph.save(folder / "core.hnsw", "store 1", 77)
    words = FulltextLane(folder / "verbatim.whoosh", "store 1")
    words.update(dict.fromkeys(TEXTS, b"m" * 16), TEXTS.__getitem__, 5)
    words.close()
    matrix = unit_vectors(50).astype(np.float16)
    derived.write(folder / "texts.npz", "store 1", 3, 50, lambda part: saved(part, matrix))
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("LOCK"))


def saved(part: Path, matrix: np.ndarray[tuple[int, ...], np.dtype[np.float16]]) -> None:
    with part.open("wb") as file:
        np.savez(file, rows=np.arange(len(matrix)), vectors=matrix)


def believed(folder: Path, file: Path) -> bool:
    """Whether whoever uses the derived file that ``file`` is part of would take it as it lies there."""
    name = file.relative_to(folder).parts[0].removesuffix(derived.STAMP)
    if name.endswith(".whoosh"):
        lane = FulltextLane(folder / name, "store 1")
        return lane._held() is not None
    if "hnsw" in name:
        return HnswLane.saved(folder / "core.hnsw", "store 1") is not None
    return derived.read(folder / name, "store 1") is not None


def flips(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def cuts(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def zeroes(data: bytes, chance: random.Random) -> bytes:
    at, long = chance.randrange(len(data)), chance.choice([1, 16, 512, 4096])
    return (data[:at] + bytes(long) + data[at + long :])[: len(data)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    folder = tmp_path_factory.mktemp("derived")
    return folder, made(folder)


@pytest.mark.parametrize(("damage", "share"), [(flips, 1), (cuts, 10), (zeroes, 10)], ids=["flips", "cuts", "zeroes"])
def test_damage_is_noticed(files: tuple[Path, list[Path]], damage: Damage, share: int) -> None:
    folder, paths = files
    assert len(paths) == 9, "graph, rows, texts, full text in two parts, and four stamps"
    chance = random.Random(20)
    for path in paths:
        whole = path.read_bytes()
        assert believed(folder, path)
        for _ in range(size("FLIPS") // share):
            harmed = damage(whole, chance)
            if harmed == whole:
                continue
            path.write_bytes(harmed)
            assert not believed(folder, path), path
        path.write_bytes(whole)
    assert derived.unsound(folder) == []


@pytest.mark.parametrize("damage", [flips, cuts, zeroes])
def test_a_damaged_file_is_named_by_verify(tmp_path: Path, damage: Damage) -> None:
    chance = random.Random(3)
    for path in made(tmp_path / "made"):
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.copytree(tmp_path / "made", tmp_path / "copy")
        harmed = damage(path.read_bytes(), chance)
        if harmed != path.read_bytes():
            (tmp_path / "copy" / path.relative_to(tmp_path / "made")).write_bytes(harmed)
            assert len(derived.unsound(tmp_path / "copy")) == 1


def test_a_stamp_is_read_as_whoever_wrote_it(files: tuple[Path, list[Path]]) -> None:
    folder, _ = files
    held = derived.stamp(folder / "verbatim.whoosh", Holdings)
    assert held is not None
    assert (held.generation, held.count, len(held.marks)) == (5, 60, 60)
