"""Records of unknown types are told, once a type."""

from __future__ import annotations

from pastwork.model import Problem
from pastwork.transcripts.unknown import Unknown


def test_once_a_type() -> None:
    unknown = Unknown("x.jsonl", frozenset({"user"}))
    told = [unknown.problem(kind, offset) for offset, kind in enumerate(["user", "pear", "pear", "plum", None, None])]
    assert told == [
        None,
        Problem("x.jsonl", 1, "unknown type of record: pear"),
        None,
        Problem("x.jsonl", 3, "unknown type of record: plum"),
        Problem("x.jsonl", 4, "a record without a type"),
        Problem("x.jsonl", 5, "a record without a type"),
    ]


def test_a_hostile_type_is_cut() -> None:
    problem = Unknown("x", frozenset()).problem("k" * 10_000, 0)
    assert problem is not None
    assert len(problem.reason) < 120
