"""The book of written lines, on letters; small ones say nothing."""

from __future__ import annotations

from collections import Counter
from string import ascii_uppercase

from pastwork.anchor.ledger import NOBODY, Claim, Claims, Ledger
from pastwork.anchor.tally import Tally, tally

TELLING = set(ascii_uppercase)


def writers(ledger: Ledger, claims: Claims) -> list[int]:
    return [ledger.writer(claim) for claim in claims]


def test_new_lines_are_their_exchanges() -> None:
    ledger = Ledger(TELLING, [7])
    assert writers(ledger, ledger.put("AbC", 0)) == [7, 7, 7]


def test_what_an_exchange_takes_out_and_puts_elsewhere_stays_its_writers() -> None:
    ledger = Ledger(TELLING, [1, 2])
    first = ledger.put("ABC", 0)
    ledger.take("BC", first[1:], 2, plainly=True)
    assert writers(ledger, ledger.put("XBCY", 1)) == [2, 1, 1, 2]
    assert [claim.stands for claim in ledger.claims if claim.edit == 0] == [True, True, True]


def test_also_where_it_puts_first_and_takes_out_then() -> None:
    ledger = Ledger(TELLING, [1, 2])
    first = ledger.put("ABC", 0)
    moved = ledger.put("XBCY", 1)
    ledger.take("BC", first[1:], 2, plainly=True)
    assert writers(ledger, moved) == [2, 1, 1, 2]
    assert ledger.taken == {2: Counter("BC")}


def test_lines_that_were_there_before_stay_nobodys_when_moved() -> None:
    ledger = Ledger(TELLING, [1])
    ledger.take("AB", [None, None], 1, plainly=True)
    assert writers(ledger, ledger.put("AB", 0)) == [NOBODY, NOBODY]
    assert ledger.taken == {1: Counter()}


def test_another_exchange_writes_anew() -> None:
    ledger = Ledger(TELLING, [1, 2, 3])
    ledger.take("A", ledger.put("A", 0), 2, plainly=True)
    assert writers(ledger, ledger.put("A", 2)) == [3]


def test_lines_that_say_nothing_move_with_their_neighbours_only() -> None:
    ledger = Ledger(TELLING, [1, 2])
    ledger.take("bAb", ledger.put("bAb", 0), 2, plainly=True)
    assert writers(ledger, ledger.put("bAbb", 1)) == [1, 1, 1, 2]
    ledger.take("b", [None], 2, plainly=True)
    assert writers(ledger, ledger.put("b", 1)) == [2]


def test_each_line_moves_once() -> None:
    ledger = Ledger(TELLING, [1, 2])
    ledger.take("A", ledger.put("A", 0), 2, plainly=True)
    assert writers(ledger, ledger.put("AA", 1)) == [1, 2]


def test_what_is_given_out_is_not_held() -> None:
    ledger = Ledger(TELLING, [1])
    given = ledger.put("AB", 0)
    given.clear()
    ledger.take("AB", [None, None], 1, plainly=True)
    assert all(claim.edit == NOBODY for claim in ledger.claims)


class TestTally:
    def test_standing_and_replaced(self) -> None:
        claims = [Claim("A", 0), Claim("B", 0), Claim("c", 0), Claim("D", 0)]
        claims[1].stands, claims[1].ended_by = False, 2
        claims[3].stands, claims[3].ended_by = False, 2
        found = tally(claims, [1], TELLING)
        assert found == {1: Tally(3, Counter({2: 2}), room=True)}
        assert found[1].ender == 2

    def test_second_thoughts_are_not_added(self) -> None:
        claim = Claim("A", 0, stands=False, ended_by=1)
        assert tally([claim], [1], TELLING)[1].added == 0

    def test_half_is_not_most(self) -> None:
        claims = [Claim("A", 0), Claim("B", 0, stands=False, ended_by=2)]
        assert tally(claims, [1], TELLING)[1].ender == NOBODY

    def test_gone_by_nobodys_known_hand(self) -> None:
        found = tally([Claim("A", 0, stands=False, plainly=True)], [1], TELLING)[1]
        assert (found.added, found.ender, found.room) == (1, NOBODY, False)

    def test_moved_claims_count_for_nobody(self) -> None:
        assert tally([Claim("A", NOBODY)], [1], TELLING) == {}
