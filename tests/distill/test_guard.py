"""Nothing invented passes: five hundred replies, each with one thing changed."""

from __future__ import annotations

import random
import string
from collections import Counter
from collections.abc import Callable

import pytest

from pastwork.distill.guard import Source, faults, source
from pastwork.distill.prompt import Reply
from pastwork.distill.text import read
from tests.distill.samples import POOL

TRUE = (
    Reply(
        "Fixed the pool timeout: PoolConfig.acquire_timeout was read in milliseconds, so src/db/pool.py gave up after 30 ms",
        "`PoolConfig.acquire_timeout` was read in milliseconds",
    ),
    Reply(
        "The pool times out after 30 seconds because acquire_timeout is now multiplied by 1000",
        "TimeoutError: QueuePool limit",
    ),
    Reply(
        "Added test_acquire_waits, which covers the timeout of the connection pool",
        "The value is now multiplied by 1000",
    ),
)
OF = source(read(POOL), ("src/db/pool.py",))

Change = Callable[[random.Random, Reply], Reply]


def word(chance: random.Random, size: int = 7) -> str:
    return "".join(chance.choice("bcdfghjklmnpqrstvwz") + chance.choice("aeiou") for _ in range(size // 2))


def with_word(make: Callable[[random.Random], str]) -> Change:
    def change(chance: random.Random, reply: Reply) -> Reply:
        said = reply.exchange_core.split()
        said.insert(chance.randrange(len(said) + 1), make(chance))
        return Reply(" ".join(said), reply.specific_context)

    return change


def detail_with_another_letter(chance: random.Random, reply: Reply) -> Reply:
    detail = reply.specific_context
    at = chance.choice([place for place, letter in enumerate(detail) if letter.isalpha()])
    other = chance.choice([letter for letter in string.ascii_letters if letter != detail[at]])
    return Reply(reply.exchange_core, detail[:at] + other + detail[at + 1 :])


def detail_from_two_places(chance: random.Random, reply: Reply) -> Reply:
    return Reply(reply.exchange_core, f"{reply.specific_context} {chance.choice(('pytest -q', 'nightly import runs'))}")


CHANGES: dict[str, Change] = {
    "camelCase": with_word(lambda chance: word(chance) + word(chance).title()),
    "snake_case": with_word(lambda chance: f"{word(chance)}_{word(chance)}"),
    "call": with_word(lambda chance: f"{word(chance)}()"),
    "dotted": with_word(lambda chance: f"PoolConfig.{word(chance)}"),
    "path": with_word(lambda chance: f"src/{word(chance)}/pool.py"),
    "longer path": with_word(lambda chance: f"lib/{word(chance)}/src/db/pool.py"),
    "file": with_word(lambda chance: f"{word(chance)}.py"),
    "flag": with_word(lambda chance: f"--{word(chance)}"),
    "number": with_word(lambda chance: str(chance.randrange(3_000, 90_000))),
    "unit": with_word(lambda chance: f"{chance.randrange(31, 999)}ms"),
    "version": with_word(lambda chance: f"v{chance.randrange(9)}.{chance.randrange(9)}.{chance.randrange(9)}"),
    "name": with_word(lambda chance: word(chance, 9).title()),
    "word": with_word(lambda chance: word(chance, 10)),
    "acronym": with_word(lambda chance: word(chance, 6).upper()),
    "quotation": with_word(lambda chance: f'"{word(chance)} {word(chance)}"'),
    "code": with_word(lambda chance: f"`pool {word(chance)}`"),
    "hash": with_word(lambda chance: "".join(chance.choice("0123456789abcdef") for _ in range(10)) + "7f"),
    "part of a name": with_word(lambda chance: chance.choice(("acquire_time", "PoolConf", "QueueP", "test_acquire"))),
    "another letter": detail_with_another_letter,
    "two places": detail_from_two_places,
}


@pytest.mark.parametrize("reply", TRUE)
def test_what_is_the_exchanges_own_passes(reply: Reply) -> None:
    assert faults(reply, OF) == []


def test_five_hundred_adversarial_replies() -> None:
    chance = random.Random(20261)
    passed: Counter[str] = Counter()
    names = list(CHANGES)
    for number in range(500):
        name = names[number % len(names)]
        if not faults(CHANGES[name](chance, TRUE[number % len(TRUE)]), OF):
            passed[name] += 1
    assert passed == Counter()


@pytest.mark.parametrize(
    ("core", "detail", "fault"),
    [
        ("Fixed it", "", "3 to 45 words"),
        ("pool " * 60, "", "3 to 45 words"),
        ("the pool times out", "x" * 200, "longer than"),
        ("the pool \x1b[31mtimes out", "", "control characters"),
        ("the [pool](http://x) times out", "", "markup"),
        ("the pool times\u202e out", "", "control characters"),
        ("the pool times out", "no such piece", "exact piece"),
    ],
)
def test_shapes_that_are_refused(core: str, detail: str, fault: str) -> None:
    assert any(fault in said for said in faults(Reply(core, detail), OF))


def test_names_stand_alone() -> None:
    of = Source("call getUserName() in src/auth.py with --dry-run and SHA256")
    for there in ("getUserName", "getusername", "src/auth.py", "auth.py", "--dry-run", "sha256"):
        assert of.names(there), there
    for absent in ("getUser", "UserName", "auth.p", "rc/auth.py", "SHA25"):
        assert not of.names(absent), absent


def test_forms_of_a_word_and_common_words_are_free() -> None:
    of = Source("deadlocks were found while workers were draining")
    assert faults(Reply("Found that the worker deadlocked because of an error in the loop", "while workers"), of) == []
