"""Questions in, answers out, on an invented store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pastwork.config import Config
from pastwork.index.okapi import OkapiLane
from pastwork.palace import Palace
from pastwork.worker.answers import CAREFUL_MODE, CAREFUL_NOTE, Answers
from pastwork.worker.questions import (
    Blame,
    Context,
    Documents,
    Forget,
    History,
    Lines,
    Page,
    Question,
    Rooms,
    Search,
    Show,
    Written,
)
from tests.palace.world import POOL, World, clock, fill

FIRST, SECOND = f"{1:016x}", f"{2:016x}"


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """``work/shop`` and ``play/shop``, and a data folder with keyword lane."""
    pool = tmp_path / "work" / "shop" / "src" / "pool.py"
    pool.parent.mkdir(parents=True)
    pool.write_text(POOL)
    world = World(tmp_path / "data")
    fill(world, shop(tmp_path), str(tmp_path / "play" / "shop"))
    lane = OkapiLane(world.writer.connection)
    rows = [row for (row,) in world.writer.connection.execute("SELECT row FROM exchange")]
    with world.writer.transaction():
        lane.prepare()
        lane.add((row, world.writer.verbatim(row).prompt) for row in rows)
    world.close()
    return tmp_path


@pytest.fixture
def answers(disk: Path) -> Answers:
    return Answers(disk / "data", Config(), disk, clock)


def answered(answers: Answers, question: Question) -> Any:
    line = answers.answered(7, question)
    assert line.number == 7
    assert line.error is None, line.error
    return msgspec.json.decode(line.result)


def shop(disk: Path) -> str:
    return str(disk / "work" / "shop")


def test_answers_are_the_palaces_own(answers: Answers, disk: Path) -> None:
    folder = Path(shop(disk))
    pool = folder / "src" / "pool.py"
    with Palace(disk / "data", Config(), disk, clock) as palace:
        for question, expected in (
            (History(str(pool), None, None, (str(folder),)), palace.history(pool, None, None, [folder])),
            (History(str(pool), 5, POOL, (str(folder),)), palace.history(pool, 5, POOL, [folder])),
            (Blame(str(pool), POOL, (str(folder),)), palace.blame(pool, POOL, [folder])),
        ):
            assert answered(answers, question) == msgspec.json.decode(msgspec.json.encode(expected))


def test_a_search_is_narrowed_by_what_was_asked(answers: Answers, disk: Path) -> None:
    found = answered(answers, Search(query="pool", mode="verbatim-okapi", folders=(shop(disk),), fixes=True))
    assert [hit["id"] for hit in found["hits"]] == [SECOND]
    everywhere = answered(answers, Search(query="pool", mode="verbatim-okapi", scope="all"))
    assert everywhere["total"] > found["total"]


def test_rooms_and_one_room(answers: Answers, disk: Path) -> None:
    rooms = answered(answers, Rooms(folders=(shop(disk),), limit=2))
    assert len(rooms["rooms"]) == 2
    room = answered(answers, Rooms(room="concept:connection_pool", folders=(shop(disk),)))
    assert room["room"]["exchanges"] == 2
    assert [hit["id"] for hit in room["hits"]] == [SECOND, FIRST]


def test_an_exchange_comes_with_its_document(answers: Answers) -> None:
    shown = answered(answers, Show(FIRST))
    assert shown["verbatim"][0]["text"] == "Write a connection pool"
    assert shown["markdown"].startswith("# Wrote the pool\n")


def test_what_an_exchange_wrote_is_put_back(answers: Answers, disk: Path) -> None:
    pool = f"{shop(disk)}/src/pool.py"
    found = answered(answers, Written(FIRST, pool, POOL.replace("timeout=30", "timeout=5"), (shop(disk),)))
    assert found == {"file": pool, "text": POOL, "note": None}
    for exchange_id, file in ((SECOND, pool), (FIRST, f"{shop(disk)}/README.md"), ("f" * 16, pool)):
        line = answers.answered(7, Written(exchange_id, file, "", (shop(disk),)))
        assert line.error is not None
        assert line.error.code == "not_found"


def test_objects_are_packed_for_a_prompt(answers: Answers, disk: Path) -> None:
    named = answered(answers, Context(ids=(SECOND, FIRST, SECOND.upper()), budget=500))
    assert named["exchanges"] == 2
    assert named["ids"] == [SECOND, FIRST]
    assert "Bookings hang: semaphore never released" in named["text"].splitlines()[2]
    room = answered(answers, Context(room="concept:connection_pool", folders=(shop(disk),), budget=500))
    assert set(room["ids"]) == {FIRST, SECOND}
    assert answered(answers, Context(file="README.md", folders=(shop(disk),), budget=500))["exchanges"] == 1
    line = answers.answered(7, Context(ids=("f" * 16,)))
    assert line.error is not None
    assert line.error.code == "not_found"


def test_who_wrote_which_line(answers: Answers, disk: Path) -> None:
    pool = f"{shop(disk)}/src/pool.py"
    lines = answered(answers, Lines(pool, f"# new\n{POOL}", (shop(disk),), pieces=True))
    (author,) = lines["authors"]
    assert author["glance"]["id"] == FIRST
    assert author["lines"] == [[2, 12]]
    assert author["standing"] == author["added"] > 0
    assert [piece["name"] for piece in lines["pieces"]] == ["Pool", "__init__", "take"]
    assert answered(answers, Lines(pool, "nothing of it\n", (shop(disk),)))["authors"] == []


def test_documents_and_pages_are_private_files(answers: Answers, disk: Path) -> None:
    put = answered(answers, Documents((FIRST, "f" * 16, SECOND)))["files"]
    assert list(put) == [FIRST, SECOND]
    document = Path(put[FIRST])
    assert document.parent == disk / "data" / "derived" / "documents"
    assert document.read_text(encoding="utf-8").startswith("# Wrote the pool\n")
    assert (document.stat().st_mode & 0o777, document.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    page = answered(answers, Page(History(f"{shop(disk)}/src/pool.py", None, POOL, (shop(disk),))))["files"]
    text = Path(page["history"]).read_text(encoding="utf-8")
    assert text.startswith("# Past work on `")
    assert f"[verbatim](<{document.as_uri()}>)" in text


def test_a_data_folder_that_is_a_file_leaves_the_cache_to_a_folder_of_its_own(tmp_path: Path) -> None:
    from pastwork.worker.cache import Cache

    (tmp_path / "data").write_text("not a folder")
    path = Cache(tmp_path / "data").put("history-1", "text")
    assert path.read_text() == "text"
    assert tmp_path not in path.parents


@pytest.mark.parametrize(
    ("question", "code", "usage"),
    [
        (Show("f" * 16), "not_found", False),
        (Rooms(room="concept:none"), "not_found", False),
        (Search(query="x", since="the day before"), "bad_usage", True),
        (Search(query="x", mode="nonsense"), "bad_usage", True),
    ],
)
def test_errors_are_answers_too(answers: Answers, question: Question, code: str, usage: bool) -> None:
    line = answers.answered(7, question)
    assert line.error is not None
    assert (line.error.code, line.usage) == (code, usage)
    assert line.error.message


def test_a_fault_is_told_without_what_it_was_about(
    answers: Answers, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret of a transcript")

    monkeypatch.setattr(Palace, "show", fail)
    line = answers.answered(7, Show(FIRST))
    assert line.error is not None
    assert line.error.code == "failed"
    told = capsys.readouterr().err
    assert "RuntimeError at" in told
    assert "secret" not in told + line.error.message


def test_forget_is_for_good(answers: Answers, disk: Path) -> None:
    answered(answers, Documents((FIRST,)))
    assert answered(answers, Forget(FIRST)) == {"forgotten": 1}
    assert not list((disk / "data").rglob(f"{FIRST}.md"))
    for question in (Show(FIRST), Forget(FIRST)):
        line = answers.answered(7, question)
        assert line.error is not None
        assert line.error.code == "not_found"


def test_rest_and_settings_leave_the_next_answer_right(answers: Answers) -> None:
    before = answered(answers, Show(FIRST))
    answers.rest()
    assert answered(answers, Show(FIRST)) == before
    answers.configure(msgspec.convert({"embedding": {"idle_minutes": 3}}, Config))
    assert answers.idle_seconds == 180
    assert answered(answers, Show(FIRST)) == before


def test_a_careful_worker_searches_by_keyword_and_says_so(answers: Answers, disk: Path) -> None:
    answers.configure(Config(), careful=True)
    found = answered(answers, Search(query="pool", folders=(shop(disk),)))
    assert (found["mode"], found["notes"]) == (CAREFUL_MODE, [CAREFUL_NOTE])
    asked_for = answered(answers, Search(query="pool", mode="verbatim-okapi", folders=(shop(disk),)))
    assert asked_for["notes"] == []
    answers.configure(Config())
    assert CAREFUL_NOTE not in answered(answers, Search(query="pool", folders=(shop(disk),)))["notes"]
