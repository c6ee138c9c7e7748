"""Search: ranking, scope, filters, notes, passages; by keyword where there is no model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pastwork.config import Config, Embedding, Redact
from pastwork.config import Search as SearchSettings
from pastwork.errors import BadUsage
from pastwork.index.embed import OnnxEmbedder
from pastwork.palace import Palace
from pastwork.search.filters import Filters
from pastwork.shapes import SearchAnswer
from pastwork.store.vectors import recipe
from tests.palace.world import World, clock, digest, exchange

NO_MODEL = Embedding(model="/no/such/folder")


@pytest.fixture
def palace(disk: Path) -> Iterator[Palace]:
    with Palace(disk / "data", Config(embedding=NO_MODEL), disk, clock) as opened:
        yield opened


def numbers(answer: SearchAnswer) -> list[int]:
    return [int(hit.id, 16) for hit in answer.hits]


def test_words(palace: Palace, disk: Path) -> None:
    answer = palace.search("bookings hang", Filters(), [disk / "work/shop"])
    assert numbers(answer) == [2]
    hit = answer.hits[0]
    assert (hit.score, hit.why.keyword, hit.why.vector, hit.why.terms) == (1.0, 1.0, None, ("bookings", "hang"))
    assert (answer.query, answer.mode, answer.scope, answer.total) == ("bookings hang", "cross", "workspace", 1)
    assert answer.took_ms >= 0


def test_marks_count_utf16_units(tmp_path: Path) -> None:
    world = World(tmp_path / "data")
    found = exchange(1, "/w", "😀😀 raise the timeout")
    world.put(found, digest(found, "Raised it"))
    world.close()
    with Palace(tmp_path / "data", Config(embedding=NO_MODEL), tmp_path, clock) as palace:
        snippet = palace.search("timeout", Filters(scope="all")).hits[0].snippet
    units = snippet.text.encode("utf-16-le")
    assert [units[2 * a : 2 * b].decode("utf-16-le") for a, b in snippet.marks] == ["timeout"]


def test_scope(palace: Palace, disk: Path) -> None:
    """Two projects of one name never mix; ``all`` has both."""
    shop, other = [disk / "work/shop"], [disk / "play/shop"]
    assert set(numbers(palace.search("pool", Filters(), shop))) == {1, 2, 3}
    assert set(numbers(palace.search("pool", Filters(), other))) == {6}
    assert set(numbers(palace.search("pool", Filters(scope="all"), shop))) == {1, 2, 3, 6}


def test_a_workspace_without_past_work(palace: Palace, disk: Path) -> None:
    answer = palace.search("pool", Filters(), [disk / "empty"])
    assert (answer.scope, set(numbers(answer))) == ("all", {1, 2, 3, 6})
    assert any("this is from all projects" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("query", "filters", "expected"),
    [
        ("pool", Filters(fixes=True), {2}),
        ("pool", Filters(file="README.md"), {3}),
        ("pool file:README.md", Filters(), {3}),
        ("pool", Filters(room="concept:connection_pool"), {1, 2}),
        ("pool room:connection_pool", Filters(), {1, 2}),
        ("pool", Filters(branch="docs"), {3}),
        ("pool", Filters(until="2026-01-02"), {1, 2}),
        ("pool since:2026-01-03", Filters(), {3}),
        ("server agent:codex", Filters(), {5}),
        ("pool", Filters(agent="codex"), set()),
        ("", Filters(agent="codex"), {4, 5}),
        ('"connection pool"', Filters(), {1}),
    ],
)
def test_filters(palace: Palace, disk: Path, query: str, filters: Filters, expected: set[int]) -> None:
    assert set(numbers(palace.search(query, filters, [disk / "work/shop"]))) == expected


def test_an_empty_query_gives_the_newest(palace: Palace, disk: Path) -> None:
    answer = palace.search("  ", Filters(limit=3), [disk / "work/shop"])
    assert (numbers(answer), answer.total) == ([5, 4, 3], 5)


def test_the_limit(palace: Palace, disk: Path) -> None:
    answer = palace.search("pool", Filters(limit=2), [disk / "work/shop"])
    assert (len(answer.hits), answer.total) == (2, 3)


ODD = [
    '"', '""', "-", "AND OR NOT", "file:", "a:b:c", "(", "*", "\\", "\x00", "'; DROP TABLE exchange; --", "é日本😀",
    "x" * 20_000, "file:\x00", "since:gestern", "%s", "\ud83c", "[x](y)", "a\nb\tc", "NEAR(a b)", '"pool', 'pool" x "',
    "pool " * 2_000, "日本" * 5_000, '"a" ' * 2_500, "the of and to", "!!! ???", "İ" * 3_000, "room:" + "é" * 5_000,
    "path:src/a.py pool", "agent:nobody", "until:9999-99-99", "\u202e", "_" * 10_000, ". " * 5_000, "🎉" * 300,
]  # fmt: skip


@pytest.mark.parametrize("query", ODD)
@pytest.mark.parametrize("mode", ["cross", "verbatim-okapi", "verbatim-fts", "distilled-okapi"])
def test_nothing_typed_is_an_error(palace: Palace, disk: Path, query: str, mode: str) -> None:
    told_soundly(palace.search(query, Filters(mode=mode), [disk / "work/shop"]), query)


@given(st.text(st.characters(exclude_categories=()), max_size=80))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_answered(palace: Palace, disk: Path, query: str) -> None:
    told_soundly(palace.search(query, Filters(), [disk / "work/shop"]), query)


def told_soundly(answer: SearchAnswer, query: str) -> None:
    """It can be sent, says what was asked, and its notes are short."""
    assert msgspec.json.encode(answer)
    assert answer.query == "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in query)
    assert all(len(note) < 400 for note in answer.notes)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("!!!", "there is no word in '!!!'; this is the most recent work"),
        ("path:a pool", "path: narrows nothing here"),
        ("file:nowhere.py pool", "no exchange is left by file: 'nowhere.py'"),
        ("since:2031 room:nowhere", "no exchange is left by room: 'nowhere', since:"),
    ],
)
def test_what_was_not_understood_or_left_nothing_is_told(palace: Palace, disk: Path, query: str, says: str) -> None:
    answer = palace.search(query, Filters(), [disk / "work/shop"])
    assert any(note.startswith(says) for note in answer.notes), answer.notes


def test_a_date_that_is_none_is_told(palace: Palace, disk: Path) -> None:
    answer = palace.search("pool since:gestern", Filters(), [disk / "work/shop"])
    assert set(numbers(answer)) == {1, 2, 3}
    assert any("gestern" in note for note in answer.notes)


def test_without_a_model_words_are_searched_and_a_note_says_so(palace: Palace, disk: Path) -> None:
    answer = palace.search("pool", Filters(), [disk / "work/shop"])
    assert any("pastwork model install" in note for note in answer.notes)
    by_meaning = palace.search("pool", Filters(mode="distilled-exact"), [disk / "work/shop"])
    assert set(numbers(by_meaning)) == {1, 2, 3}
    assert any("keyword" in note for note in by_meaning.notes)


@pytest.mark.parametrize(
    "mode", ["", "nonsense", "verbatim", "cross:fts+okapi", "verbatim-okapi:rrf", "cross:core+core:x"]
)
def test_modes_that_are_none(palace: Palace, mode: str) -> None:
    with pytest.raises(BadUsage):
        palace.search("pool", Filters(mode=mode))


@pytest.mark.parametrize(
    "mode", ["verbatim-okapi", "verbatim-fts", "distilled-okapi", "cross:okapi+hnsw:rrf", "distilled-okapi:rooms"]
)
def test_modes(palace: Palace, disk: Path, mode: str) -> None:
    answer = palace.search("pool", Filters(mode=mode), [disk / "work/shop"])
    assert answer.mode == mode
    assert numbers(answer)


def test_a_bad_mode_in_the_settings_is_told(disk: Path) -> None:
    settings = Config(embedding=NO_MODEL, search=SearchSettings(mode="nonsense"))
    with Palace(disk / "data", settings, disk, clock) as palace:
        answer = palace.search("pool", Filters(), [disk / "work/shop"])
    assert (answer.mode, len(answer.hits)) == ("cross", 3)
    assert any(note.startswith("settings: mode 'nonsense'") for note in answer.notes)


def test_settings_give_scope_and_limit(disk: Path) -> None:
    settings = Config(embedding=NO_MODEL, search=SearchSettings(scope="all", limit=2))
    with Palace(disk / "data", settings, disk, clock) as palace:
        answer = palace.search("pool", Filters(), [disk / "work/shop"])
    assert (answer.scope, len(answer.hits), answer.total) == ("all", 2, 4)


def test_what_is_written_meanwhile_is_found(tmp_path: Path) -> None:
    """One palace sees the first index, and every later commit, without being opened anew."""
    with Palace(tmp_path / "data", Config(embedding=NO_MODEL), tmp_path, clock) as palace:
        before = palace.search("zeppelin", Filters(scope="all"))
        assert (before.hits, before.notes[0]) == ((), "nothing is indexed yet; run `pastwork index`")
        world = World(tmp_path / "data")
        first = exchange(1, "/w", "Build a zeppelin")
        world.put(first, digest(first, "Built it"))
        assert numbers(palace.search("zeppelin", Filters(scope="all"))) == [1]
        second = exchange(2, "/w", "Paint the zeppelin")
        world.put(second, digest(second, "Painted it"))
        assert set(numbers(palace.search("zeppelin", Filters(scope="all")))) == {1, 2}
        world.close()


def test_secrets_are_masked_in_what_lists_show(tmp_path: Path) -> None:
    token = "ghp_" + "A1b2C3d4E5" * 4
    world = World(tmp_path / "data")
    found = exchange(1, "/w", "Use the token", f"I set GITHUB_TOKEN={token} for the upload")
    world.put(found, digest(found, "Set it"))
    world.close()
    with Palace(tmp_path / "data", Config(embedding=NO_MODEL), tmp_path, clock) as palace:
        hit = palace.search("upload", Filters(scope="all")).hits[0]
        assert token not in hit.snippet.text
        assert "masked" in hit.snippet.text
        assert token in palace.show(hit.id).verbatim[1].text


def test_context_by_query(palace: Palace, disk: Path) -> None:
    """The best match first, and only matches."""
    answer = palace.context(Filters(), 4000, "bookings hang", [disk / "work/shop"])
    assert answer.ids == (f"{2:016x}",)


def test_masking_off_is_heeded(tmp_path: Path) -> None:
    world = World(tmp_path / "data")
    found = exchange(1, "/w", "password: hunter2hunter2 is it")
    row = world.put(found, digest(found, "It"))
    world.writer.connection.execute("DELETE FROM searched WHERE row = ?", (row,))
    world.close()
    settings = Config(embedding=NO_MODEL, redact=Redact(enabled=False))
    with Palace(tmp_path / "data", settings, tmp_path, clock) as palace:
        assert "hunter2hunter2" in palace.search("password", Filters(scope="all")).hits[0].snippet.text


@pytest.mark.model
def test_meaning_is_found_where_no_word_is_shared(tmp_path: Path, model_folder: Path) -> None:
    """With vectors of some exchanges: those are found by meaning, and a note says how many are ready."""
    embedder = OnnxEmbedder(model_folder)
    world = World(tmp_path / "data")
    texts = {1: "Raised the database connection timeout", 2: "Baked sourdough bread with rye", 3: "Painted the fence"}
    rows = {}
    for number, core in texts.items():
        found = exchange(number, "/w", f"Prompt {number}")
        rows[number] = world.put(found, digest(found, core))
    settings = Config(embedding=Embedding(model=str(model_folder)))
    with Palace(tmp_path / "data", settings, tmp_path, clock) as palace:
        for ready in (1, 2, 3):
            vectors = embedder.embed([texts[ready]])
            world.writer.put_vectors(recipe(embedder.name), [rows[ready]], vectors)
            answer = palace.search("why do SQL sessions hang so long", Filters(scope="all"))
            assert numbers(answer)[0] == 1
            assert answer.hits[0].why.vector == 1.0
            assert ("vectors: 2 of 3 exchanges ready" in answer.notes) is (ready == 2)
    world.close()
