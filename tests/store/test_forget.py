"""Forgotten means: from every table, from the bytes on disk, and for good."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from pastwork.errors import NotFound
from pastwork.index.base import Fields
from pastwork.index.okapi import OkapiLane
from pastwork.model import Session
from pastwork.store import places
from pastwork.store.forget import Forgetting, forget, scrub
from pastwork.store.reader import StoreReader
from pastwork.store.records import RowFilter
from pastwork.store.verify import verify
from pastwork.store.writer import StoreWriter
from tests.store.samples import WORKSPACE, digest, exchange, keep

SECRET = "zanzibarferry"


def filled(data: Path) -> tuple[StoreWriter, OkapiLane]:
    """Three exchanges of two sessions, the second with a word that nothing else has."""
    writer = StoreWriter.open(data)
    lane = OkapiLane(writer.connection)
    with writer.transaction():
        lane.prepare()
        for number in (1, 2, 3):
            session = "session-b" if number == 3 else "session-a"
            of = exchange(number, session_id=session, workspace=f"{WORKSPACE}{number}", cwd=None)
            word = SECRET if number == 2 else "plain"
            made = replace(
                digest(of), prompt=f"{word} prompt", object=replace(digest(of).object, exchange_core=f"{word} core")
            )
            row = keep(writer, of, f"/logs/{session}", made)
            lane.add([(row, Fields(prompt=f"{word} prompt", prose="same words"))])
            writer.put_session(Session("claude-code", session, f"{word} title" if number != 1 else ""))
            writer.put_vectors("r", [row], np.ones((1, 384), np.float32))
    return writer, lane


@pytest.mark.parametrize(
    ("what", "gone"),
    [
        (Forgetting(exchange_id=exchange(2).id), {2}),
        (Forgetting(session="session-a"), {1, 2}),
        (Forgetting(session="session-b"), {3}),
        (Forgetting(before="2026-02-03T10:02:30Z"), {1, 2}),
        (Forgetting(before="2026-02-03"), set()),
        (Forgetting(before="2026-02-04"), {1, 2, 3}),
        (Forgetting(workspaces=(f"{WORKSPACE}2", f"{WORKSPACE}3")), {2, 3}),
        (Forgetting(workspaces=("/nowhere",)), set()),
    ],
)
def test_what_is_forgotten(tmp_path: Path, what: Forgetting, gone: set[int]) -> None:
    writer, lane = filled(tmp_path)
    with writer:
        assert forget(writer, what, [lane]) == len(gone)
        for number in (1, 2, 3):
            assert (writer.find(exchange(number).id) is None) == (number in gone)
        left = {number for number in (1, 2, 3) if number not in gone}
        assert len(lane.search("same words", 9)) == len(left)
        assert len(writer.vectors("r")[0]) == len(left)
        answer = verify(writer)
        assert answer.faults == ()
        assert answer.checked["exchanges"] == len(left)


@pytest.mark.parametrize("what", [Forgetting(exchange_id="0" * 16), Forgetting(session="unknown")])
def test_what_is_not_known_can_not_be_forgotten(tmp_path: Path, what: Forgetting) -> None:
    writer, lane = filled(tmp_path)
    with writer, pytest.raises(NotFound):
        forget(writer, what, [lane])


def test_the_bytes_are_gone_from_every_file(tmp_path: Path) -> None:
    writer, lane = filled(tmp_path)
    places.write_private(places.private_folder(tmp_path / places.DERIVED) / "cache", SECRET.encode())
    with writer:
        held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert SECRET.encode() in held
        forget(writer, Forgetting(session="session-a"), [lane])
        for path in tmp_path.rglob("*"):
            assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def test_a_reader_in_the_way_delays_the_scrubbing_and_no_more(tmp_path: Path) -> None:
    writer, lane = filled(tmp_path)
    with writer:
        reader = StoreReader.open(tmp_path)
        reader.connection.execute("BEGIN")
        reader.generation()
        writer.connection.execute("PRAGMA busy_timeout = 50")
        assert forget(writer, Forgetting(session="session-a"), [lane]) == 2
        assert not scrub(writer)
        reader.close()
        assert scrub(writer)
        assert SECRET.encode() not in (tmp_path / places.STORE).read_bytes()
        assert (tmp_path / f"{places.STORE}-wal").stat().st_size == 0


@pytest.mark.parametrize(
    ("what", "found_again", "stays_out"),
    [
        (Forgetting(exchange_id=exchange(1).id), exchange(1), True),
        (Forgetting(exchange_id=exchange(1).id), replace(exchange(1), open=True), True),
        (Forgetting(exchange_id=exchange(1).id), replace(exchange(1), session_id="fork"), True),
        (Forgetting(exchange_id=exchange(1).id), replace(exchange(1), id="e" * 16, agent="specstory"), True),
        (Forgetting(exchange_id=exchange(1).id), exchange(4), False),
        (Forgetting(session="session-a"), exchange(4), True),
        (Forgetting(session="session-a"), replace(exchange(4), session_id="session-b"), False),
        (Forgetting(before="2026-02-04"), exchange(4), False),
        (Forgetting(before="2026-02-04"), exchange(2), True),
    ],
    ids=["same", "grown", "fork", "second hand", "another", "same session", "other session", "later", "earlier"],
)
def test_it_stays_forgotten(tmp_path: Path, what: Forgetting, found_again: object, stays_out: bool) -> None:
    writer, lane = filled(tmp_path)
    with writer:
        forget(writer, what, [lane])
        with writer.transaction():
            source = writer.source("claude-code", Path("/logs/again"))
            assert (writer.weigh(found_again, source.id) is not None) == stays_out  # type: ignore[arg-type]
            put = writer.put(found_again, digest(found_again), source.id)  # type: ignore[arg-type]
        assert (put.outcome == "forgotten") == stays_out
        assert (writer.find(found_again.id) is None) == stays_out  # type: ignore[attr-defined]


def test_a_shared_exchange_goes_with_either_session(tmp_path: Path) -> None:
    writer, lane = filled(tmp_path)
    with writer:
        keep(writer, replace(exchange(1), session_id="fork"), "/logs/fork")
        assert forget(writer, Forgetting(session="fork"), [lane]) == 1
        assert writer.find(exchange(1).id) is None
        assert writer.rows(RowFilter(sessions=("session-a",))) == {2}


def test_a_row_is_never_used_again(tmp_path: Path) -> None:
    writer, lane = filled(tmp_path)
    with writer:
        last = writer.row_of(exchange(3).id)
        forget(writer, Forgetting(exchange_id=exchange(3).id), [lane])
        assert keep(writer, exchange(4), "/logs/other") > (last or 0)
