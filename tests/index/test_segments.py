"""Segments: packing, when they merge, and what their tables hold after any history of changes."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.index import segments
from pastwork.index.base import Fields
from pastwork.index.okapi import OkapiLane
from pastwork.index.postings import Postings
from pastwork.index.segments import CAP, FAN, FLUSH, LARGEST, Segment, full_class, pack, unpack

bags = st.dictionaries(st.text(min_size=1, max_size=4), st.integers(1, CAP), max_size=6)


@given(st.dictionaries(st.integers(0, 10**12), bags, max_size=12))
def test_packing_and_unpacking_give_the_bags_back(documents: dict[int, dict[str, int]]) -> None:
    segment, packed = pack(list(documents.items()))
    back: dict[int, dict[str, int]] = {row: {} for row in documents}
    for term, blob in packed.items():
        places, counts = unpack(blob)
        for place, count in zip(places.tolist(), counts.tolist(), strict=True):
            back[int(segment.rows[place])][term] = count
    assert back == documents
    assert segment.rows.tolist() == sorted(documents)
    assert segment.lengths.tolist() == [sum(documents[row].values()) for row in sorted(documents)]


def of_size(size: int, number: int = 0, dead: int = 0) -> Segment:
    alive = np.ones(size, np.bool_)
    alive[:dead] = False
    return Segment(number, np.arange(size), np.zeros(size, np.float32), alive, dead)


@pytest.mark.parametrize(
    ("sizes", "largest", "merged"),
    [
        ([], LARGEST, []),
        ([FLUSH] * (FAN - 1), LARGEST, []),
        ([FLUSH] * FAN, LARGEST, [FLUSH] * FAN),
        ([FLUSH * FAN, *[FLUSH] * FAN], LARGEST, [FLUSH] * FAN),
        ([5000, 70, 80, 90, 100], LARGEST, [70, 80, 90, 100]),
        ([5000] * FAN, 8192, []),
        ([5000] * FAN, LARGEST, [5000] * FAN),
        ([30_000] * FAN, LARGEST, []),
    ],
)
def test_a_full_size_class_is_merged_if_the_result_is_not_too_large(
    sizes: list[int], largest: int, merged: list[int]
) -> None:
    assert [len(s.rows) for s in full_class([of_size(size) for size in sizes], largest)] == merged


def test_the_dead_do_not_count_against_the_largest() -> None:
    assert len(full_class([of_size(20_000, n, dead=5_000) for n in range(FAN)], LARGEST)) == FAN


def test_a_merge_keeps_every_posting_of_the_living_and_none_of_the_dead(database: sqlite3.Connection) -> None:
    postings = Postings(database)
    postings.create()
    postings.write([(row, {"even" if row % 2 == 0 else "odd": row % 7 + 1, "all": 1}) for row in range(100, 130)])
    postings.write([(row, {"low": 3, "all": 2}) for row in range(20)])
    first, second = (
        postings.segment(i)
        for i in sorted(postings.segment_ids(), key=lambda i: len(postings.segment(i).rows), reverse=True)
    )
    postings.kill(first.id, [0, 1])
    postings.merge([postings.segment(first.id), second])
    (only,) = map(postings.segment, postings.segment_ids())
    assert only.rows.tolist() == [*range(20), *range(102, 130)]
    assert only.dead == 0
    assert postings.faults(only) == []
    held = {term: unpack(blob) for term, blob in postings.lookup(only.id, ["even", "odd", "all", "low"])}
    assert [int(only.rows[p]) for p in held["even"][0]] == list(range(102, 130, 2))
    assert held["odd"][1].tolist() == [row % 7 + 1 for row in range(103, 130, 2)]
    assert len(held["all"][0]) == 48
    assert postings.dead_counts() == {}


def test_a_segment_of_dead_alone_disappears(database: sqlite3.Connection) -> None:
    postings = Postings(database)
    postings.create()
    postings.write([(1, {"a": 1})])
    (only,) = postings.segment_ids()
    postings.kill(only, [0])
    postings.merge([postings.segment(only)])
    assert postings.segment_ids() == []
    assert database.execute("SELECT count(*) FROM okapi_posting").fetchone() == (0,)


def test_readers_beside_a_writer_never_see_half_a_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each commit holds a whole batch; a reader that meets part of one, or a merge half done, would count wrong."""
    monkeypatch.setattr(segments, "FLUSH", 8)
    path, batch, batches = tmp_path / "store.db", 16, 60
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    lane = OkapiLane(writer)
    lane.prepare()
    faults: list[str] = []
    finished = threading.Event()

    def read() -> None:
        reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        reading, last = OkapiLane(reader), 0
        while not finished.is_set() or last < batch * batches:
            total = reading.lookup({"common": 1.0}, 5).total
            if total < last or total % batch:
                faults.append(f"{total} after {last}")
                break
            last = total
        reader.close()

    thread = threading.Thread(target=read)
    thread.start()
    try:
        for number in range(batches):
            writer.execute("BEGIN")
            lane.add((number * batch + i, Fields(prose=f"common word{i}")) for i in range(batch))
            writer.execute("COMMIT")
    finally:
        finished.set()
        thread.join(60)
        writer.close()
    assert faults == []
