"""The engine over a small store: reasons, narrowing, phrases, notes, and any input at all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pastwork.index.base import RowSet
from pastwork.search.engine import READ, Engine, recent
from pastwork.search.filters import parse_query
from pastwork.search.lanes import StoreLanes
from pastwork.search.modes import parse
from pastwork.search.ranking import Ranking
from tests.search.stand_ins import MemoryStore, lanes_of

TEXTS = {
    1: "The connection pool timed out and every retry opened a new session",
    2: "Renamed retry_timeout to retry_deadline in pool.py",
    3: "Bread needs flour, water, salt and a warm place",
    4: "E0382 borrow of moved value: `config` in src/main.rs",
    5: "the connection to the pool of swimmers",
    6: "數據庫連接池超時了",
}
MODES = [
    "cross",
    "verbatim-okapi",
    "verbatim-fts",
    "verbatim-exact",
    "verbatim-hybrid",
    "distilled-okapi",
    "distilled-fts:rooms",
    "distilled-exact",
    "distilled-hnsw",
    "distilled-hybrid:rrf",
    "cross:fts+hnsw:weighted:minmax",
    "distilled-exact:files",
]


@pytest.fixture(scope="module")
def store() -> MemoryStore:
    made = MemoryStore()
    for row, text in TEXTS.items():
        made.put(row, text)
    return made


@pytest.fixture(scope="module")
def lanes(store: MemoryStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreLanes]:
    made = lanes_of(store, tmp_path_factory.mktemp("derived"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def engine(store: MemoryStore, lanes: StoreLanes) -> Engine:
    return Engine(lanes, lambda row: store.texts[row].prose)


def ask(engine: Engine, text: str, mode: str = "cross", allowed: set[int] | None = None, k: int = 10) -> Ranking:
    return engine.search(parse_query(text), parse(mode), None if allowed is None else RowSet.of(allowed), k)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("retry_timeout", 2),
        ("retry timeout pool.py", 2),
        ("E0382", 4),
        ("src/main.rs", 4),
        ("warm bread", 3),
        ("連接池", 6),
        ("borrow of moved value", 4),
    ],
)
@pytest.mark.parametrize("mode", ["cross", "verbatim-okapi", "verbatim-fts", "verbatim-hybrid"])
def test_the_best_hit(engine: Engine, query: str, first: int, mode: str) -> None:
    assert ask(engine, query, mode).found[0].row == first


def test_every_hit_tells_why(engine: Engine) -> None:
    ranking = ask(engine, "connection pool timed")
    best = ranking.found[0]
    assert best.row == 1
    assert best.score == 1.0
    assert best.keyword == best.vector == 1.0
    assert best.keyword_rank == best.vector_rank == 1
    assert best.terms == ("connection", "pool", "timed")
    assert ranking.total == len(TEXTS)
    assert ranking.weights["pool"] < ranking.weights["time"]
    other = next(hit for hit in ranking.found if hit.row == 3)
    assert other.terms == ()
    assert other.keyword is None
    assert other.keyword_rank is None


@pytest.mark.parametrize("mode", MODES)
def test_only_allowed_rows_are_found_however_few(engine: Engine, mode: str) -> None:
    assert {hit.row for hit in ask(engine, "connection pool", mode, {3, 5}).found} <= {3, 5}
    assert ask(engine, "connection pool", mode, set()).found == ()
    assert [hit.row for hit in ask(engine, "the", mode, {5}).found] == [5], "its first word names its room"


def test_a_quoted_phrase_keeps_only_what_holds_it(engine: Engine) -> None:
    assert [hit.row for hit in ask(engine, '"connection pool"').found] == [1]
    assert [hit.row for hit in ask(engine, '"CONNECTION  to the"').found] == [5]
    nowhere = ask(engine, '"pool connection"')
    assert nowhere.found
    assert any('"pool connection"' in note for note in nowhere.notes)


def test_the_total_counts_what_holds_the_phrase(engine: Engine) -> None:
    assert ask(engine, '"connection pool" retry').total == 1
    assert ask(engine, '"the" "pool"').total == 2
    assert ask(engine, '"pool connection"').total == len(TEXTS), "what holds it in pieces"


def test_a_phrase_is_found_however_many_hold_its_words(tmp_path: Path) -> None:
    store = MemoryStore()
    for row in range(1, 2 * READ):
        store.put(row, f"pool pool connection {row} connection pool-side")
    store.put(2 * READ, "a connection pool among many other words " + "of no interest " * 40)
    engine = Engine(lanes_of(store, tmp_path), lambda row: store.texts[row].prose)
    ranking = engine.search(parse_query('"pool among"'), parse("verbatim-okapi"), None, 10)
    assert [hit.row for hit in ranking.found] == [2 * READ]
    assert ranking.notes == ()
    crowded = engine.search(parse_query('"connection pool"'), parse("verbatim-okapi"), None, 10)
    assert len(crowded.found) == 10
    assert any("200 best" in note for note in crowded.notes)


def test_a_word_that_only_the_verbatim_holds_is_no_mistake(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put(1, "What did we do about it", core="Settled the matter")
    engine = Engine(lanes_of(store, tmp_path), lambda row: store.texts[row].prose)
    assert ask(engine, "do settled ", "distilled-okapi").notes == ()
    assert any("'zzz'" in note for note in ask(engine, "zzz settled ", "distilled-okapi").notes)


NAMES = ["retry_timeout", "pool.py", "src/main.rs", "parseReply", "E0382"]


@given(
    st.lists(st.lists(st.sampled_from([*NAMES, "the", "pool", "timeout", "retry", "main"]), min_size=1), min_size=3),
    st.sampled_from(NAMES[:4]),
    st.data(),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_name_is_found_worse_than_by_plain_bm25(
    tmp_path: Path, texts: list[list[str]], name: str, data: st.DataObject
) -> None:
    """Whatever the vectors say, and whether there are any yet."""
    assume(any(name in text for text in texts))
    store = MemoryStore()
    for row, text in enumerate(texts, 1):
        store.put(row, " ".join(text), core=data.draw(st.sampled_from(NAMES)), embedded=data.draw(st.booleans()))
    engine = Engine(lanes_of(store, tmp_path), lambda row: store.texts[row].prose)
    plain = store.okapi.search(name, 50)
    place = {
        hit.row: number for number, hit in enumerate(engine.search(parse_query(name), parse("cross"), None, 50).found)
    }
    for better, worse in pairwise(plain):
        assert place[better.row] < place[worse.row] or worse.score > 0.99 * better.score


def test_a_typo_is_found_and_named(engine: Engine) -> None:
    ranking = ask(engine, "conection ", "verbatim-okapi")
    assert {hit.row for hit in ranking.found} == {1, 5}
    assert ranking.found[0].terms == ("conection",)
    assert any("'conection'" in note for note in ranking.notes)


def test_the_last_word_is_completed_while_it_is_typed(engine: Engine) -> None:
    assert {hit.row for hit in ask(engine, "swimm", "verbatim-okapi").found} == {5}
    assert ask(engine, "swimm", "verbatim-okapi").notes == ()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "?!…",
        '"',
        '"""',
        "AND OR NOT NEAR(",
        "a* -b ^c {d}",
        "'; DROP TABLE exchange; --",
        "\ud800\udfff",
        "\x00",
        "the of and",
        "file:",
        "x" * 10_000,
        "word " * 2_000,
        "🎉",
        "%_\\",
    ],
    ids=range(16),
)
def test_every_input_is_answered(engine: Engine, mode: str, query: str) -> None:
    ranking = ask(engine, query, mode)
    assert len({hit.row for hit in ranking.found}) == len(ranking.found)
    assert all(0 <= hit.score <= 1 for hit in ranking.found)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80), st.sampled_from(MODES), st.one_of(st.none(), st.sets(st.integers(0, 8))))
def test_any_text_is_answered(engine: Engine, query: str, mode: str, allowed: set[int] | None) -> None:
    ranking = ask(engine, query, mode, allowed)
    assert ranking.total >= len(ranking.found)
    assert allowed is None or {hit.row for hit in ranking.found} <= allowed


def test_without_a_model_keywords_answer_and_the_notes_say_so(store: MemoryStore, tmp_path: Path) -> None:
    engine = Engine(lanes_of(store, tmp_path, model=False), lambda row: store.texts[row].prose)
    for mode in ("cross", "distilled-exact", "verbatim-hnsw", "distilled-hybrid"):
        ranking = ask(engine, "connection pool", mode)
        assert ranking.found[0].row in (1, 5)
        assert ranking.found[0].vector is None
        assert any("model install" in note for note in ranking.notes)
    assert "answered from keywords instead" in ask(engine, "pool", "distilled-exact").notes


def test_pending_vectors_are_told_and_keywords_still_find(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put(1, "alpha beta")
    store.put(2, "alpha gamma", embedded=False)
    engine = Engine(lanes_of(store, tmp_path), lambda row: store.texts[row].prose)
    ranking = ask(engine, "gamma")
    assert ranking.found[0].row == 2
    assert ranking.notes == ("vectors: 1 of 2 exchanges ready",)
    store.embed(2)
    assert ask(engine, "gamma").notes == ()


def test_an_empty_store_finds_nothing(tmp_path: Path) -> None:
    engine = Engine(lanes_of(MemoryStore(), tmp_path), lambda row: "")
    for mode in MODES:
        assert ask(engine, "anything at all", mode).found == ()


def test_an_empty_query_is_answered_by_time() -> None:
    ranking = recent([9, 4, 7], 12)
    assert [hit.row for hit in ranking.found] == [9, 4, 7]
    assert ranking.total == 12
