"""Looking only at likely words finds the same as looking at all of them."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pastwork.index.tokens import located, split
from pastwork.search.snippet import likely
from tests.growth import LINEAR, text_growth

TEXT = (
    "Retried the retry-timeout.py twice; parseHTTPReply, snake_case_names and __init__ stay. Keys, the key, KEYS: "
    "API_KEY. Happily happier happiness, hoping hopes; relational conflated caches cached Café naïve ﬁle Ｐｏｏｌ "
    "日本語のテスト 接続プール timeout... -timeout- a.b.c.timeout 3-way-merge x86_64 v1.2.3 ..hidden İstanbul"
)


def holding(text: str, tokens: Collection[str]) -> list[tuple[int, str]]:
    """By looking at every word."""
    return [(at, word) for at, word in located(text) if set(tokens) & set(split(word))]


def found(text: str, tokens: Collection[str]) -> list[tuple[int, str]]:
    return [(at, word) for at, word in likely(text, tokens) if set(tokens) & set(split(word))]


@pytest.mark.parametrize("word", sorted({word for _, word in located(TEXT)}))
def test_every_word_is_found_by_each_of_its_tokens(word: str) -> None:
    for token in split(word):
        for text in (TEXT, TEXT.replace("İ", "I")):
            assert found(text, {token}) == holding(text, {token})


WORDS = st.sampled_from([*{word for _, word in located(TEXT)}, "timeout", "x", "", "é"])
GAPS = st.sampled_from([" ", "\n", ".", "-", "_", "", ", ", "/", "..", "\u00a0"])


@given(st.lists(st.tuples(WORDS, GAPS), max_size=30), st.lists(WORDS, min_size=1, max_size=4))
@settings(max_examples=400, deadline=None)
def test_the_same_as_looking_at_all(parts: list[tuple[str, str]], asked: list[str]) -> None:
    text = "".join(word + gap for word, gap in parts)
    tokens = {token for word in asked for token in split(word)}
    assert found(text, tokens) == holding(text, tokens)


def test_no_tokens_no_words() -> None:
    assert list(likely("plain ascii words", [])) == []


@pytest.mark.parametrize("text", ["a" * 60_000, "ab" * 30_000, "日" * 60_000, "timeout." * 7_500, "- " * 30_000])
def test_uniform_texts_take_linear_time(text: str) -> None:
    assert text_growth(lambda given: list(likely(given, ["aaa", "timeout", "a"])), text) < LINEAR
