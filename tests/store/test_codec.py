"""Structs to bytes and back, damage noticed, secrets not lying in the open."""

from __future__ import annotations

import random
import secrets

import pytest

from pastwork.model import Entry, Exchange, Hunk
from pastwork.store import codec
from tests.store.samples import exchange


@pytest.mark.parametrize(
    "of",
    [
        exchange(),
        exchange(prompt="", entries=(), edits=()),
        exchange(prompt="Grüße \U0001f6a2 \u2028 tabs\tand\nlines"),
        exchange(entries=(Entry("assistant", "x" * 3_000_000),)),
    ],
    ids=["usual", "empty", "not ascii", "large"],
)
def test_an_exchange_comes_back_as_it_was(of: Exchange) -> None:
    assert codec.unpack(codec.pack(of), Exchange) == of


def test_hunks_come_back_and_none_cost_nothing() -> None:
    hunks = (Hunk((" a", "-b", "+c"), 1, 2), Hunk(("+d",)))
    assert codec.unpack_hunks(codec.pack_hunks(hunks)) == hunks
    assert codec.pack_hunks(()) is None
    assert codec.unpack_hunks(None) == ()


@pytest.mark.parametrize("words", [3, 30, 3000])
def test_no_stored_bytes_hold_a_text_that_was_put_in(words: int) -> None:
    """Whole or in runs of eight characters: compressed blocks may carry literals as they are."""
    marks = [secrets.token_hex(10) for _ in range(words)]
    data = codec.pack(exchange(prompt=" ".join(marks), entries=()))
    for mark in marks:
        assert mark.encode() not in data
        assert not any(mark[at : at + 8].encode() in data for at in range(len(mark) - 8))


def test_every_flipped_bit_is_noticed() -> None:
    data = codec.pack(exchange())
    chance = random.Random(7)
    for _ in range(300):
        at, bit = chance.randrange(len(data)), 1 << chance.randrange(8)
        damaged = data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
        try:
            found = codec.unpack(damaged, Exchange)
        except ValueError:
            continue
        assert found == exchange(), "a bit that no reader looks at may flip, content may not"


@pytest.mark.parametrize("keep", [0, 1, 10, -1])
def test_cut_data_are_noticed(keep: int) -> None:
    with pytest.raises(ValueError):
        codec.unpack(codec.pack(exchange())[:keep], Exchange)


def test_the_content_hash_tells_any_change() -> None:
    hashes = {codec.content_hash(exchange(**change)) for change in ({}, {"open": True}, {"branch": "x"}, {"turn": 2})}
    assert len(hashes) == 4
    assert codec.content_hash(exchange()) == codec.content_hash(exchange())
