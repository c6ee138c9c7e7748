"""The Porter stemmer on words whose stems the paper gives, and its limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.index.stem import stem

EXAMPLES = """
caresses caress|ponies poni|ties ti|caress caress|cats cat|feed feed|agreed agre|plastered plaster|bled bled
motoring motor|sing sing|conflated conflat|troubled troubl|sized size|hopping hop|tanned tan|falling fall
hissing hiss|fizzed fizz|failing fail|filing file|happy happi|sky sky|relational relat|conditional condit
rational ration|valenci valenc|digitizer digit|operator oper|feudalism feudal|decisiveness decis|hopefulness hope
formaliti formal|sensitiviti sensit|triplicate triplic|formative form|formalize formal|electrical electr
hopeful hope|goodness good|revival reviv|allowance allow|inference infer|airliner airlin|adjustable adjust
defensible defens|irritant irrit|replacement replac|adjustment adjust|dependent depend|adoption adopt
communism commun|activate activ|angulariti angular|homologous homolog|effective effect|probate probat|rate rate
cease ceas|controll control|roll roll|logging log|logged log|caching cach|caches cach|queries queri|query queri
"""


@pytest.mark.parametrize("pair", EXAMPLES.replace("\n", "|").strip("|").split("|"))
def test_examples_of_the_paper(pair: str) -> None:
    word, expected = pair.split()
    assert stem(word) == expected


@pytest.mark.parametrize("word", ["", "a", "at", "é", "naïve", "x86", "re-run", "привет"])
def test_what_is_no_plain_word_stays(word: str) -> None:
    assert stem(word) == word


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_a_stem_is_no_longer_than_its_word_and_a_letter(word: str) -> None:
    assert len(stem(word)) <= max(len(word), 0) + 1
    assert not word or stem(word)
