"""The token rule: what counts as a word, and that any text has tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.index.tokens import LONGEST, located, tokens, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n\t", []),
        ("?! … — ::", []),
        ("pool timeouts", ["pool", "timeout"]),
        ("retry-timeout", ["retry-timeout", "retri", "timeout"]),
        ("retry_timeout.py", ["retry_timeout.py", "retri", "timeout", "py"]),
        ("parseHTTPReply", ["parsehttpreply", "pars", "http", "repli"]),
        ("src/auth/login.py:41", ["src", "auth", "login.py", "login", "py", "41"]),
        ("--only-stats", ["only-stats", "onli", "stat"]),
        ("v1.2.3", ["v1.2.3", "v", "1", "2", "3"]),
        ("@scope/some-package", ["scope", "some-package", "some", "packag"]),
        ("C:\\Users\\me", ["c", "user", "me"]),
        ("E0382", ["e0382", "e", "0382"]),
        ("don't", ["don", "t"]),
        ("Ünïcode café", ["ünïcode", "café"]),
        ("ﬁle ＡＢＣ", ["file", "abc"]),
        ("連接池 timeout", ["連接", "接池", "timeout"]),
        ("池", ["池"]),
        ("x池y", ["x", "池", "y"]),
        ("\ud800broken\udfff", ["broken"]),
        ("a\x00b", ["a", "b"]),
        ("🎉 done", ["done"]),
        ("Привет мир", ["привет", "мир"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@given(st.text())
def test_any_text_has_tokens_that_are_words_again(text: str) -> None:
    found = tokens(text)
    assert all(found), "no token is empty"
    assert all(len(token) <= 2 * LONGEST for token in found)
    assert all(not token.isspace() for token in found)


@given(st.text())
def test_words_lie_where_they_are_said_to_lie(text: str) -> None:
    assert [word for _, word in located(text)] == list(words(text))
    assert all(text[start : start + len(word)] == word for start, word in located(text))


@given(st.text(alphabet="abcXYZ_-. 12", max_size=60))
def test_a_query_for_a_whole_name_meets_the_name(name: str) -> None:
    assert set(tokens(name)) <= set(tokens(f"see {name} there"))


def test_a_minified_line_does_not_flood_the_index() -> None:
    assert len(set(tokens("aB" * 50_000))) <= 30
