"""Remembered lanes answer as the lanes themselves, and ask them once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from pastwork.evaluate.remembered import RememberedNear, RememberedWords
from pastwork.index.base import Matches, RowSet, Scored

SCORES = {4: 9.0, 1: 7.0, 3: 5.0, 0: 1.0}


class Words:
    def __init__(self) -> None:
        self.asked = 0

    def lookup(
        self, terms: Mapping[str, float], k: int, allowed: Collection[int] | None = None, also: Collection[int] = ()
    ) -> Matches:
        self.asked += 1
        found = [Scored(row, s * sum(terms.values())) for row, s in SCORES.items() if allowed is None or row in allowed]
        held = {hit.row: hit.score for hit in found}
        return Matches(found[:k], len(found), {row: held[row] for row in also if row in held})

    def holding(self, terms: Collection[str]) -> dict[str, int]:
        self.asked += 1
        return dict.fromkeys(terms, 2)

    def matched(self, terms: Collection[str], rows: Collection[int]) -> dict[int, list[str]]:
        raise AssertionError("no figure needs it")

    def known(self, terms: Collection[str]) -> set[str]:
        self.asked += 1
        return set(terms)

    def beginning(self, prefix: str, limit: int) -> list[str]:
        self.asked += 1
        return [prefix + "x"][:limit]


class Near:
    def __init__(self) -> None:
        self.asked = 0

    def __len__(self) -> int:
        return len(SCORES)

    def search(self, query: Any, k: int, allowed: Collection[int] | None = None) -> list[Scored]:
        self.asked += 1
        return [Scored(row, s) for row, s in SCORES.items() if allowed is None or row in allowed][:k]

    def similar(self, query: Any, rows: Collection[int]) -> dict[int, float]:
        return {row: SCORES[row] for row in rows}


def test_smaller_questions_are_answered_from_the_whole() -> None:
    plain, asked = Words(), Words()
    lane = RememberedWords(asked, 5)
    for k in (1, 2, 4, 9):
        for also in ((), (0, 3, 77)):
            assert lane.lookup({"a": 1.0}, k, None, also) == plain.lookup({"a": 1.0}, k, None, also)
    assert asked.asked == 1


def test_other_questions_are_asked_anew() -> None:
    asked = Words()
    lane = RememberedWords(asked, 5)
    some, others = RowSet.of([1, 3]), RowSet.of([0])
    assert [hit.row for hit in lane.lookup({"a": 1.0}, 9, some).top] == [1, 3]
    assert [hit.row for hit in lane.lookup({"a": 1.0}, 9, others).top] == [0]
    assert lane.lookup({"a": 0.5}, 1).top == [Scored(4, 4.5)]
    assert lane.lookup({"b": 1.0}, 1).top == [Scored(4, 9.0)]
    assert asked.asked == 4


def test_vocabulary_is_asked_once() -> None:
    asked = Words()
    lane = RememberedWords(asked, 5)
    for _ in range(3):
        assert lane.holding(["a", "b"]) == {"a": 2, "b": 2}
        assert lane.known({"a"}) == {"a"}
        assert lane.beginning("re", 3) == ["rex"]
        assert lane.matched(["a"], [1]) == {}
    assert asked.asked == 3


def test_vectors() -> None:
    asked = Near()
    lane = RememberedNear(asked)
    one, other, some = np.ones(2, np.float32), np.zeros(2, np.float32), RowSet.of([1])
    for _ in range(2):
        assert lane.search(one, 2) == [Scored(4, 9.0), Scored(1, 7.0)]
        assert lane.search(one, 1) == [Scored(4, 9.0)]
        assert lane.search(other, 2, some) == [Scored(1, 7.0)]
    assert asked.asked == 3
    assert lane.similar(one, [3]) == {3: 5.0}
    assert len(lane) == 4
