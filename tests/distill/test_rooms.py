"""Rooms of a history: shared where a topic is shared, the same in whatever order."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from pastwork.distill.concepts import concepts
from pastwork.distill.evidence import evidence
from pastwork.distill.keyterms import key_terms
from pastwork.distill.rooms import STEERING, local, settle
from pastwork.distill.text import Reading, read
from pastwork.distill.workflows import workflow
from pastwork.model import Room
from tests.distill.samples import POOL, exchange
from tests.growth import LINEAR, growth


def concept(label: str, relevance: float = 1.0) -> Room:
    return Room("concept", label.replace(" ", "_"), label, relevance)


def file(path: str, relevance: float = 0.9) -> Room:
    return Room("file", path, path.rsplit("/", 1)[-1], relevance)


KIND = Room("workflow", "debugging", "debugging", 0.6)


def keys(rooms: tuple[Room, ...]) -> list[str]:
    return [f"{room.room_type}:{room.room_key}" for room in rooms]


def test_one_of_each_kind_then_the_rest() -> None:
    found = settle({1: (file("a.py"), file("b.py", 0.8), concept("tide table"), KIND), 2: (concept("tide table"),)})
    assert keys(found[1]) == ["file:a.py", "concept:tide_table", "workflow:debugging"]
    assert keys(settle({1: (file("a.py"), file("b.py", 0.8))})[1]) == ["file:a.py", "file:b.py"]


def test_a_topic_needs_company() -> None:
    found = settle({1: (concept("tide table"), KIND), 2: (concept("tide table"), KIND), 3: (concept("lonely"), KIND)})
    assert keys(found[1]) == ["concept:tide_table", "workflow:debugging"]
    assert keys(found[3]) == ["workflow:debugging"]


def test_one_that_has_nothing_else_keeps_its_own() -> None:
    assert keys(settle({1: (concept("lonely"), concept("other", 0.5))})[1]) == ["concept:lonely"]
    assert settle({1: ()}) == {1: (STEERING,)}
    assert settle({}) == {}


def test_no_room_holds_everything() -> None:
    history = {number: (concept("code"), concept(f"topic {number % 300}", 0.5)) for number in range(3_000)}
    sizes = Counter(key for rooms in settle(history).values() for key in keys(rooms))
    assert "concept:code" not in sizes
    assert max(sizes.values()) <= 0.03 * len(history)


def test_longer_phrases_lead_to_the_common_one() -> None:
    history = {
        1: (concept("shadow branch"),),
        2: (concept("shadow branch"),),
        3: (concept("shadow branch log"),),
        4: (concept("shadow branch log"),),
        5: (concept("old shadow branch"),),
    }
    assert {key for rooms in settle(history).values() for key in keys(rooms)} == {"concept:shadow_branch"}


def test_spellings_that_differ_in_gaps_are_one_room() -> None:
    history = {
        1: (concept("data base"),),
        2: (concept("database"),),
        3: (concept("database"),),
        4: (concept("data base"),),
    }
    assert {room.room_label for rooms in settle(history).values() for room in rooms} == {"data base"}


def test_labels_are_the_common_ones() -> None:
    stemmed = [
        Room("concept", "retry_timeout", label, 1.0) for label in ("retry timeouts", "retry timeout", "retry timeout")
    ]
    found = settle({number: (room,) for number, room in enumerate(stemmed)})
    assert {(room.room_key, room.room_label) for rooms in found.values() for room in rooms} == {
        ("retry_timeout", "retry timeout")
    }


def test_spellings_with_and_without_an_e_at_the_end_are_one_room() -> None:
    history = {
        1: (Room("concept", "tide_table", "tide table", 1.0),),
        2: (Room("concept", "tidetable", "tidetable", 1.0),),
    }
    assert {key for rooms in settle(history).values() for key in keys(rooms)} == {"concept:tide_table"}


def test_longer_phrases_do_not_make_a_room_too_wide() -> None:
    """20 exchanges about the pool and 60 about its parts, of 300: the pool keeps a room of its own."""
    history = {number: (concept(f"topic {number % 100}"),) for number in range(300)}
    history |= {1_000 + number: (concept("pool"),) for number in range(9)}
    history |= {2_000 + number: (concept(f"pool part{number % 3}"),) for number in range(18)}
    sizes = Counter(key for rooms in settle(history).values() for key in keys(rooms))
    assert sizes["concept:pool"] == 9
    assert sizes["concept:pool_part1"] == 6


def test_keys_read_like_labels() -> None:
    odd = Room("concept", "retry_queu", "retry queue", 1.0)
    assert keys(local((odd,))) == ["concept:retry_queue"]
    assert keys(settle({1: (odd,)})[1]) == ["concept:retry_queue"]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_never_matters(seed: int) -> None:
    chance = random.Random(seed)
    topics = ["pool", "pool timeout", "tide table", "tide", "retry queue", "retryqueue", "export", "export job", "x"]
    history = {
        number: tuple(
            [concept(topic, round(chance.random(), 3)) for topic in chance.sample(topics, chance.randrange(5))]
            + ([file(f"f{number % 4}.py")] if chance.random() < 0.5 else [])
        )
        for number in range(60)
    }
    found = settle(history)
    rows = list(history)
    for _ in range(4):
        chance.shuffle(rows)
        assert settle({row: history[row] for row in rows}) == found
    assert all(1 <= len(rooms) <= 3 for rooms in found.values())


def test_the_time_grows_with_the_history() -> None:
    def history(exchanges: int) -> dict[int, tuple[Room, ...]]:
        chance = random.Random(2)
        names = [f"topic{number} part{number % 97}" for number in range(exchanges // 25)]
        return {
            row: (file(f"src/f{row % 900}.py"), *(concept(name, 0.7) for name in chance.sample(names, 7)), KIND)
            for row in range(exchanges)
        }

    assert growth(settle, history(3_000), history(12_000)) < LINEAR


def test_rooms_of_one_alone() -> None:
    assert keys(local((file("a.py"), concept("x"), concept("y", 0.9)))) == ["file:a.py", "concept:x"]
    assert local(()) == (STEERING,)


def proposed(prompt: str, answer: str) -> dict[str, str]:
    told = exchange(prompt, answer)
    seen = evidence(told, read(told))
    return {room.room_key: room.room_label for room in concepts(seen, key_terms(seen))}


def test_phrases_of_key_terms_are_proposed() -> None:
    found = proposed("the retry queue drops retryQueue jobs", "## Retry queues\nThe RETRY_QUEUE was unbounded.")
    assert found["retry_queue"] == "retry queue"
    assert all("_" in key or len(key) > 2 for key in found)


def test_paths_numbers_and_talk_are_no_topics() -> None:
    found = proposed("please fix src/db/pool.py:12 and v1.2.3 today", "Done, see src/db/pool.py and 42 others.")
    assert not [key for key in found if "/" in key or "." in key or key.isdigit() or key in {"please", "fix", "done"}]


@pytest.mark.parametrize(
    ("prompt", "answer", "never"),
    [
        ("the adress is wrong in telemetry", "The address of `telemetry` is split at commas.", "adress"),
        ("hmmm whoa buddy the telemetry", "Telemetry is sent by `telemetry.go`.", "buddy"),
        ("a per-session top-level telemetry line-by-line", "`telemetry` is read.", "level line by"),
        ("commit e70af01 broke the telemetry of D36", "`telemetry` is back since `e70af01` (D36).", "e70af01 d36"),
        ("the observation and its verdict on telemetry", "`telemetry`: an observation.", "observation verdict"),
        ("gRPC telemetry drops", "The gRPC client of `telemetry`.", "g"),
    ],
)
def test_what_is_no_topic(prompt: str, answer: str, never: str) -> None:
    pieces = {piece for label in proposed(prompt, answer).values() for piece in label.split()}
    assert "telemetry" in pieces
    assert not pieces & set(never.split())


def test_candidates_of_a_whole_exchange() -> None:
    seen = evidence(POOL, read(POOL))
    found = concepts(seen, key_terms(seen))
    assert found[0].relevance == 1.0
    assert [room.relevance for room in found] == sorted((room.relevance for room in found), reverse=True)
    assert len(found) <= 7


@pytest.mark.parametrize(
    ("prompt", "commands", "key"),
    [
        ("why does the import crash with a KeyError", (), "debugging"),
        ("address the review feedback", (), "review"),
        ("rename Foo to Bar everywhere", (), "refactoring"),
        ("write tests for the parser", (), "testing"),
        ("resolve the merge conflicts in main.go", (), "merge_conflicts"),
        ("bump the version and publish", (), "release"),
        ("update the README", (), "documentation"),
        ("let's plan the next steps", (), "planning"),
        ("upgrade the dependencies", (), "dependencies"),
        ("commit and push", (), "version_control"),
        ("go on", ("gh release create v1",), "release"),
        ("go on", ("ls", "git commit -m x"), "version_control"),
        ("make the header blue", ("ls",), None),
    ],
)
def test_kinds_of_work(prompt: str, commands: tuple[str, ...], key: str | None) -> None:
    found = workflow(Reading(prompt, commands=commands))
    assert (found.room_key if found else None) == key
