"""The live keyword lane against ten lines of BM25, through every way its tables can change."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple

from pastwork.index import segments
from pastwork.index.base import Fields
from pastwork.index.okapi import RECIPE, OkapiLane
from pastwork.index.tokens import tokens
from tests.index.twins import bm25

WORDS = [f"word{chr(97 + i % 26)}{'x' * (i // 26)}" for i in range(120)]


def document(chance: random.Random, length: int) -> Fields:
    def draw(share: float) -> str:
        return " ".join(chance.choices(WORDS, weights=[1 / (i + 1) for i in range(len(WORDS))], k=int(length * share)))

    return Fields(draw(0.2), draw(1.0), draw(0.3), draw(0.1))


def lane_of(connection: sqlite3.Connection, documents: dict[int, Fields]) -> OkapiLane:
    lane = OkapiLane(connection)
    lane.prepare()
    lane.add(documents.items())
    return lane


def check(lane: OkapiLane, documents: dict[int, Fields], query: str, allowed: set[int] | None = None) -> None:
    found = lane.search(query, 25, allowed)
    expected = bm25(documents, query, 25, allowed)
    assert [hit.score for hit in found] == pytest.approx([score for _, score in expected], rel=1e-4)
    assert {hit.row for hit in found[:10]} == {row for row, _ in expected[:10]} or len({h.score for h in found}) < len(
        found
    )


def holding(documents: dict[int, Fields], terms: set[str]) -> list[int]:
    """By looking at every document."""
    return sorted(row for row, fields in documents.items() if terms <= set(tokens(" ".join(astuple(fields)))))


def test_none_hold_no_words_or_words_that_nobody_wrote(database: sqlite3.Connection) -> None:
    lane = lane_of(database, {1: Fields("worda")})
    assert list(lane.holders([])) == []
    assert list(lane.holders(["worda", "nowhere"])) == []


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_the_twin_through_adding_replacing_and_removing(
    database: sqlite3.Connection, seed: int
) -> None:
    chance = random.Random(seed)
    documents: dict[int, Fields] = {}
    lane = lane_of(database, documents)
    for _ in range(60):
        batch = {
            chance.randrange(900): document(chance, chance.randrange(60)) for _ in range(chance.choice([1, 3, 70]))
        }
        documents |= batch
        lane.add(batch.items())
        gone = chance.sample(sorted(documents), min(2, len(documents)))
        lane.remove(gone)
        for row in gone:
            del documents[row]
    query = " ".join(chance.choices(WORDS, k=4))
    check(lane, documents, query)
    check(lane, documents, query, set(chance.sample(sorted(documents), 100)))
    assert lane.rows() == sorted(documents)
    assert list(lane.holders(tokens("worda wordb"))) == holding(documents, {"worda", "wordb"})
    assert lane.faults() == []
    while lane.tidy():
        check(lane, documents, query)
    lane.purge()
    check(lane, documents, query)
    check(OkapiLane(database), documents, query)


def test_the_rows_asked_about_are_told_their_scores(database: sqlite3.Connection) -> None:
    chance = random.Random(5)
    documents = {row: document(chance, 30) for row in range(200)}
    lane = lane_of(database, documents)
    terms = dict.fromkeys(["worda", "wordbx"], 1.0)
    everything = lane.lookup(terms, 500)
    few = lane.lookup(terms, 3, None, [hit.row for hit in everything.top[50:60]] + [99_999])
    assert few.total == everything.total == len(everything.top)
    assert few.also == {hit.row: hit.score for hit in everything.top[50:60]}


def test_fields_count_by_their_weights(database: sqlite3.Connection) -> None:
    texts = {1: Fields(prompt="needle a"), 2: Fields(prose="needle a"), 3: Fields(commands="needle a"), 4: Fields()}
    lane = lane_of(database, texts)
    assert [hit.row for hit in lane.search("needle", 9)] == [1, 2, 3]


def test_a_reader_sees_a_commit_at_once_and_nothing_of_what_is_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writing = lane_of(writer, {1: Fields(prose="first")})
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    reading = OkapiLane(reader)
    writer.execute("BEGIN")
    writing.add([(2, Fields(prose="second"))])
    assert reading.search("second", 5) == []
    writer.execute("ROLLBACK")
    assert writing.search("second", 5) == []
    writer.execute("BEGIN")
    writing.add([(3, Fields(prose="third"))])
    assert [hit.row for hit in writing.search("third", 5)] == [3]
    assert reading.search("third", 5) == []
    writer.execute("COMMIT")
    assert [hit.row for hit in reading.search("third", 5)] == [3]
    reader.close()
    writer.close()


def test_a_rolled_back_segment_is_not_taken_for_the_next(database: sqlite3.Connection) -> None:
    lane = lane_of(database, {})
    for text in ("lost", "kept"):
        database.execute("BEGIN")
        lane.add((row, Fields(prose=f"{text} {row}")) for row in range(segments.FLUSH))
        assert lane.search(text, 1)
        database.execute("ROLLBACK" if text == "lost" else "COMMIT")
    assert lane.search("lost", 5) == []
    assert len(lane.search("kept", 500)) == segments.FLUSH


def test_nothing_of_a_removed_text_is_left_after_a_purge(database: sqlite3.Connection) -> None:
    texts = {row: Fields(prose=f"common plain{row}") for row in range(segments.FLUSH * 3)}
    texts[70] = Fields(prose="common huntersecret")
    texts[500] = Fields(prose="common pendingsecret")
    lane = lane_of(database, texts)
    lane.remove([70, 500])
    assert lane.search("huntersecret", 5) == []
    lane.purge()
    dump = "\n".join(
        str(row) for table in ("posting", "pending", "term") for row in database.execute(f"SELECT * FROM okapi_{table}")
    )
    assert "huntersecret" not in dump
    assert "pendingsecret" not in dump
    assert "plain3" in dump


def test_merges_keep_the_number_of_segments_small(database: sqlite3.Connection) -> None:
    lane = lane_of(database, {})
    for start in range(0, 4096, 32):
        lane.add((row, Fields(prose=f"text {row}")) for row in range(start, start + 32))
    count = database.execute("SELECT count(*) FROM okapi_segment").fetchone()[0]
    assert count <= 3 * 4
    assert len(lane.rows()) == 4096


def test_another_recipe_is_made_anew(database: sqlite3.Connection) -> None:
    lane = OkapiLane(database)
    assert lane.prepare()
    born = lane.birth()
    lane.add([(1, Fields(prose="word"))])
    assert not lane.prepare()
    database.execute("UPDATE okapi_meta SET value = ? WHERE key = 'recipe'", (RECIPE + 1,))
    assert lane.prepare()
    assert lane.rows() == []
    assert lane.birth() != born


def test_before_prepare_there_is_nothing_and_no_error(database: sqlite3.Connection) -> None:
    lane = OkapiLane(database)
    assert lane.search("word", 5) == []
    assert lane.rows() == []
    assert lane.faults() == []
    assert lane.holding(["word"]) == {}
    assert lane.matched(["word"], [1]) == {}
    assert lane.birth() == 0


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE okapi_posting SET places = x'0000ff' WHERE term = 'plain'",
        "DELETE FROM okapi_posting WHERE term = 'plain'",
        "UPDATE okapi_posting SET places = x'ffff01' WHERE term = 'plain'",
    ],
)
def test_damage_is_found(database: sqlite3.Connection, damage: str) -> None:
    lane = lane_of(database, {row: Fields(prose=f"plain text {row}") for row in range(segments.FLUSH)})
    assert lane.faults() == []
    database.execute(damage)
    assert len(OkapiLane(database).faults()) == 1


def test_a_word_repeated_without_end_counts_as_much_as_a_byte_holds(database: sqlite3.Connection) -> None:
    lane = lane_of(database, {1: Fields(prose="again " * 5000), 2: Fields(prose="again")})
    assert {hit.row for hit in lane.search("again", 5)} == {1, 2}
    assert lane.faults() == []


def test_the_vocabulary(database: sqlite3.Connection) -> None:
    lane = lane_of(
        database, {row: Fields(prose=text) for row, text in enumerate(["retry timeout", "timeouts timer", "time"])}
    )
    assert lane.holding(["timeout", "time", "nothing"]) == {"timeout": 2, "time": 1}
    assert lane.known(["timer", "time", "nothing"]) == {"timer", "time"}
    assert lane.beginning("time", 9) == ["time", "timer", "timeout"]
    assert lane.matched(["timeout", "retri", "time"], [0, 1]) == {0: ["timeout", "retri"], 1: ["timeout"]}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=8), st.text(max_size=60))
def test_any_text_and_any_query_is_taken(texts: list[str], query: str) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        lane = lane_of(connection, {row: Fields(prose=text) for row, text in enumerate(texts)})
        check(lane, {row: Fields(prose=text) for row, text in enumerate(texts)}, query)
    finally:
        connection.close()
