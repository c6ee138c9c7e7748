"""Long texts in pages: nothing lost, no page over its budget."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.memory.pages import paged


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


@pytest.mark.parametrize(
    ("text", "budget", "want"),
    [
        ("", 5, [""]),
        ("one two\n", 5, ["one two\n"]),
        ("a b\nc d\ne f\n", 4, ["a b\nc d\n", "e f\n"]),
        ("a b c d e f\nx\n", 3, ["a b c d e f\n", "x\n"]),
    ],
)
def test_pages_end_at_lines(text: str, budget: int, want: list[str]) -> None:
    assert paged(text, budget, words) == want


@given(st.text(max_size=3000), st.integers(1, 50))
def test_nothing_is_lost(text: str, budget: int) -> None:
    pages = paged(text, budget, words)
    assert "".join(pages) == text
    assert all(pages) or pages == [""]


def test_a_long_line_is_cut() -> None:
    pages = paged("word " * 2000, 100, words)
    assert len(pages) > 10
    assert max(words(pages)) <= 130, "a page may pass its budget by less than one piece"
