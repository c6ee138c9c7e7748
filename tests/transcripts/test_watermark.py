"""Positions of databases: taking up where changes were read last."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pastwork.model import Problem, Session
from pastwork.transcripts import watermark
from pastwork.transcripts.base import Item, Position, Turn
from pastwork.transcripts.builder import Builder


def session() -> Iterator[Item]:
    build = Builder.start(Session("lamp", "s"), now=2e9)
    yield from build.prompt("one", offset=7)
    yield Problem("x", 0, "odd")
    yield from build.prompt("two", offset=9)
    yield from build.finish()


@pytest.mark.parametrize("until", [1772600400000.0, "2026-03-04 05:00:00"])
def test_turns_carry_their_sessions_change(until: float | str) -> None:
    items = list(watermark.marked(session(), until))
    turns = [item for item in items if isinstance(item, Turn)]
    assert [turn.exchange.prompt for turn in turns] == ["one", "two"]
    assert len(items) == 4
    for turn in turns:
        assert turn.at.offset == 0
        again = watermark.mark(turn.at, "") if isinstance(until, str) else watermark.mark(turn.at, 0.0)
        assert again == until


def test_the_first_time_nothing_was_read() -> None:
    assert watermark.mark(None, 0.0) == 0.0
    assert watermark.mark(Position(), "") == ""


def test_a_mark_of_another_kind_is_none() -> None:
    assert watermark.mark(Position(0, b'"text"'), 0.0) == 0.0
    assert watermark.mark(Position(0, b"damaged"), "") == ""
