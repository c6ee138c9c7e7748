"""Fenced blocks of Markdown, as CommonMark has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.transcripts.fences import fences, inside


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("no fence", []),
        ("```\na\n```", [("", "a")]),
        ("```py\na\nb\n```\n", [("py", "a\nb")]),
        ("before\n\n~~~ diff  \n-a\n~~~\nafter", [("diff", "-a")]),
        ("````md\n```py\na\n```\n````", [("md", "```py\na\n```")]),
        ("```\n~~~\n```", [("", "~~~")]),
        ("```\na\n````", [("", "a")]),
        ("```\n```py\n```", [("", "```py")]),
        ("   ```\na\n  ```", [("", "a")]),
        ("    ```\nindented code\n    ```", []),
        ("a ``` b ``` c", []),
        ("``` not ` an opener\na\n```\nb\n```", [("", "b")]),
        ("~~~ may hold ` a tick\na\n~~~", [("may hold ` a tick", "a")]),
        ("```\na\n```\n```\nb\n```", [("", "a"), ("", "b")]),
    ],
)
def test_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    found = list(fences(text))
    assert [(fence.info, fence.text.removesuffix("\n")) for fence in found if fence.closed] == expected
    for fence in found:
        assert text[fence.start : fence.end].strip().startswith(("```", "~~~"))


def test_a_block_that_never_closes_ends_with_the_text() -> None:
    (fence,) = fences("words\n```py\na\nb")
    assert (fence.text, fence.closed, fence.end) == ("a\nb", False, len("words\n```py\na\nb"))


def test_only_a_part_of_the_text() -> None:
    text = "```\none\n```\n```\ntwo\n```\n```\nthree\n```"
    start = text.index("```\ntwo")
    assert [fence.text for fence in fences(text, start, text.index("```\nthree"))] == ["two"]


@pytest.mark.parametrize(("place", "expected"), [("outside", False), ("within", True), ("after", False)])
def test_whether_a_place_is_inside(place: str, expected: bool) -> None:
    text = "outside\n```\nwithin\n```\nafter"
    assert inside(text, 0, text.index(place)) is expected


@given(st.text(alphabet="`~ \nab"))
def test_blocks_are_in_order_and_whole(text: str) -> None:
    end = 0
    for fence in fences(text):
        assert end <= fence.start < fence.end <= len(text)
        assert fence.text in text[fence.start : fence.end]
        end = fence.end
