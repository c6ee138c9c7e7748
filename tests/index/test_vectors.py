"""Vector lanes against a plain comparison of all vectors, and a saved graph against itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pastwork.index import base, derived
from pastwork.index.base import RowSet
from pastwork.index.vectors import ExactLane, HnswLane, VectorLane
from tests.index.twins import nearest, unit_vectors

LANES = [ExactLane, HnswLane]


def filled(kind: type[VectorLane], vectors: dict[int, np.ndarray]) -> VectorLane:
    lane = kind()
    lane.load(np.array(list(vectors)), np.stack(list(vectors.values())))
    return lane


@pytest.mark.parametrize("kind", LANES)
@pytest.mark.parametrize(
    "allowed",
    [None, set(range(0, 6000, 2)), set(range(0, 6000, 40)), {3, 999_999}, {999_999}, set()],
    ids=["all", "half", "few", "one", "unknown", "none"],
)
def test_the_best_are_those_of_the_twin(kind: type[VectorLane], allowed: set[int] | None) -> None:
    vectors = dict(zip(range(0, 6000, 3), unit_vectors(2000), strict=True))
    lane = filled(kind, vectors)
    hits = agreed = 0
    for query in unit_vectors(20, seed=2):
        found = [hit.row for hit in lane.search(query, 10, allowed)]
        expected = nearest(vectors, query, 10, allowed)
        assert len(found) == len(expected)
        hits, agreed = hits + len(expected), agreed + len(set(found) & set(expected))
    assert agreed == hits if kind is ExactLane else agreed >= 0.99 * hits


@pytest.mark.parametrize("kind", LANES)
def test_replaced_and_removed_rows_are_gone_at_once(kind: type[VectorLane]) -> None:
    vectors = dict(enumerate(unit_vectors(300)))
    lane = filled(kind, vectors)
    new = unit_vectors(2, seed=9)
    lane.add([(5, new[0]), (7_000, new[1])])
    lane.remove([6, 123_456])
    assert len(lane) == 300
    assert lane.search(new[0], 1)[0].row == 5
    assert lane.search(new[1], 1)[0].row == 7_000
    assert 6 not in [hit.row for hit in lane.search(vectors[6], 300)]
    assert lane.search(vectors[5], 1)[0].row != 5
    assert sorted(lane.contents()[0].tolist()) == sorted([row for row in range(300) if row != 6] + [7_000])


@pytest.mark.parametrize("kind", LANES)
def test_a_lane_with_many_dead_is_stale_and_rebuilt_smaller(kind: type[VectorLane]) -> None:
    lane = filled(kind, dict(enumerate(unit_vectors(200))))
    assert not lane.stale
    lane.remove(range(60))
    assert lane.stale
    fresh = lane.rebuilt()
    assert not fresh.stale
    assert len(fresh) == len(lane) == 140
    query = unit_vectors(1, seed=3)[0]
    assert [h.row for h in fresh.search(query, 5)] == [h.row for h in lane.search(query, 5)]


def test_an_exact_lane_does_not_grow_by_what_is_replaced() -> None:
    """An exchange that an agent works at is embedded at each of its records."""
    vectors = dict(enumerate(unit_vectors(200)))
    lane = filled(ExactLane, vectors)
    for number, vector in enumerate(unit_vectors(2_000, seed=5)):
        vectors[190 + number % 10] = vector
        lane.add([(190 + number % 10, vector)])
        assert len(lane._data()) <= 251
    assert len(lane) == 200
    assert [lane.search(vector, 1)[0].row for vector in vectors.values()] == list(vectors)
    assert lane.similar(vectors[195], [3, 195])[195] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("kind", LANES)
def test_an_empty_lane_finds_nothing(kind: type[VectorLane]) -> None:
    lane = kind()
    query = unit_vectors(1)[0]
    assert lane.search(query, 5) == []
    assert lane.similar(query, [1, 2]) == {}
    lane.load(np.empty(0, np.int64), np.empty((0, 384), np.float32))
    lane.remove([1])
    assert len(lane) == 0
    assert lane.contents()[1].shape == (0, 384)


def test_a_row_given_twice_at_once_counts_once() -> None:
    lane = ExactLane()
    pair = unit_vectors(2)
    lane.load(np.array([4, 4]), pair)
    assert len(lane) == 1
    assert [hit.row for hit in lane.search(pair[1], 5)] == [4]
    assert lane.search(pair[1], 1)[0].score == pytest.approx(1, abs=1e-4)


def test_similar_tells_the_cosine_of_the_rows_asked_about() -> None:
    vectors = dict(enumerate(unit_vectors(50)))
    lane = filled(ExactLane, vectors)
    query = unit_vectors(1, seed=4)[0]
    told = lane.similar(query, [3, 7, 999])
    assert told == pytest.approx({row: float(vectors[row] @ query) for row in (3, 7)}, abs=1e-4)


def test_a_saved_graph_comes_back_with_its_rows_and_its_dead(tmp_path: Path) -> None:
    lane = filled(HnswLane, dict(enumerate(unit_vectors(400))))
    assert isinstance(lane, HnswLane)
    lane.remove([1, 2, 3])
    path = tmp_path / "cache" / "vectors.hnsw"
    lane.save(path, "store 1", 77)
    found = HnswLane.saved(path, "store 1")
    assert found is not None
    back, generation = found
    query = unit_vectors(1, seed=5)[0]
    assert generation == 77
    assert len(back) == 397
    assert back.search(query, 20) == lane.search(query, 20)
    back.add([(1, query)])
    assert back.search(query, 1)[0].row == 1
    assert {oct(p.stat().st_mode & 0o777) for p in path.parent.iterdir()} == {"0o600"}


@pytest.mark.parametrize("part", ["vectors.hnsw", "vectors.hnsw.rows", "vectors.hnsw.stamp", "vectors.hnsw.rows.stamp"])
@pytest.mark.parametrize("damage", ["flip", "cut", "gone"])
def test_a_damaged_graph_is_not_believed(tmp_path: Path, part: str, damage: str) -> None:
    lane = filled(HnswLane, dict(enumerate(unit_vectors(100))))
    assert isinstance(lane, HnswLane)
    lane.save(tmp_path / "vectors.hnsw", "store 1", 1)
    file = tmp_path / part
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(data if damage == "flip" else data[:-9])
    assert HnswLane.saved(tmp_path / "vectors.hnsw", "store 1") is None


def test_a_graph_of_another_store_or_dimension_is_not_taken(tmp_path: Path) -> None:
    lane = filled(HnswLane, dict(enumerate(unit_vectors(100))))
    assert isinstance(lane, HnswLane)
    lane.save(tmp_path / "g", "store 1", 1)
    assert HnswLane.saved(tmp_path / "g", "store 2") is None
    assert HnswLane.saved(tmp_path / "g", "store 1", dimension=768) is None


def test_derived_files_are_whole_or_not_there(tmp_path: Path) -> None:
    def fail(part: Path) -> None:
        part.write_bytes(b"half")
        raise OSError("disk full")

    target = tmp_path / "file"
    derived.write(target, "o", 3, 5, lambda part: part.write_bytes(b"whole") and None)
    with pytest.raises(OSError, match="disk full"):
        derived.write(target, "o", 4, 6, fail)
    stamp = derived.read(target, "o")
    assert stamp is not None
    assert (stamp.generation, stamp.count) == (3, 5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "file.stamp"]
    assert derived.read(target, "other") is None
    assert derived.read(tmp_path / "absent", "o") is None


def test_damaged_files_and_folders_are_named(tmp_path: Path) -> None:
    for name in ("good", "bad", "gone"):
        derived.write(tmp_path / name, "o", 1, 1, lambda part: part.write_bytes(b"whole") and None)
    (tmp_path / "bad").write_bytes(b"wholf")
    (tmp_path / "gone").unlink()
    (tmp_path / "garbled.stamp").write_text("no stamp")
    assert [path.name for path in derived.unsound(tmp_path)] == ["bad", "garbled", "gone"]
    assert derived.count(tmp_path) == 4
    assert derived.unsound(tmp_path / "absent") == []


@pytest.mark.parametrize("dense", [0, 4_000_000])
@pytest.mark.parametrize("rows", [[], [5], [3, 1, 2, 3], [0]])
def test_a_row_set_is_a_set(rows: list[int], dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "DENSE", dense)
    found = RowSet.of(rows)
    assert found.has(np.array([-1, 10**12])).tolist() == [False, False]
    assert list(found) == sorted(set(rows))
    assert len(found) == len(set(rows))
    assert [row in found for row in range(7)] == [row in set(rows) for row in range(7)]
    assert found.has(np.arange(7)).tolist() == [row in set(rows) for row in range(7)]
    assert RowSet.of(found) is found
    assert "x" not in found
