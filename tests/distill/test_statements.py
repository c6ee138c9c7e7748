"""What is said of an exchange, and how it is cut."""

from __future__ import annotations

import pytest

from pastwork.distill.keyterms import KeyTerms
from pastwork.distill.sentences import Sentence
from pastwork.distill.statements import bare, best, clipped, mass, state, tells
from pastwork.distill.terms import stem, words

TERMS = KeyTerms(
    {"pool": 0.9, "timeout": 0.8, "import": 0.5}, {"pool": "pool", "timeout": "timeout", "import": "import"}
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ok, can you please fix the pool", "fix the pool"),
        ("Perfect! I've fixed the pool.", "fixed the pool"),
        ("Good catch - let me check the pool", "check the pool"),
        ("[Image #2] the header is empty", "the header is empty"),
        ("no need", "need"),
        ("nothing to strip", "nothing to strip"),
        ("Okay.", ""),
    ],
)
def test_talk_in_front_is_dropped(text: str, expected: str) -> None:
    assert bare(text) == expected


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("one two three", 3, "one two three"),
        ("one two three four, five six seven", 5, "one two three four"),
        ("raise the pool timeout, because the import waits", 5, "raise the pool timeout"),
        ("fix the import of rows from the old", 8, "fix the import of rows from the old"),
        ("fix the import of rows from the old shop", 7, "fix the import of rows…"),
        ("alpha (beta gamma delta pool timeout import) end", 6, "alpha (beta gamma delta pool timeout…"),
        ("pool " + "x" * 200 + " end", 5, "pool…"),
    ],
)
def test_clipping(text: str, most: int, expected: str) -> None:
    assert clipped(text, most) == expected


@pytest.mark.parametrize("size", range(3, 30))
def test_a_clipped_text_keeps_words_and_order(size: int) -> None:
    text = "the nightly import (of all rows, in one go) waits for the pool: it times out, and then the job is lost"
    kept = clipped(text, size).removesuffix("…").split()
    assert len(kept) <= size
    assert text.startswith(" ".join(kept)[:-1] if kept else "")


def test_the_sentence_with_most_key_terms_wins() -> None:
    found = [
        Sentence("Let me look around here for a while", 0),
        Sentence("The import is slow", 1),
        Sentence("Raised the pool timeout for the import", 2),
    ]
    top = best(found, TERMS, 20)
    assert top is not None
    assert top.text == "Raised the pool timeout for the import"
    assert mass(top, TERMS) == pytest.approx(2.2)
    assert mass(top, TERMS, frozenset({"pool"})) == pytest.approx(1.3)
    assert best([], TERMS, 20) is None


def test_equal_ones_the_earlier() -> None:
    found = [Sentence("the pool timeout one", 0), Sentence("the pool timeout two", 1)]
    top = best(found, TERMS, 20)
    assert top is not None
    assert top.text.endswith("one")


def test_talk_about_the_work_costs() -> None:
    said = state(Sentence("the pool timeout is 5", 0), TERMS, 20)
    offered = state(Sentence("want me to raise the pool timeout", 0), TERMS, 20)
    assert said is not None
    assert offered is not None
    assert said.worth > offered.worth


def test_empty_ones_are_none() -> None:
    assert state(Sentence("ok!", 0), TERMS, 20) is None
    nothing = state(Sentence("we can do it now", 0), TERMS, 20)
    assert nothing is not None
    assert not tells(nothing, TERMS)


def test_stems_are_those_of_the_text() -> None:
    found = state(Sentence("Raised the pool timeout", 0), TERMS, 20)
    assert found is not None
    assert found.stems == frozenset(map(stem, words(found.text)))
