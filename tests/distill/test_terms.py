"""Words, stems, and how specific they are."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.distill.terms import is_identifier, parts, singular, specificity, stem, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it's getUserName() in src/auth.py", ["it's", "getUserName()", "in", "src/auth.py"]),
        ("--dry-run -v x=3.5s 40%", ["--dry-run", "-v", "x", "3.5s", "40"]),
        ("a_b.c_d: well-known, and/or", ["a_b.c_d", "well-known", "and/or"]),
        ("größe 日本語", ["größe", "日本語"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("timeouts", "timeout"),
        ("Fixed", "fixing"),
        ("queries", "query"),
        ("retries", "retry"),
        ("cache", "caches"),
        ("f()", "f"),
    ],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert stem(one)[:4] == stem(other)[:4]
    if other not in {"query", "retry"}:
        assert stem(one) == stem(other)


def test_names_of_code_keep_their_form() -> None:
    assert stem("PoolStats") == "poolstats"
    assert stem("src/things.py") == "src/things.py"


def test_specificity_grows_from_speech_to_names() -> None:
    assert specificity("please") == specificity("the") == specificity("Don’t") == 0.0
    assert specificity("file") < specificity("thread") < specificity("deadlock") <= 1.0
    assert specificity("getUserName") == specificity("zzyzx") == 1.0
    assert specificity("tokenizers") == specificity("tokenizer")


@pytest.mark.parametrize("name", ["getUser", "get_user", "src/a", "f()", "--flag", "a.py", "sha256", "HTTPServer"])
def test_identifiers(name: str) -> None:
    assert is_identifier(name)


@pytest.mark.parametrize("name", ["word", "Word", "HTTP", "well-known", "_", "42"])
def test_plain_words(name: str) -> None:
    assert not is_identifier(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("RETRY_TIMEOUT", ["retry", "timeout"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("checkpointIDs", ["checkpoint", "ids"]),
    ],
)
def test_parts(name: str, expected: list[str]) -> None:
    assert parts(name) == expected


@pytest.mark.parametrize(
    ("word", "one"),
    [
        *(("timeouts", "timeout"), ("Queries", "query"), ("classes", "class"), ("status", "status"), ("bus", "bus")),
        *(
            ("matches", "match"),
            ("analysis", "analysis"),
            ("claude", "claude"),
            ("caches", "cache"),
            ("sizes", "size"),
            ("ties", "tie"),
        ),
    ],
)
def test_one_of_many(word: str, one: str) -> None:
    assert singular(word) == one


PLAIN = re.compile(r"(?:\w|-\w|--\w)\w*(?:[-./:'’]\w+)*(?:\(\))?")


@given(st.text("aZ9_é日٣-./:'’() \n", max_size=40))
def test_words_are_those_of_the_plain_rule(text: str) -> None:
    assert words(text) == PLAIN.findall(text)
