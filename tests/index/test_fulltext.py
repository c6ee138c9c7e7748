"""The full-text lane against a simple BM25F, and its folder against damage."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.index import derived
from pastwork.index.base import Fields
from pastwork.index.fulltext import FulltextLane
from tests.index.test_okapi import WORDS, document
from tests.index.twins import bm25f


@pytest.fixture
def lanes(tmp_path: Path) -> Iterator[list[FulltextLane]]:
    made: list[FulltextLane] = []
    yield made
    for lane in made:
        lane.close()


def opened(lanes: list[FulltextLane], tmp_path: Path, origin: str = "store 1") -> FulltextLane:
    lanes.append(FulltextLane(tmp_path / "verbatim.whoosh", origin))
    return lanes[-1]


def marks(documents: dict[int, Fields]) -> dict[int, bytes]:
    return {row: repr(fields).encode() for row, fields in documents.items()}


def test_scores_are_those_of_the_twin(lanes: list[FulltextLane], tmp_path: Path) -> None:
    chance = random.Random(3)
    documents = {row: document(chance, 40) for row in range(120)}
    lane = opened(lanes, tmp_path)
    assert lane.update(marks(documents), documents.__getitem__) == 120
    for query in ("worda wordbx", "wordc", "wordzzz unknown"):
        expected = bm25f(documents, query)
        found = lane.lookup(dict.fromkeys(query.split(), 1.0), 500)
        assert {hit.row: hit.score for hit in found.top} == pytest.approx(expected, rel=0.02)
        assert found.total == len(expected)


@pytest.mark.skipif(os.name == "nt", reason="rights are POSIX")
def test_nobody_else_may_read_it_whatever_the_umask(lanes: list[FulltextLane], tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        opened(lanes, tmp_path).update({1: b"x"}, lambda row: Fields(prose="alpha"))
    finally:
        os.umask(before)
    place = tmp_path / "verbatim.whoosh"
    assert {oct(path.stat().st_mode & 0o777) for path in place.iterdir()} == {"0o600"}
    assert oct(place.stat().st_mode & 0o777) == "0o700"


def test_only_what_changed_is_taken_up(lanes: list[FulltextLane], tmp_path: Path) -> None:
    documents = {row: Fields(prose=f"alpha beta{row}") for row in range(30)}
    assert opened(lanes, tmp_path).update(marks(documents), documents.__getitem__, 5) == 30
    again = opened(lanes, tmp_path)
    assert again.update(marks(documents), documents.__getitem__, 5) == 0
    del documents[3]
    documents[4] = Fields(prompt="gamma")
    documents[99] = Fields(commands="delta")
    read: list[int] = []

    def fields(row: int) -> Fields:
        read.append(row)
        return documents[row]

    assert again.update(marks(documents), fields, 6) == 3
    assert sorted(read) == [4, 99]
    for word, rows in (("gamma", [4]), ("delta", [99]), ("beta", [r for r in documents if r not in (4, 99)])):
        assert sorted(hit.row for hit in again.search(word, 99)) == sorted(rows), word


def test_allowed_rows_and_rows_asked_about(lanes: list[FulltextLane], tmp_path: Path) -> None:
    lane = opened(lanes, tmp_path)
    lane.add((row, Fields(prose="word " * (row + 1))) for row in range(20))
    everything = lane.lookup({"word": 1.0}, 50)
    few = lane.lookup({"word": 1.0}, 2, {1, 2, 3, 4}, [4, 9])
    assert {hit.row for hit in few.top} <= {1, 2, 3, 4}
    assert few.total == 4
    assert few.also == {4: next(hit.score for hit in everything.top if hit.row == 4)}
    assert lane.lookup({"word": 1.0}, 5, set()).top == []
    assert lane.lookup({"word": 1.0}, 5, {12345}).top == []
    assert lane.lookup({}, 5).top == []
    lane.remove([0, 1])
    assert {hit.row for hit in lane.search("word", 50)} == set(range(2, 20))


@pytest.mark.parametrize("damage", ["flip", "missing file", "no stamp", "cut stamp"])
def test_a_damaged_folder_is_made_anew(lanes: list[FulltextLane], tmp_path: Path, damage: str) -> None:
    documents = {row: Fields(prose=f"alpha beta{row}") for row in range(30)}
    lane = opened(lanes, tmp_path)
    lane.update(marks(documents), documents.__getitem__)
    lane.close()
    segment = next((tmp_path / "verbatim.whoosh").glob("*.seg"))
    stamp = tmp_path / "verbatim.whoosh.stamp"
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    {
        "flip": lambda: segment.write_bytes(data),
        "missing file": segment.unlink,
        "no stamp": stamp.unlink,
        "cut stamp": lambda: stamp.write_bytes(stamp.read_bytes()[:20]),
    }[damage]()
    assert [path.name for path in derived.unsound(tmp_path)] == ([] if damage == "no stamp" else ["verbatim.whoosh"])
    again = opened(lanes, tmp_path)
    assert again.update(marks(documents), documents.__getitem__) == 30
    assert derived.unsound(tmp_path) == []
    assert len(again.search("alpha", 99)) == 30


def test_the_folder_of_another_store_is_made_anew(lanes: list[FulltextLane], tmp_path: Path) -> None:
    documents = {1: Fields(prose="alpha")}
    opened(lanes, tmp_path).update(marks(documents), documents.__getitem__)
    assert opened(lanes, tmp_path, "store 2").update(marks(documents), documents.__getitem__) == 1


@pytest.mark.parametrize("query", ["", "AND OR NOT", 'field:value* "', "(((", "\ud800", WORDS[0] * 500, "?*[a-z]~2^4"])
def test_any_query_is_taken(lanes: list[FulltextLane], tmp_path: Path, query: str) -> None:
    lane = opened(lanes, tmp_path)
    lane.add([(1, Fields(prose="and or not field value a z 2 4"))])
    assert len(lane.search(query, 5)) <= 1
