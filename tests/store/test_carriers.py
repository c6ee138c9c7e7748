"""One exchange in many places: which copy is shown, whatever the order of finding."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pastwork.model import Entry, Exchange
from pastwork.store import carriers
from pastwork.store.records import RowFilter
from pastwork.store.writer import StoreWriter
from tests.store.samples import digest, dump, exchange, keep

#: A copy and the transcript it was found in.
Find = tuple[Exchange, str]

ORIGINAL = exchange(1)
FORK = replace(ORIGINAL, session_id="session-b")
RICHER = replace(FORK, entries=(*ORIGINAL.entries, Entry("assistant", "And one thing more.")))
SECOND_HAND = replace(
    ORIGINAL, id="f" * 16, agent="specstory", entries=(*ORIGINAL.entries, Entry("assistant", "x" * 999))
)
STILL_OPEN = replace(
    RICHER, session_id="session-0", open=True, entries=(*RICHER.entries, Entry("assistant", "y" * 999))
)


def store_of(finds: Sequence[Find]) -> StoreWriter:
    writer = StoreWriter.empty()
    for of, path in finds:
        keep(writer, of, path)
    return writer


@pytest.mark.parametrize(
    ("finds", "shown"),
    [
        ([(ORIGINAL, "/a"), (FORK, "/b")], ORIGINAL),
        ([(ORIGINAL, "/a"), (RICHER, "/b")], RICHER),
        ([(ORIGINAL, "/a"), (SECOND_HAND, "/s")], ORIGINAL),
        ([(ORIGINAL, "/a"), (STILL_OPEN, "/o")], ORIGINAL),
        ([(STILL_OPEN, "/o"), (SECOND_HAND, "/s")], STILL_OPEN),
        ([(SECOND_HAND, "/s"), (FORK, "/b"), (ORIGINAL, "/a"), (STILL_OPEN, "/o"), (RICHER, "/r")], RICHER),
    ],
    ids=["fork", "richer fork", "second hand", "open fork", "open but native", "all"],
)
def test_the_best_copy_is_shown_in_any_order(finds: list[Find], shown: Exchange) -> None:
    dumps = []
    for order in itertools.permutations(finds):
        writer = store_of(order)
        (row,) = writer.recent(RowFilter(), 9)
        assert writer.verbatim(row) == shown
        for of, _ in finds:
            assert writer.row_of(of.id) == row
        dumps.append(dump(writer.connection))
    assert all(each == dumps[0] for each in dumps)


def test_copies_are_counted_once_and_found_by_every_id() -> None:
    writer = store_of([(SECOND_HAND, "/s"), (ORIGINAL, "/a")])
    found = writer.find(SECOND_HAND.id)
    assert found is not None
    assert found.id == ORIGINAL.id
    assert found.agent == "claude-code"
    assert writer.workspaces() == {ORIGINAL.workspace: 1}


def test_two_that_turn_out_to_be_one_are_merged() -> None:
    """The twin of one and the id of another meet in a third copy."""
    one = replace(exchange(1), twin="t1")
    other = replace(exchange(2), twin="t2", entries=(*exchange(2).entries, Entry("assistant", "Longer.")))
    bridge = replace(one, twin="t2")
    for order in itertools.permutations([(one, "/1"), (other, "/2"), (bridge, "/3")]):
        writer = StoreWriter.empty()
        removed: set[int] = set()
        for of, path in order:
            with writer.transaction():
                removed |= set(writer.put(of, digest(of), writer.source(of.agent, Path(path)).id).removed)
        (row,) = writer.recent(RowFilter(), 9)
        assert writer.verbatim(row) == other
        assert row not in removed
        assert writer.row_of(one.id) == writer.row_of(other.id) == row


def test_a_session_reads_on_through_what_another_owns() -> None:
    """A fork's first own exchange follows the copied ones that the original owns."""
    shared = [exchange(number) for number in (1, 2)]
    writer = store_of([(of, "/a") for of in shared])
    for of in shared:
        keep(writer, replace(of, session_id="session-b"), "/b")
    row = keep(writer, exchange(3, session_id="session-b"), "/b")
    assert writer.neighbours(row) == (exchange(2).id, None)


def test_what_its_own_transcript_says_now_replaces_what_it_said() -> None:
    writer = store_of([(RICHER, "/r")])
    shorter = replace(RICHER, entries=RICHER.entries[:1])
    keep(writer, shorter, "/r")
    assert writer.verbatim(1) == shorter


def test_a_transcript_with_a_better_copy_is_read_again_when_the_shown_one_gets_worse() -> None:
    writer = store_of([(RICHER, "/r"), (ORIGINAL, "/a")])
    state = writer.source("claude-code", Path("/a"))
    writer.set_source(replace(state, stamp=b"read", done=True, offset=7))
    keep(writer, replace(RICHER, entries=RICHER.entries[:1]), "/r")
    again = writer.source("claude-code", Path("/a"))
    assert (again.stamp, again.done, again.offset) == (b"", False, 0)
    keep(writer, ORIGINAL, "/a")
    assert writer.verbatim(1) == ORIGINAL


def test_a_copy_that_is_still_there_is_named_before_one_that_is_gone() -> None:
    writer = store_of([(ORIGINAL, "/a"), (FORK, "/b")])
    assert writer.source_of(1) == ("/a", True)
    writer.mark_gone([writer.source("claude-code", Path("/a")).id], "2026-03-01T00:00:00Z")
    assert writer.source_of(1) == ("/b", True)
    writer.mark_gone([writer.source("claude-code", Path("/b")).id], "2026-03-01T00:00:00Z")
    assert writer.source_of(1) == ("/a", False)


@st.composite
def copies(draw: st.DrawFn) -> list[Find]:
    """Finds of a handful of exchanges: forks, open copies, second-hand copies, in different transcripts."""
    finds = []
    for place in range(draw(st.integers(1, 9))):
        number = draw(st.integers(1, 3))
        agent = draw(st.sampled_from(["claude-code", "specstory"]))
        of = exchange(
            number,
            agent=agent,
            id=f"{number:015x}{'f' if agent == 'specstory' else '0'}",
            session_id=draw(st.sampled_from(["s1", "s2", "s3"])),
            open=draw(st.booleans()),
            branch=draw(st.sampled_from(["main", "side"])),
            entries=exchange(number).entries[: draw(st.integers(1, 3))],
        )
        finds.append((of, f"/logs/{place}"))
    return finds


@given(copies(), st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_indexing_in_any_order_or_twice_gives_the_same_store(finds: list[Find], chance: object) -> None:
    mixed = [*finds, *finds[: len(finds) // 2]]
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    assert dump(store_of(finds).connection) == dump(store_of(mixed).connection)


def test_rank_ignores_where_a_fork_says_it_stood() -> None:
    moved = replace(ORIGINAL, session_id="zzz", cwd="/a/much/longer/folder/than/before", branch="other", workspace=None)
    assert carriers.rank(moved) == carriers.rank(ORIGINAL)
