"""Ids are a function of content: the same from any copy, different where content differs."""

from __future__ import annotations

import re

import pytest

from pastwork.transcripts.identity import exchange_id, normal, short, twin, twin_key


def test_ids_are_sixteen_hex_digits_and_never_change() -> None:
    """Stored ids live for years: these values must not move."""
    assert exchange_id("claude-code", "0c0ffee0-0000-4000-8000-000000000001") == "7c359f31d2cb2d16"
    assert exchange_id("aider", session_id="s", prompt="Add pears", occurrence=2) == "2a71d61ef9c849bc"
    assert twin("S-1", "Add pears!", 1) == "6126878d89a0bde1"
    assert re.fullmatch("[0-9a-f]{16}", exchange_id("x", "y"))


def test_a_prompts_own_id_is_enough() -> None:
    one = exchange_id("a", "p", session_id="s1", prompt="x")
    assert one == exchange_id("a", "p", session_id="s2", prompt="y", occurrence=3)
    assert one != exchange_id("b", "p")
    assert one != exchange_id("a", "q")


@pytest.mark.parametrize(
    "other",
    [
        {"session_id": "t"},
        {"prompt": "go back"},
        {"occurrence": 2},
    ],
)
def test_without_one_session_text_and_occurrence_tell_apart(other: dict[str, object]) -> None:
    given: dict[str, object] = {"session_id": "s", "prompt": "go on", "occurrence": 1}
    assert exchange_id("a", **given) != exchange_id("a", **given | other)  # type: ignore[arg-type]


def test_white_space_and_case_are_no_difference() -> None:
    assert normal("  Go \n\t ON ") == "go on"
    assert exchange_id("a", session_id="s", prompt="Go on") == exchange_id("a", session_id="s", prompt=" go\nON")


def test_parts_do_not_run_together() -> None:
    assert exchange_id("ab", "c") != exchange_id("a", "bc")
    assert exchange_id("a", "p") != exchange_id("a", session_id="p")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fix the `parser`, please.", "fix the parser please"),
        ("**Fix** the parser\n\n- now", "Fix the parser now"),
        ("x" * 200 + " tail that a carrier cut", "x" * 200),
        ("Grüße an ALLE", "grüße  an alle!"),
    ],
)
def test_carriers_may_decorate_and_cut(one: str, other: str) -> None:
    assert twin_key(one) == twin_key(other)
    assert twin("S", one, 1) == twin("s", other, 1)


def test_twins_differ_by_session_text_and_occurrence() -> None:
    assert len({twin("s", "yes", 1), twin("s", "yes", 2), twin("s", "no", 1), twin("t", "yes", 1)}) == 4


def test_any_text_has_an_id() -> None:
    assert len(short("\ud83c")) == 8
    assert exchange_id("a", session_id="s", prompt="\udcb2")
