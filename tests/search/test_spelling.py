"""Unknown words: completed while typed, corrected when near, named when neither."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.search.spelling import MOST_TERMS, distance, edits, nearest, understand

KNOWN = {
    "timeout": 9,
    "timer": 2,
    "connect": 5,
    "pool": 7,
    "conting": 1,
    "retri": 3,
    "retry_pool.py": 1,
    "http": 4,
    "py": 2,
    "a": 50,
}


class Known:
    def holding(self, terms: Collection[str]) -> dict[str, int]:
        return {term: KNOWN[term] for term in terms if term in KNOWN}

    def known(self, terms: Collection[str]) -> set[str]:
        return {term for term in terms if term in KNOWN}

    def beginning(self, prefix: str, limit: int) -> list[str]:
        return sorted((t for t in KNOWN if t.startswith(prefix)), key=lambda t: (len(t), t))[:limit]


@pytest.mark.parametrize(
    ("text", "unfinished", "weights", "notes"),
    [
        ("pool timeouts", False, {"pool": 1.0, "timeout": 1.0}, 0),
        ("tiemout", False, {"timeout": 0.8}, 1),
        ("tiemout", True, {"timeout": 0.8}, 1),
        ("timeo", True, {"timeout": 0.7}, 0),
        ("timeo ", False, {"timer": 0.8}, 1),
        ("ti", True, {"timeout": 0.7, "timer": 0.7}, 0),
        ("t", True, {}, 0),
        ("qz", False, {}, 0),
        ("qzq", False, {}, 1),
        ("數據", False, {}, 1),
        ("does the Their pool", False, {"pool": 1.0}, 0),
        ("retry", True, {"retri": 1.0, "retry_pool.py": 0.05}, 0),
        ("retry ", False, {"retri": 1.0}, 0),
        ("pool conection", False, {"pool": 1.0, "connect": 0.8}, 1),
        ("zzzzqqq pool", False, {"pool": 1.0}, 1),
        ("retry_pool.py", False, {"retry_pool.py": 1.0, "retri": 1.0, "pool": 1.0, "py": 1.0}, 0),
        ("", True, {}, 0),
        ("?!", False, {}, 0),
    ],
)
def test_understand(text: str, unfinished: bool, weights: dict[str, float], notes: int) -> None:
    found = understand(text, unfinished, Known())
    assert found.weights == weights
    assert len(found.notes) == notes
    assert found.weights.keys() <= found.typed.keys()


def test_a_correction_is_named_with_what_was_typed() -> None:
    (note,) = understand("pool tiemout", False, Known()).notes
    assert "'tiemout'" in note
    assert "'timeout'" in note


def test_a_corrected_token_is_told_as_the_word_that_was_typed() -> None:
    assert understand("tiemout", False, Known()).typed["timeout"] == "tiemout"


@pytest.mark.parametrize(
    ("word", "expected"),
    [("timeout", 0), ("tiemout", 1), ("timout", 1), ("timeoutt", 1), ("timexut", 1), ("temiout", 2), ("xyz", 7)],
)
def test_distance_counts_edits(word: str, expected: int) -> None:
    assert distance("timeout", word) == distance(word, "timeout") == expected


@given(st.text(alphabet="abcx1", min_size=1, max_size=6))
def test_edits_are_exactly_what_is_one_edit_away(word: str) -> None:
    found = edits(word)
    assert all(distance(word, other) == 1 and other[:1] == word[:1] for other in found)
    assert word not in found


@pytest.mark.parametrize("word", ["abc", "12345", "éclair", "x" * 40])
def test_short_long_and_foreign_words_are_not_corrected(word: str) -> None:
    assert nearest(word, Known()) is None


def test_two_edits_are_believed_of_long_words_only() -> None:
    assert nearest("tieomut", Known()) == "timeout"
    assert nearest("pxxl", Known()) is None


class Everything(Known):
    def holding(self, terms: Collection[str]) -> dict[str, int]:
        return {term: len(term) for term in terms}


def test_a_pasted_log_is_searched_by_its_rarest_words() -> None:
    found = understand(" ".join("x" * n for n in range(1, 300)), False, Everything())
    assert len(found.weights) == MOST_TERMS
    assert max(map(len, found.weights)) <= 80


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("retry_pool.py", True),
        ("where is retry_pool.py used", True),
        ("pool/timeout", True),
        ("poolTimer", False),
        ("retry_other.py", False),
        ("pool timeout", False),
        ("pool's timeout", False),
        ("`pool` timeout?", False),
        ("", False),
    ],
)
def test_a_name_that_somebody_wrote_makes_a_query_exact(text: str, exact: bool) -> None:
    assert understand(text, False, Known()).exact is exact
