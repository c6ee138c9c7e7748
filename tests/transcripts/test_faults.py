"""What can't be used is told once: damage at its place, unknown types of records once a type."""

from __future__ import annotations

from pastwork.model import Problem
from pastwork.transcripts.faults import Faults, of_known_kind
from pastwork.transcripts.jsonl import Row


def test_once_a_type() -> None:
    faults = Faults("x.jsonl", {"user"})
    known = [faults.knows(kind, at) for at, kind in enumerate(["user", "pear", "pear", "plum", None, None])]
    assert known == [True, False, True, False, False, False]
    assert list(faults.taken()) == [
        Problem("x.jsonl", 1, "unknown type of record: pear"),
        Problem("x.jsonl", 3, "unknown type of record: plum"),
        Problem("x.jsonl", 4, "a record without a type"),
        Problem("x.jsonl", 5, "a record without a type"),
    ]
    assert list(faults.taken()) == []


def test_damage_is_told_once_a_place() -> None:
    faults = Faults("x.jsonl")
    for offset in (0, 0, 9):
        faults.add("cut", offset)
    assert list(faults.taken()) == [Problem("x.jsonl", 0, "cut"), Problem("x.jsonl", 9, "cut")]


def test_a_hostile_type_is_cut() -> None:
    faults = Faults("x")
    faults.knows("k" * 10_000)
    (problem,) = faults.taken()
    assert len(problem.reason) < 120


def test_rows_are_all_handed_on() -> None:
    """An unknown kind is told before its row; a saved row's line was told already and hides no later one."""
    given = [Row(0, "pear", saved=True), Row(1, "pear"), Problem("x", 2, "cut"), Row(3, "user")]
    found = list(of_known_kind(given, Faults("x", {"user"}), lambda value: value))
    assert found == [given[0], Problem("x", 1, "unknown type of record: pear"), *given[1:]]
