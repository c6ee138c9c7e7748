"""The decisive detail is one exact piece."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.distill.detail import _CUT, CHARS, WORDS, detail
from pastwork.distill.keyterms import KeyTerms
from pastwork.distill.terms import stem, words
from tests.growth import LINEAR, text_growth


def terms(text: str) -> KeyTerms:
    found = {stem(word): word for word in words(text)}
    return KeyTerms(dict.fromkeys(found, 0.5), found)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("We tried. It was `acquire_timeout = 30` all along.", "It was `acquire_timeout = 30` all along"),
        ("| file | `pool.py` |", "`pool.py`"),
        ("- **Cause:** `pool_size` is 5, too few", "`pool_size` is 5, too few"),
        ("so, and `pool_size` is 5", "`pool_size` is 5"),
        ("It waits. (see `pool.py` line 12)", "see `pool.py` line 12"),
        ("nothing\n```\ncode = here()\n```\nKeyError: 'x' in run()", "KeyError: 'x' in run()"),
    ],
)
def test_a_piece(message: str, expected: str) -> None:
    assert detail([message], [], terms(message), frozenset()) == expected


def test_it_is_always_a_substring() -> None:
    message = (
        "The **first** thing: `a_b` (see `c.py`), then \"quoted text\" and 'more' - finally 12 of 15. "
        "| x_1 | y_2 |\nAnother line; with `code, and comma` [brackets] {braces} (open"
    )
    for weight in ("a_b", "quoted", "x_1", "comma", "braces", "12"):
        chosen = KeyTerms({stem(weight): 0.9}, {stem(weight): weight})
        piece = detail([message], [], chosen, frozenset())
        assert piece in message
        assert len(piece) <= CHARS
        assert len(words(piece)) <= WORDS
        assert piece.count("(") == piece.count(")")
        assert piece.count("`") % 2 == 0
        assert "**" not in piece


def test_what_is_said_already_counts_little() -> None:
    message = "It uses `old_name` here. It has `new_name` there."
    said = frozenset({"old_name", "it", "us", "her"})
    assert "new_name" in detail([message], [], terms(message), said)


def test_a_failure_where_nothing_is_specific() -> None:
    failed = ["collected 5 items\nE   TimeoutError: QueuePool limit reached\n"]
    assert detail(["ok then"], failed, KeyTerms({}, {}), frozenset()) == "E   TimeoutError: QueuePool limit reached"
    assert detail(["ok then"], ["all fine"], KeyTerms({}, {}), frozenset()) == ""


@pytest.mark.parametrize("unit", ["a_b, ", "`x` ", "(", "a.b. ", "- ", "** ", "x_1 | "])
def test_hostile_text_takes_linear_time(unit: str) -> None:
    def work(text: str) -> None:
        detail([text, text.replace(" ", "\n")], [], terms(unit), frozenset())

    assert text_growth(work, unit * 20_000) < LINEAR


PLAIN = re.compile(
    r"\*\*|\s\|\s?|^\||\|$|[.!?;:]\s|,\s|\s[—–]\s|\s->\s|\s→\s|\s-\s|^\s*(?:[-*+•>]|\d{1,3}[.)]|#{1,6})\s|\s(?=\()|(?<=\))\s|\t"
)


@given(st.text("a1#*+-•>|.,;:—→() \t", max_size=30))
def test_clauses_end_where_the_plain_rule_says(line: str) -> None:
    assert [found.span() for found in _CUT.finditer(line)] == [found.span() for found in PLAIN.finditer(line)]
