"""What is put in comes out, by every way of asking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from pastwork.errors import NotFound
from pastwork.model import UNKNOWN, UNREADABLE, WROTE, Edit, FileTouch, Hunk, PalaceObject, Problem, Room, Session
from pastwork.store import vectors
from pastwork.store.reader import StoreReader
from pastwork.store.records import FileWork, RowFilter
from pastwork.store.writer import StoreWriter
from tests.store.samples import WORKSPACE, digest, exchange, keep


@pytest.fixture
def writer() -> Iterator[StoreWriter]:
    with StoreWriter.empty() as store:
        yield store


def test_a_round_trip(writer: StoreWriter) -> None:
    of = exchange()
    writer.put_session(Session("claude-code", "session-a", "Tide tables", WORKSPACE))
    row = keep(writer, of)
    kept = writer.kept([row])[row]
    assert (kept.id, kept.agent, kept.session_id, kept.turn) == (of.id, of.agent, of.session_id, of.turn)
    assert (kept.started_at, kept.ended_at, kept.time_source) == (of.started_at, of.ended_at, of.time_source)
    assert (kept.workspace, kept.cwd, kept.branch, kept.model, kept.open) == (
        WORKSPACE,
        WORKSPACE,
        "main",
        "model-x",
        False,
    )
    assert kept.object == digest(of).object
    assert (kept.title, kept.prompt) == ("Tide tables", of.prompt)
    assert (kept.tokens_verbatim, kept.tokens_distilled, kept.fix) == (20, 8, False)
    assert writer.verbatim(row) == of
    assert writer.find(of.id) == kept
    assert writer.source_of(row) == ("/logs/a.jsonl", True)


def test_the_prompt_is_the_masked_one_and_short(writer: StoreWriter) -> None:
    of = exchange(prompt="password hunter2 " * 100)
    row = keep(writer, of, made=digest(of, prompt="masked " * 100))
    assert writer.kept([row])[row].prompt == ("masked " * 100)[:500]


def test_what_is_not_there(writer: StoreWriter) -> None:
    assert writer.kept([1, 2]) == {}
    assert writer.find("0" * 16) is None
    with pytest.raises(NotFound):
        writer.verbatim(1)
    with pytest.raises(NotFound):
        writer.source_of(1)
    assert writer.neighbours(1) == (None, None)


def test_put_again_changes_nothing(writer: StoreWriter) -> None:
    row = keep(writer, exchange())
    source = writer.source("claude-code", Path("/logs/a.jsonl"))
    before = writer.generation(), writer.connection.total_changes
    put = writer.put(exchange(), digest(exchange()), source.id)
    assert (put.row, put.outcome) == (row, "known")
    assert writer.weigh(exchange(), source.id) == put
    assert (writer.generation(), writer.connection.total_changes) == before


def test_an_open_exchange_is_updated_in_place(writer: StoreWriter) -> None:
    first = exchange(open=True, edits=(), entries=exchange().entries[:1], ended_at=None)
    row = keep(writer, first)
    keep(writer, exchange(2))
    with writer.transaction():
        source = writer.source("claude-code", Path("/logs/a.jsonl"))
        assert writer.weigh(exchange(), source.id) is None
        put = writer.put(exchange(), digest(exchange()), source.id)
    assert (put.row, put.outcome) == (row, "updated")
    assert writer.verbatim(row) == exchange()
    assert not writer.kept([row])[row].open
    assert [stored.edit for stored in writer.edits([f"{WORKSPACE}/src/part1.py"])] == list(exchange().edits)


@pytest.mark.parametrize("key", ["src/part1.py", f"{WORKSPACE}/src/part1.py"])
def test_edits_by_recorded_and_by_relative_path(writer: StoreWriter, key: str) -> None:
    keep(writer, exchange(2))
    row = keep(writer, exchange(1))
    (found,) = writer.edits([key])
    assert (found.row, found.exchange_id, found.session_id) == (row, exchange(1).id, "session-a")
    assert (found.relative, found.workspace) == ("src/part1.py", WORKSPACE)
    assert found.edit == exchange(1).edits[0]


def test_edits_come_in_order_of_time_then_place(writer: StoreWriter) -> None:
    path = f"{WORKSPACE}/a.py"

    def edit(text: str, time: str | None = None) -> Edit:
        return Edit(path, "edited", (Hunk((f"+{text}",)),), "text", time=time)

    keep(writer, exchange(3, edits=(edit("late"), edit("later"))))
    keep(writer, exchange(1, edits=(edit("first"), edit("second"), edit("last", "2026-02-03T23:00:00Z"))))
    found = writer.edits([path])
    assert [stored.edit.hunks[0].lines[0] for stored in found] == ["+first", "+second", "+late", "+later", "+last"]
    assert [stored.order for stored in found] == sorted(stored.order for stored in found)


def test_file_work_is_every_touch(writer: StoreWriter) -> None:
    of = exchange()
    touches = (FileTouch("/elsewhere/x.py", "read"), FileTouch("src/part1.py", "edited"))
    row = keep(writer, of, made=digest(of, object=replace(digest(of).object, files_touched=touches)))
    assert list(writer.all_file_work()) == [
        FileWork(row, "/elsewhere/x.py", None, "read"),
        FileWork(row, "src/part1.py", "src/part1.py", "edited"),
    ]
    assert {work.action for work in writer.all_file_work()} & WROTE


def test_neighbours_within_a_session(writer: StoreWriter) -> None:
    rows = [keep(writer, exchange(number)) for number in (1, 2, 3)]
    keep(writer, exchange(4, session_id="session-b", turn=1))
    assert writer.neighbours(rows[0]) == (None, exchange(2).id)
    assert writer.neighbours(rows[1]) == (exchange(1).id, exchange(3).id)
    assert writer.neighbours(rows[2]) == (exchange(2).id, None)


def test_sessions_learn_and_do_not_forget(writer: StoreWriter) -> None:
    row = keep(writer, exchange())
    writer.put_session(Session("claude-code", "session-a", "A title", None, None, "2026-02-03T10:00:00Z"))
    before = writer.generation()
    writer.put_session(Session("claude-code", "session-a", "", WORKSPACE, "parent"))
    assert writer.generation() == before + 1
    writer.put_session(Session("claude-code", "session-a", ""))
    assert writer.generation() == before + 1
    assert writer.kept([row])[row].title == "A title"


def test_generations_say_who_has_to_look_again(writer: StoreWriter) -> None:
    seen = [(writer.generation(), writer.content())]

    def after(expected_generation: int, expected_content: int) -> None:
        seen.append((writer.generation(), writer.content()))
        was, now = seen[-2], seen[-1]
        assert (now[0] - was[0], now[1] - was[1]) == (expected_generation, expected_content)

    row = keep(writer, exchange())
    after(1, 1)
    writer.put_vectors("r", [row], np.ones((1, 4), np.float32))
    after(1, 0)
    writer.set_fact("index", "[]")
    after(0, 0)
    writer.mark_gone([1], "2026-03-01T00:00:00Z")
    after(1, 0)
    with writer.transaction():
        keep(writer, exchange(2))
        keep(writer, exchange(3))
    after(1, 1)


def test_a_failed_transaction_leaves_nothing(writer: StoreWriter) -> None:
    keep(writer, exchange(1))
    before = writer.generation()
    with pytest.raises(ZeroDivisionError), writer.transaction():
        keep(writer, exchange(2 // (keep(writer, exchange(2)) - 2)))
    assert writer.find(exchange(2).id) is None
    assert writer.generation() == before
    keep(writer, exchange(3))
    assert writer.find(exchange(3).id) is not None


def test_an_exchange_that_fails_half_way_is_undone_by_itself(writer: StoreWriter) -> None:
    with writer.transaction():
        keep(writer, exchange(1))
        broken = digest(exchange(2), object=PalaceObject("a lone \ud800 surrogate", ""))
        with pytest.raises(ValueError):
            keep(writer, exchange(2), made=broken)
        keep(writer, exchange(3))
    assert [writer.find(exchange(number).id) is not None for number in (1, 2, 3)] == [True, False, True]
    assert len(writer.edits(["src/part2.py"])) == 0


def test_rooms_are_settled_and_counted(writer: StoreWriter) -> None:
    rows = [keep(writer, exchange(number)) for number in (1, 2)]
    assert writer.candidates()[rows[0]] == digest(exchange(1)).candidates
    settled = {
        rows[0]: (Room("concept", "ferries", "ferries", 0.7),),
        rows[1]: (Room("concept", "ferries", "Ferries", 0.6),),
    }
    assert writer.settle_rooms(settled) == 2
    assert writer.settle_rooms(settled) == 0
    (room,) = writer.rooms(RowFilter())
    assert (room.room_type, room.room_key, room.exchanges, room.last) == (
        "concept",
        "ferries",
        2,
        exchange(2).started_at,
    )
    assert writer.kept([rows[0]])[rows[0]].object.room_assignments == settled[rows[0]]
    assert writer.room("concept:ferries", RowFilter()) == [rows[1], rows[0]]


def test_a_better_object_replaces_the_text_and_makes_vectors_pending(writer: StoreWriter) -> None:
    row = keep(writer, exchange())
    writer.put_vectors("r", [row], np.ones((1, 4), np.float32))
    old = digest(exchange()).object
    writer.set_object(row, PalaceObject("Better", "words", (), (), "ollama:tiny"), 2)
    kept = writer.kept([row])[row]
    assert (kept.object.exchange_core, kept.object.distilled_by, kept.tokens_distilled) == ("Better", "ollama:tiny", 2)
    assert kept.object.room_assignments == old.room_assignments
    assert writer.pending_vectors("r") == [(row, "Better\nwords")]


def test_refilling_keeps_what_a_language_model_wrote(writer: StoreWriter) -> None:
    row = keep(writer, exchange())
    writer.set_object(row, PalaceObject("Better", "words", (), (), "ollama:tiny"), 2)
    assert writer.stale("r2") == [row]
    writer.refill(row, exchange(), digest(exchange(), recipe="r2", fix=True))
    kept = writer.kept([row])[row]
    assert writer.stale("r2") == []
    assert (kept.object.exchange_core, kept.tokens_distilled, kept.fix) == ("Better", 2, True)


def test_vectors_are_kept_in_half_precision_by_recipe(writer: StoreWriter) -> None:
    rows = [keep(writer, exchange(number)) for number in (1, 2, 3)]
    matrix = np.random.default_rng(5).normal(size=(2, 384)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    writer.put_vectors("r", rows[:2], matrix)
    found, back = writer.vectors("r")
    assert found.tolist() == rows[:2]
    assert back.dtype == np.float32
    assert np.abs((back * matrix).sum(axis=1) - 1).max() < 5e-5
    assert [row for row, _ in writer.pending_vectors("r")] == [rows[2]]
    assert [row for row, _ in writer.pending_vectors("other")] == [rows[2], rows[1], rows[0]]
    assert writer.vectors("other")[1].shape == (0, 384)


@pytest.mark.parametrize(
    "matrix",
    [np.ones((2, 384), np.float32), np.ones((1, 7), np.float32), np.full((1, 384), np.nan, np.float32)],
    ids=["rows", "width", "nan"],
)
def test_vectors_of_a_wrong_shape_are_refused(writer: StoreWriter, matrix: np.ndarray) -> None:
    row = keep(writer, exchange())
    writer.put_vectors("r", [row], np.ones((1, 384), np.float32))
    with pytest.raises(ValueError):
        writer.put_vectors("r", [row], matrix)


def test_a_damaged_vector_is_left_out(writer: StoreWriter) -> None:
    rows = [keep(writer, exchange(number)) for number in (1, 2)]
    writer.put_vectors("r", rows, np.ones((2, 384), np.float32))
    writer.connection.execute("UPDATE vector SET data = zeroblob(768) WHERE row = ?", (rows[0],))
    assert vectors.load(writer.connection, "r")[0].tolist() == [rows[1]]


def test_sources_and_their_problems(writer: StoreWriter) -> None:
    state = writer.source("codex", Path("/logs/r.jsonl"))
    assert not state.done
    writer.set_source(replace(state, size=9, mtime_ns=7, stamp=b"s", offset=4, carry=b"c", done=True))
    assert writer.source_state("codex", Path("/logs/r.jsonl")) == replace(
        state, size=9, mtime_ns=7, stamp=b"s", offset=4, carry=b"c", done=True
    )
    assert writer.source_state("codex", Path("/logs/other.jsonl")) is None
    cut, odd = Problem("/logs/r.jsonl", 10, "cut"), Problem("/logs/sub.jsonl", 3, "odd")
    for _ in range(2):
        writer.set_problems(state.id, [cut, odd, cut])
    writer.set_problems(state.id, [Problem("/logs/r.jsonl", 50, "late")], since=20)
    writer.set_agent("codex", ["/logs"], "real", None)
    skipped = writer.status_counts("r", 0.0).agents["codex"].skipped
    assert [(each.offset, each.reason) for each in skipped] == [(10, "cut"), (50, "late")]


def test_an_unknown_type_counts_once_a_file_and_is_not_skipped(writer: StoreWriter) -> None:
    """However often and from wherever a transcript is read."""
    writer.set_agent("codex", [], "real", None)
    for name, offsets in (("a", (10, 99)), ("b", (0,))):
        state = writer.source("codex", Path(f"/logs/{name}.jsonl"))
        for offset in offsets:
            problem = Problem(str(state.path), offset, f"{UNKNOWN}pear")
            writer.set_problems(state.id, [problem, problem], since=offset)
    counts = writer.status_counts("r", 0.0)
    assert counts.agents["codex"].skipped == ()
    assert counts.agents["codex"].unknown == {"pear": 2}
    assert counts.skipped == {}


def test_that_a_transcript_could_not_be_read_is_forgotten_once_it_can(writer: StoreWriter) -> None:
    writer.set_agent("goose", [], "real", None)
    state = writer.source("goose", Path("/logs/g.db"))
    writer.set_problems(state.id, [Problem("/logs/g.db", 0, "message 3: of the wrong shape: role")])
    writer.set_problems(state.id, [Problem("/logs/g.db", 0, f"{UNREADABLE}database is locked")], since=1 << 62)
    writer.set_problems(state.id, [], since=1 << 62)
    skipped = writer.status_counts("r", 0.0).agents["goose"].skipped
    assert [each.reason for each in skipped] == ["message 3: of the wrong shape: role"]


def test_paths_that_are_no_text(writer: StoreWriter) -> None:
    odd = Path("/logs/\udcff.jsonl")
    state = writer.source("codex", odd)
    assert writer.source_state("codex", odd) == state
    row = keep(writer, exchange(agent="codex"), path=str(odd))
    assert writer.source_of(row) == ("/logs/?.jsonl", True)


def test_a_reader_follows_what_is_committed(tmp_path: Path) -> None:
    with StoreWriter.open(tmp_path / "data") as writer, StoreReader.open(tmp_path / "data") as reader:
        assert reader.generation() == writer.generation()
        keep(writer, exchange())
        assert reader.find(exchange().id) == writer.find(exchange().id)
        with writer.transaction():
            keep(writer, exchange(2))
            assert reader.find(exchange(2).id) is None
        assert reader.find(exchange(2).id) is not None
