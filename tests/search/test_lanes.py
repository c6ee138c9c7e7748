"""The lanes of a store follow every commit; derived files serve the next process, and no other store."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork.search import live
from pastwork.search.modes import CORE, KeywordLane, VectorsLane
from tests.search.stand_ins import MemoryStore, WordVectors, lanes_of

CORES = VectorsLane("distilled", "exact", CORE)
GRAPH = VectorsLane("distilled", "hnsw", CORE)
ROOMS = VectorsLane("distilled", "exact", ("rooms",))
ROOMS_GRAPH = VectorsLane("distilled", "hnsw", ("rooms",))
VERBATIM = VectorsLane("verbatim", "exact")


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    for row in range(1, 9):
        made.put(row, f"word{row} common text")
    return made


def rows(lane: object, text: str) -> list[int]:
    query = WordVectors().embed([text])[0]
    return [hit.row for hit in lane.search(query, 50)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [CORES, GRAPH, ROOMS, VERBATIM], ids=["exact", "hnsw", "rooms", "verbatim"])
def test_vectors_follow_what_is_added_changed_and_forgotten(
    store: MemoryStore, tmp_path: Path, kind: VectorsLane
) -> None:
    lanes = lanes_of(store, tmp_path)
    notes: list[str] = []
    assert sorted(rows(lanes.vectors(kind, notes), "common")) == list(range(1, 9))
    store.put(9, "zebra stripes")
    store.put(1, "zebra changed")
    store.forget(2)
    found = rows(lanes.vectors(kind, notes), "zebra")
    assert sorted(found) == [1, 3, 4, 5, 6, 7, 8, 9]
    assert set(found[:2]) == {1, 9}
    assert notes == []


@pytest.mark.parametrize(
    "lane",
    [
        KeywordLane("verbatim", "okapi"),
        KeywordLane("verbatim", "fts"),
        KeywordLane("distilled", "okapi", CORE),
        KeywordLane("distilled", "fts", ("core", "rooms")),
    ],
    ids=str,
)
def test_words_follow_what_is_added_changed_and_forgotten(
    store: MemoryStore, tmp_path: Path, lane: KeywordLane
) -> None:
    lanes = lanes_of(store, tmp_path)

    def found(term: str) -> set[int]:
        return {hit.row for hit in lanes.words(lane, []).lookup({term: 1.0}, 50).top}

    assert found("common") == set(range(1, 9))
    store.put(9, "zebra common")
    store.put(1, "zebra changed")
    store.forget(2)
    assert found("zebra") == {1, 9}
    assert found("common") == {3, 4, 5, 6, 7, 8, 9}
    lanes.close()


def test_a_graph_is_kept_for_the_next_process_and_brought_up_to_date(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lanes_of(store, tmp_path).vectors(GRAPH, [])
    assert (tmp_path / "vectors.hnsw").exists()
    store.put(9, "zebra stripes")
    store.forget(3)
    monkeypatch.setattr(live.LiveVectors, "_build", lambda *_: pytest.fail("built again"))
    found = rows(lanes_of(store, tmp_path).vectors(GRAPH, []), "zebra")
    assert found[0] == 9
    assert sorted(found) == [1, 2, 4, 5, 6, 7, 8, 9]


def test_a_damaged_graph_is_built_again(store: MemoryStore, tmp_path: Path) -> None:
    lanes_of(store, tmp_path).vectors(GRAPH, [])
    path = tmp_path / "vectors.hnsw"
    data = bytearray(path.read_bytes())
    data[-40] ^= 255
    path.write_bytes(data)
    assert sorted(rows(lanes_of(store, tmp_path).vectors(GRAPH, []), "common")) == list(range(1, 9))
    assert path.read_bytes() != bytes(data)


def test_another_stores_derived_files_are_not_taken(store: MemoryStore, tmp_path: Path) -> None:
    lanes_of(store, tmp_path).vectors(GRAPH, [])
    other = MemoryStore()
    other.put(77, "zebra")
    lanes = lanes_of(other, tmp_path)
    assert rows(lanes.vectors(GRAPH, []), "zebra") == [77]
    assert rows(lanes.vectors(ROOMS, []), "zebra") == [77]
    assert [hit.row for hit in lanes.words(KeywordLane("verbatim", "fts"), []).lookup({"zebra": 1.0}, 5).top] == [77]
    lanes.close()


def test_while_a_graph_is_built_exact_search_answers(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "QUICK", 0)
    monkeypatch.setattr(live.Thread, "start", lambda self: None)
    notes: list[str] = []
    lane = lanes_of(store, tmp_path, patient=False).vectors(GRAPH, notes)
    assert type(lane).__name__ == "ExactLane"
    assert notes == ["hnsw: the graph is being built; exact search answered"]


def test_many_vectors_are_walked_unasked_and_held_once(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MANY", 5)
    lanes = lanes_of(store, tmp_path)
    automatic = VectorsLane("distilled", "auto", CORE)
    assert type(lanes.vectors(automatic, [])).__name__ == "HnswLane"
    assert lanes._live is not None
    assert lanes._live._exact is None
    store.put(9, "zebra stripes")
    assert rows(lanes.vectors(automatic, []), "zebra")[0] == 9


def test_a_stale_graph_is_rebuilt(store: MemoryStore, tmp_path: Path) -> None:
    lanes = lanes_of(store, tmp_path)
    first = lanes.vectors(GRAPH, [])
    for row in (1, 2, 3):
        store.forget(row)
    lanes.vectors(GRAPH, [])
    after = lanes.vectors(GRAPH, [])
    assert after is not first
    assert not after.stale  # type: ignore[union-attr]
    assert sorted(rows(after, "common")) == [4, 5, 6, 7, 8]


@pytest.mark.parametrize("kind", [ROOMS, ROOMS_GRAPH], ids=["exact", "hnsw"])
def test_a_computed_lane_does_not_grow_by_what_is_changed(
    store: MemoryStore, tmp_path: Path, kind: VectorsLane
) -> None:
    lanes = lanes_of(store, tmp_path)
    for number in range(100):
        store.put(1, f"zebra {number}")
        lane = lanes.vectors(kind, [])
        assert len(lane._data()) <= 12  # type: ignore[union-attr]
    assert sorted(rows(lane, "zebra")) == list(range(1, 9))


def test_computed_vectors_come_a_few_at_a_time_and_are_kept(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pastwork.search import lanes as module

    monkeypatch.setattr("pastwork.search.computed.FEW", 3)
    lanes = lanes_of(store, tmp_path, patient=False)
    told = []
    for _ in range(4):
        notes: list[str] = []
        lanes.vectors(VERBATIM, notes)
        told += notes or ["ready"]
    assert told == [
        "verbatim vectors: 3 of 8 exchanges ready; they are kept for comparing only, and each search embeds 3 more",
        "verbatim vectors: 6 of 8 exchanges ready; they are kept for comparing only, and each search embeds 2 more",
        "ready",
        "ready",
    ]
    again = lanes_of(store, tmp_path, patient=False)
    assert len(again.vectors(VERBATIM, [])) == 8  # type: ignore[arg-type]
    embedder = again._embedder
    assert isinstance(embedder, WordVectors)
    assert embedder.texts == []
    assert module.ASKED > 0


def test_query_vectors_are_remembered_and_the_model_is_released(store: MemoryStore, tmp_path: Path) -> None:
    lanes = lanes_of(store, tmp_path)
    for text in ("a", "b", "a", "a"):
        assert lanes.embed(text, []) is not None
    embedder = lanes._embedder
    assert isinstance(embedder, WordVectors)
    assert embedder.texts == ["a", "b"]
    lanes.release()
    assert embedder.released == 1


def test_a_model_that_comes_later_is_used(store: MemoryStore, tmp_path: Path) -> None:
    lanes = lanes_of(store, tmp_path, model=False)
    notes: list[str] = []
    assert lanes.vectors(CORES, notes) is None
    assert notes == ["no embedding model; run `pastwork model install`"]
    lanes._make = WordVectors
    assert lanes.vectors(CORES, []) is not None


def test_no_vectors_at_all_are_told(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put(1, "alone", embedded=False)
    notes: list[str] = []
    assert lanes_of(store, tmp_path).vectors(CORES, notes) is None
    assert notes == ["vectors: 0 of 1 exchanges ready"]


def test_a_folder_that_cannot_be_written_weakens_nothing_but_speed(store: MemoryStore, tmp_path: Path) -> None:
    blocked = tmp_path / "derived"
    blocked.write_text("a file where the folder should be")
    lanes = lanes_of(store, blocked)
    for kind in (CORES, GRAPH, ROOMS, VERBATIM):
        assert sorted(rows(lanes.vectors(kind, []), "common")) == list(range(1, 9))
    notes: list[str] = []
    words = lanes.words(KeywordLane("verbatim", "fts"), notes)
    assert {hit.row for hit in words.lookup({"common": 1.0}, 50).top} == set(range(1, 9))
    assert len(notes) == 1
    assert "okapi answered" in notes[0]
    assert blocked.read_text() == "a file where the folder should be"
