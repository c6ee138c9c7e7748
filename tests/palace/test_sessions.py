"""Hits of one session: each says which one above it belongs with, and all stay where they were ranked."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from pastwork.config import Config, Embedding
from pastwork.palace import Palace
from pastwork.palace.sessions import BENEATH, WIDTH, session_notes
from pastwork.search.filters import Filters
from pastwork.store.reader import StoreReader
from pastwork.store.records import Kept
from tests.palace.world import World, clock, digest, exchange


@pytest.fixture
def kept(disk: Path) -> Kept:
    with StoreReader.open(disk / "data") as store:
        return next(iter(store.kept([1]).values()))


@pytest.mark.parametrize(
    ("sessions", "notes"),
    [
        ("", []),
        ("a", [""]),
        ("abc", ["", "", ""]),
        ("aab", ["", BENEATH, ""]),
        ("aaa", ["", BENEATH, BENEATH]),
        ("aba", ["", "", "same session as “core 0”"]),
        ("abbaa", ["", "", BENEATH, "same session as “core 0”", BENEATH]),
        ("abab", ["", "", "same session as “core 0”", "same session as “core 1”"]),
    ],
)
def test_each_names_the_best_of_its_session(kept: Kept, sessions: str, notes: list[str]) -> None:
    ranked = [
        replace(kept, session_id=session, object=replace(kept.object, exchange_core=f"core {rank}"))
        for rank, session in enumerate(sessions)
    ]
    assert list(session_notes(ranked)) == notes


def test_a_session_is_an_agents_own(kept: Kept) -> None:
    assert list(session_notes([kept, replace(kept, agent="codex")])) == ["", ""]


def test_a_long_or_missing_core_is_named_in_few_plain_words(kept: Kept) -> None:
    long = replace(kept, object=replace(kept.object, exchange_core="word\n\x1b " * 50))
    prompt = replace(kept, object=replace(kept.object, exchange_core=""), prompt="only a prompt", session_id="b")
    *_, first, second = session_notes([long, prompt, long, prompt])
    assert "\x1b" not in first
    assert "\n" not in first
    assert len(first) <= WIDTH + len("same session as “”")
    assert second == "same session as “only a prompt”"


def test_a_search_tells_it_and_moves_nothing(tmp_path: Path) -> None:
    world = World(tmp_path / "data")
    for number, session, prompt in (
        (1, "s", "pool pool pool"),
        (2, "t", "pool pool"),
        (3, "s", "pool and much else " * 9),
    ):
        found = exchange(number, "/w", prompt, session=session)
        world.put(found, digest(found, f"Core {number}"))
    world.close()
    with Palace(tmp_path / "data", Config(embedding=Embedding(model="/no/such")), tmp_path, clock) as palace:
        hits = palace.search("pool", Filters(scope="all")).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [(hit.session_id, hit.session_note) for hit in hits] == [
        ("s", ""),
        ("t", ""),
        ("s", "same session as “Core 1”"),
    ]
