"""The best passage, and marks where an editor looks for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.index.tokens import tokens
from pastwork.search.snippet import WIDTH, snippet, units
from pastwork.shapes import Snippet
from tests.growth import LINEAR, text_growth

FILLER = "Nothing of interest is said in this sentence at all. " * 20


def marked(found: Snippet) -> list[str]:
    data = found.text.encode("utf-16-le", "surrogatepass")
    return [data[2 * a : 2 * b].decode("utf-16-le", "surrogatepass") for a, b in found.marks]


def weights(query: str) -> dict[str, float]:
    return dict.fromkeys(tokens(query), 1.0)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("short text", "nothing", []),
        ("", "word", []),
        ("The pool timed out.", "pool", ["pool"]),
        ("Pools and a pool.", "pool", ["Pools", "pool"]),
        ("see retry_timeout.py now", "retry timeout", ["retry_timeout.py"]),
        ("🎉🎉 pool 🎉 pool", "pool", ["pool", "pool"]),
        (FILLER + "The connection pool broke. " + FILLER, "connection pool", ["connection", "pool"]),
        (
            FILLER + "pool. " + FILLER + "connection pool exhausted here. " + FILLER,
            "pool connection exhausted",
            ["connection", "pool", "exhausted"],
        ),
    ],
)
def test_marks_lie_on_the_words(text: str, query: str, expected: list[str]) -> None:
    assert marked(snippet(text, weights(query))) == expected


def test_rare_words_decide() -> None:
    text = "common common words. " + FILLER + "the rare needle. " + FILLER
    assert "needle" in snippet(text, {"common": 0.1, "needl": 1.0}).text


def test_a_quoted_phrase_decides_and_is_marked_whole() -> None:
    text = "pool pool connection " + FILLER + "the Connection\n   Pool at last. " + FILLER
    assert marked(snippet(text, weights("connection pool"), ["connection pool"]))[0] == "Connection Pool"


def test_cut_ends_are_shown_and_whole_texts_are_not() -> None:
    found = snippet(FILLER + "needle " + FILLER, weights("needle")).text
    assert found.startswith("… ")
    assert found.endswith(" …")
    assert snippet("needle alone", weights("needle")).text == "needle alone"


def test_white_space_runs_become_one_space() -> None:
    found = snippet("a\n\n\t needle \n b", weights("needle"))
    assert found.text == "a needle b"
    assert marked(found) == ["needle"]


@given(st.text(max_size=600), st.text(max_size=30))
def test_any_text_and_query(text: str, query: str) -> None:
    found = snippet(text, weights(query), [query])
    assert len(found.text) <= WIDTH + 60
    last = 0
    for a, b in found.marks:
        assert last <= a < b <= units(found.text)
        last = b


def test_a_pasted_log_takes_linear_time() -> None:
    text = " ".join(f"token{i % 5000} word" for i in range(100_000))
    assert text_growth(lambda given: snippet(given, weights("word token7")), text) < LINEAR


def test_without_a_word_to_look_for_it_is_the_begin() -> None:
    found = snippet("é " + FILLER, {})
    assert found == snippet("é " + FILLER, weights("absent"))
    assert found.marks == ()
