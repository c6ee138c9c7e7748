"""Which words of an exchange are its key terms."""

from __future__ import annotations

from pastwork.distill.evidence import evidence
from pastwork.distill.keyterms import KeyTerms, key_terms
from pastwork.distill.text import read
from pastwork.model import Exchange
from tests.distill.samples import ALL, POOL, YES, edited, exchange, ran


def terms(of: Exchange) -> KeyTerms:
    return key_terms(evidence(of, read(of)))


def test_zones() -> None:
    zones = evidence(POOL, read(POOL)).zones
    assert zones["prompt"] == POOL.prompt
    assert zones["main ticks"] == "PoolConfig.acquire_timeout src/db/pool.py test_acquire_waits"
    assert zones["main stress"] == "Root cause:"
    assert zones["files"] == "pool.py"
    assert zones["reads"] == "config.py"
    assert zones["commands"] == "pytest -q tests/db"
    assert "QueuePool" in zones["errors"]
    assert zones["opening"].startswith("Let me look")
    assert "Root cause" in zones["main conclusions"]


def test_definitions_and_descriptions() -> None:
    tool = ran("x")
    described = tool.__class__("Bash", "", '{"command": "x", "description": "Run the tide tests"}')
    told = exchange("p", "a", edits=(edited("a.go", "+func TideTable() int {", " x", "+y"),), tools=(described,))
    zones = evidence(told, read(told)).zones
    assert zones["definitions"] == "TideTable() int {"
    assert zones["descriptions"] == "Run the tide tests"


def test_scores_are_shares_and_names_beat_speech() -> None:
    for sample in ALL:
        assert all(0.0 < score < 1.0 for score in terms(sample).scores.values())
    scores = terms(POOL).scores
    assert scores["poolconfig.acquire_timeout"] > scores["instead"]
    assert scores["pool"] > scores["let"]


def test_the_best_are_specific_and_ordered() -> None:
    found = terms(POOL)
    best = found.best(5)
    assert "pool" in best
    assert not {"the", "please", "it"} & set(found.best(30))
    assert [found.scores[key] for key in best] == sorted((found.scores[key] for key in best), reverse=True)
    assert found.best(3) == found.best(10)[:3]


def test_terms_come_from_what_was_said_or_changed() -> None:
    told = exchange("look", "done", tools=(ran("frobnicate --all", "zorkmid failure", ok=False),))
    assert not {"frobnicate", "zorkmid"} & set(terms(told).scores)


def test_little_is_enough() -> None:
    assert list(terms(YES).scores) == ["yes"]
    assert terms(exchange("")).scores == {}
