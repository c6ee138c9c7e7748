"""Near-duplicates, against comparing every pair."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.palace.alike import folded


def every_pair(texts: list[str], likeness: float) -> list[int]:
    sets = [set(re.findall(r"\w+|[^\w\s]{2,}", text.lower())) for text in texts]
    first: list[int] = []
    for place, words in enumerate(sets):
        for other in range(place):
            alike = len(words & sets[other]) >= likeness * len(words | sets[other])
            if first[other] == other and (texts[other] == texts[place] or (alike and words)):
                first.append(other)
                break
        else:
            first.append(place)
    return first


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], []),
        (["a b c", "x y z", "a b c"], [0, 1, 0]),
        (["one two three four five", "one two three four six"], [0, 1]),
        (["one two three four five", "Five, four three two ONE!"], [0, 0]),
        (["a b c d e f g h i", "a b c d e f g h i j"], [0, 0]),
        (["", "", "a"], [0, 0, 2]),
    ],
)
def test_folded(texts: list[str], expected: list[int]) -> None:
    assert folded(texts) == expected


@given(
    st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=8).map(" ".join), max_size=25),
    st.sampled_from([0.5, 0.7, 0.8, 1.0]),
)
def test_as_comparing_every_pair(texts: list[str], likeness: float) -> None:
    assert folded(texts, likeness) == every_pair(texts, likeness)
