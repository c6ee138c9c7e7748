"""Which telling of a message is new, where several carriers tell the same."""

from __future__ import annotations

import pytest

from pastwork.transcripts.codex_turns import Carrier, Turns, unpacked

Told = tuple[Carrier, str, str | None]


def new(told: list[Told], turn: str | None = "t1") -> list[str]:
    turns = Turns()
    turns.enter(turn)
    return [text for carrier, text, time in told if turns.new("user", carrier, text, time)]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ([("response", "a", "1"), ("event", "a", "1")], ["a"]),
        ([("event", "a", "1"), ("item", "A ", "2"), ("response", "a", "3")], ["a"]),
        (
            [("response", "yes", "1"), ("event", "yes", "1"), ("response", "yes", "2"), ("event", "yes", "2")],
            ["yes", "yes"],
        ),
        (
            [("response", "yes", "1"), ("response", "yes", "2"), ("event", "yes", "1"), ("event", "yes", "2")],
            ["yes", "yes"],
        ),
        ([("response", "yes", "1"), ("response", "yes", "1")], ["yes"]),
        ([("response", "yes", None), ("response", "yes", None)], ["yes", "yes"]),
        ([("event", "a", "1"), ("response", "b", "1")], ["a", "b"]),
        ([("response", "go \ufffd on", "1"), ("event", "go on", "1")], ["go \ufffd on"]),
        ([("response", "?", "1"), ("event", "?", "1"), ("response", "!", "2"), ("event", "!", "2")], ["?", "!"]),
    ],
)
def test_new(told: list[Told], expected: list[str]) -> None:
    assert new(told) == expected


def test_roles_do_not_mix() -> None:
    turns = Turns()
    assert turns.new("user", "event", "ok", "1")
    assert turns.new("agent", "event", "ok", "2")


def test_a_turn_forgets_the_one_before() -> None:
    turns = Turns()
    turns.enter("t1")
    assert turns.new("user", "event", "yes", "1")
    turns.enter(None)
    turns.enter("t1")
    assert not turns.new("user", "response", "yes", "1")
    turns.enter("t2")
    assert turns.new("user", "response", "yes", "2")


def test_prompts_of_a_turn_are_numbered() -> None:
    turns = Turns()
    assert turns.prompt_id() is None
    turns.enter("t1")
    assert [turns.prompt_id(), turns.prompt_id()] == ["t1", "t1/2"]
    turns.enter("t2")
    assert turns.prompt_id() == "t2"


def test_packed_and_unpacked_are_the_same() -> None:
    turns = Turns(signs=True)
    turns.enter("t1")
    turns.new("user", "event", "yes", "1")
    turns.prompt_id()
    assert unpacked(turns.packed()) == turns
    assert unpacked("") == Turns()
