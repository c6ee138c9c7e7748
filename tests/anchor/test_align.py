"""Alignment of one-character-a-line strings."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.anchor.align import Block, align, common_prefix, merge, rising

texts = st.text(alphabet="abcdefgh}", max_size=30)

CASES = [
    ("", "", []),
    ("abc", "abc", [Block(0, 0, 3)]),
    ("abc", "xyz", []),
    ("abc", "abxc", [Block(0, 0, 2), Block(2, 3, 1)]),
    ("abcde", "cdeab", [Block(2, 0, 3)]),  # the longest order-keeping choice
    ("}a}b}", "}b}", [Block(0, 0, 1), Block(3, 1, 2)]),  # ends of whole texts first
    ("xxaxx", "xxaxx", [Block(0, 0, 5)]),
    ("xyxy", "yxyx", [Block(0, 1, 3)]),  # nothing occurs once: the longest run
]


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_blocks(old: str, new: str, expected: list[Block]) -> None:
    assert align(old, new) == expected


def test_ends_of_parts_are_not_compared_without_an_anchor() -> None:
    long = "}" + "x" * 300, "}" + "y" * 300
    assert align(*long, ends=True) == [Block(0, 0, 1)]
    assert align(*long, ends=False) == [Block(0, 0, 1)]  # it occurs once
    long = "}}" + "x" * 300, "}}" + "y" * 300
    assert align(*long, ends=True) == [Block(0, 0, 2)]
    assert align(*long, ends=False) == []


@given(texts, texts)
def test_blocks_are_equal_ordered_and_apart(old: str, new: str) -> None:
    i = j = 0
    for block in align(old, new):
        assert block.old >= i
        assert block.new >= j
        i, j = block.old + block.length, block.new + block.length
        assert old[block.old : i] == new[block.new : j]
        assert block.length > 0


@given(texts)
def test_a_text_is_itself(text: str) -> None:
    assert align(text, text) == ([Block(0, 0, len(text))] if text else [])


@given(texts, texts)
def test_lines_that_occur_once_on_both_sides_and_never_cross_are_found(old: str, new: str) -> None:
    once = [char for char in old if old.count(char) == 1 == new.count(char)]
    if [char for char in new if char in once] != once:
        return
    found = {old[block.old + at] for block in align(old, new, ends=False) for at in range(block.length)}
    assert found >= set(once)


@given(texts, texts)
def test_common_prefix(left: str, right: str) -> None:
    count = common_prefix(left, right)
    assert left[:count] == right[:count]
    assert left[: count + 1] != right[: count + 1] or count == min(len(left), len(right))


@given(st.lists(st.integers(0, 30), unique=True, max_size=8))
def test_rising_is_a_longest_rising_subsequence(values: list[int]) -> None:
    pairs = list(enumerate(values))
    chain = rising(pairs)
    assert [pair for pair in pairs if pair in chain] == chain
    assert all(one[1] < other[1] for one, other in pairwise(chain))
    longest = max(
        (sum(mask >> at & 1 for at in range(len(values))) for mask in range(1 << len(values)) if _rises(values, mask)),
        default=0,
    )
    assert len(chain) == longest


def _rises(values: list[int], mask: int) -> bool:
    chosen = [value for at, value in enumerate(values) if mask >> at & 1]
    return chosen == sorted(chosen)


def test_neighbours_on_one_diagonal_are_one_block() -> None:
    assert merge([Block(2, 3, 1), Block(0, 1, 2), Block(5, 5, 1)]) == [Block(0, 1, 3), Block(5, 5, 1)]
