"""Known-item queries from one's own exchanges."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pastwork.evaluate.own import TYPES, held_out
from pastwork.evaluate.writer import written
from pastwork.index.tokens import tokens
from pastwork.model import Exchange

from .samples import exchange

SECRET = "ghp_" + "a1B2c3D4e5" * 4
SUBJECTS = ("backup", "login", "invoice", "mail", "map", "date", "index", "socket", "cache", "picker")


def spoken() -> list[Exchange]:
    """Exchanges of five sentences with names of their own."""
    return [
        exchange(
            n,
            f"please look at the {subject}",
            f"The {subject} loader kept every pending entry in memory for hours. "
            f"I moved the work of {subject}_loader into smaller portions with pauses. "
            f"Now {subject}_loader reports how many portions were handled each minute. "
            f"The tests of the {subject} cover an empty queue and a broken one. "
            f"Nothing else in the project had to change for this repair.",
        )
        for n, subject in enumerate(SUBJECTS)
    ]


def test_same_seed_same_queries() -> None:
    once, again = held_out(spoken(), 9, 1), held_out(list(reversed(spoken())), 9, 1)
    assert once == again
    assert held_out(spoken(), 9, 2) != once


def test_types_in_turn() -> None:
    assert [held.type for held in held_out(spoken(), 6, 1)] == list(TYPES) * 2


def test_each_exchange_once() -> None:
    ids = [held.exchange.id for held in held_out(spoken(), 50, 1)]
    assert len(ids) == len(set(ids)) == len(SUBJECTS)


def test_the_sentence_is_held_out() -> None:
    whole = {e.id: e for e in spoken()}
    for held in held_out(spoken(), 9, 1):
        before, after = whole[held.exchange.id].entries[0].text, held.exchange.entries[0].text
        assert 20 < len(before) - len(after) < 100
        if held.type == "phrase":
            assert held.query in before
            assert held.query not in after


def test_exact_terms_still_stand_elsewhere() -> None:
    for held in held_out(spoken(), 9, 1):
        if held.type == "exact_term":
            assert held.query.endswith("_loader")
            assert set(tokens(held.query)) <= set(tokens(held.exchange.entries[0].text))


def test_conceptual_queries_hold_no_names() -> None:
    for held in held_out(spoken(), 9, 1):
        if held.type == "conceptual":
            assert "_" not in held.query
            assert len(held.query.split()) >= 4


def test_short_exchanges_give_nothing() -> None:
    assert held_out([exchange(1, "go on", "Done.")], 5, 1) == []


def test_secrets_never_become_queries() -> None:
    said = f"The upload used the token {SECRET} for every single request. "
    told = [exchange(n, "upload", said * 1 + e.entries[0].text) for n, e in enumerate(spoken())]
    for held in held_out(told, 10, 1):
        assert SECRET not in held.query
        assert SECRET not in held.exchange.entries[0].text


def test_a_model_writes_the_query_or_leaves_it() -> None:
    held = held_out(spoken(), 3, 1)
    replies = iter([json.dumps({"query": " half \n remembered "}), "not json", json.dumps({"query": ""})])
    asked: list[str] = []

    def answer(model: str, prompt: str, schema: Mapping[str, object]) -> str:
        asked.append(prompt)
        return next(replies)

    found = written(held, ["text of it"] * 3, "m", answer, lambda done, total: None)
    assert [one.query for one in found] == ["half remembered", held[1].query, held[2].query]
    assert [one.exchange for one in found] == [one.exchange for one in held]
    assert "in other words" in asked[0]
    assert "text of it" in asked[0]
