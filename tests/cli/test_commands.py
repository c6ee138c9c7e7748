"""Every command's JSON is exactly the contract's shape; every command's table says what matters."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest

from pastwork import shapes
from tests.cli.conftest import Terminal


def exactly(document: str, shape: Any) -> Any:
    """Decodes strictly: a field that the shape does not have, or one that is missing, fails."""
    answer = msgspec.json.decode(document.encode(), type=shape)
    assert json.loads(msgspec.json.encode(answer)) == json.loads(document)
    assert document.endswith("}\n")
    return answer


def hits(pastwork: Terminal, *words: str) -> list[shapes.Hit]:
    done = pastwork("rooms", *words, "--json")
    assert done.returncode == 0, done.stderr
    return list(exactly(done.stdout, shapes.RoomAnswer).hits)


def some_room(pastwork: Terminal) -> str:
    room = exactly(pastwork("rooms", "--json").stdout, shapes.RoomsAnswer).rooms[0]
    return f"{room.room_type}:{room.room_key}"


def some_id(pastwork: Terminal) -> str:
    return hits(pastwork, some_room(pastwork))[0].id


@pytest.mark.parametrize(
    ("words", "shape"),
    [
        (["index", "--no-vectors"], shapes.IndexAnswer),
        (["search", "bookings", "hang"], shapes.SearchAnswer),
        (["search", ""], shapes.SearchAnswer),
        (["rooms"], shapes.RoomsAnswer),
        (["verify"], shapes.VerifyAnswer),
        (["status"], shapes.StatusAnswer),
        (["doctor"], shapes.DoctorAnswer),
        (["context", "--budget", "500"], shapes.ContextAnswer),
        (["history", "ferryline/pool.py"], shapes.HistoryAnswer),
        (["history", "ferryline/pool.py:3"], shapes.HistoryAnswer),
        (["blame", "ferryline/pool.py"], shapes.BlameAnswer),
    ],
)
def test_json_is_the_shape(pastwork: Terminal, words: list[str], shape: type) -> None:
    done = pastwork(*words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    exactly(done.stdout, shape)


def test_show(pastwork: Terminal) -> None:
    name = some_id(pastwork)
    shown = exactly(pastwork("show", name, "--json").stdout, shapes.ShowAnswer)
    assert shown.id == name
    assert shown.verbatim[0].role == "user"
    assert pastwork("show", name, "--format", "json").stdout == pastwork("show", name, "--json").stdout
    assert shown.verbatim[0].text.split()[0] in pastwork("show", name).stdout
    page = pastwork("show", name, "--format", "markdown").stdout
    assert page.startswith("# ")
    assert "## You" in page


def test_one_room(pastwork: Terminal) -> None:
    name = some_room(pastwork)
    answer = exactly(pastwork("rooms", name, "--json").stdout, shapes.RoomAnswer)
    assert answer.room.exchanges == len(answer.hits)
    assert answer.hits[0].id in pastwork("rooms", name).stdout


def test_history_and_blame_agree(pastwork: Terminal) -> None:
    """Who blame names for a line is who history of that line puts first."""
    lines = exactly(pastwork("blame", "ferryline/pool.py", "--json").stdout, shapes.BlameAnswer).lines
    assert lines
    line = lines[0]
    history = exactly(pastwork("history", f"ferryline/pool.py:{line.line}", "--json").stdout, shapes.HistoryAnswer)
    assert history.matches[0].tier == "line"
    assert history.matches[0].hit.id == line.exchange_id


def test_blame_for_people_keeps_the_file(pastwork: Terminal) -> None:
    shown = pastwork("blame", "ferryline/pool.py").stdout.splitlines()
    content = (pastwork.workspace / "ferryline/pool.py").read_text().splitlines()
    assert [re.sub(r"^.{16} +\d+ ", "", line).rstrip() for line in shown[: len(content)]] == [
        line.rstrip() for line in content
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["search", "why do bookings hang"], ["exchanges in this workspace", "claude-code"]),
        (["search", "xylophonequartet"], ["No past exchange matches"]),
        (["status"], ["sessions", "last indexed"]),
        (["rooms"], ["room", "exchanges"]),
        (["doctor"], ["the store"]),
        (["history", "ferryline/pool.py"], ["tier", "line"]),
        (["--version"], ["pastwork 0."]),
        (["index", "--no-vectors"], ["known exchanges"]),
    ],
)
def test_people_get_a_table(pastwork: Terminal, words: list[str], expected: list[str]) -> None:
    done = pastwork(*words)
    assert done.returncode == 0, done.stderr
    for part in expected:
        assert part in done.stdout
    assert "\x1b" not in done.stdout
    assert "Traceback" not in done.stderr


def test_context_keeps_its_budget(pastwork: Terminal) -> None:
    answer = exactly(pastwork("context", "--budget", "150", "--json").stdout, shapes.ContextAnswer)
    assert 0 < answer.used <= answer.budget == 150
    assert answer.left_out > 0
    assert len(re.findall(r"^[0-9a-f]{4,16} ", answer.text, re.MULTILINE)) == len(answer.ids) == answer.exchanges
    mark = re.fullmatch(r"<(past-work-[0-9a-f]{16}) [^\n]*>", answer.text.splitlines()[0])
    assert mark
    assert answer.text.endswith(f"</{mark[1]}>")


def test_context_in_every_form(pastwork: Terminal) -> None:
    plain = pastwork("context").stdout
    assert re.search(r"^\d{4}-\d\d-\d\d$", plain, re.MULTILINE)
    page = pastwork("context", "--format", "markdown").stdout
    assert re.search(r"^\*\*\d{4}-\d\d-\d\d\*\*$", page, re.MULTILINE)
    assert re.search(r"^- `[0-9a-f]{4,16}` ", page, re.MULTILINE)
    answer = exactly(pastwork("context", "--format", "json").stdout, shapes.ContextAnswer)
    assert answer.text.splitlines()[1:-1] == plain.splitlines()[1:-1]


def test_a_short_id_is_enough(pastwork: Terminal) -> None:
    answer = exactly(pastwork("context", "--json").stdout, shapes.ContextAnswer)
    short = re.findall(r"^([0-9a-f]{4,16}) ", answer.text, re.MULTILINE)[0]
    shown = exactly(pastwork("show", short, "--json").stdout, shapes.ShowAnswer)
    assert shown.id == answer.ids[0]
    assert shown.id.startswith(short)


def test_a_second_index_finds_nothing_new(pastwork: Terminal) -> None:
    answer = exactly(pastwork("index", "--no-vectors", "--json").stdout, shapes.IndexAnswer)
    assert (answer.exchanges.new, answer.exchanges.updated) == (0, 0)
    assert answer.exchanges.known > 0


def test_scope_follows_the_folder(pastwork: Terminal) -> None:
    """In a folder without past work the answer is from everywhere, and says so."""
    answer = exactly(pastwork("rooms", "--json", cwd=pastwork.data).stdout, shapes.RoomsAnswer)
    assert answer.rooms
    assert "this is from all projects" in answer.notes[0]
    named = exactly(
        pastwork("rooms", "--json", "--workspace", str(pastwork.workspace), cwd=pastwork.data).stdout,
        shapes.RoomsAnswer,
    )
    assert named.notes == ()


def test_bad_settings_are_told_and_defaults_used(pastwork: Terminal) -> None:
    settings = pastwork.home / "bad.toml"
    settings.write_text("[search]\nlimit = 'many'\ncolour = 1\n")
    done = pastwork("status", PASTWORK_CONFIG=str(settings))
    assert done.returncode == 0
    assert "search.limit" in done.stderr
    assert "search.colour" in done.stderr
    as_json = pastwork("status", "--json", PASTWORK_CONFIG=str(settings))
    assert "search.limit" in as_json.stderr
    exactly(as_json.stdout, shapes.StatusAnswer)


@pytest.mark.parametrize(
    "words",
    [
        ["search", "pool", "--fixes", "--limit", "1"],
        ["search", "pool", "--agent", "codex", "--since", "2020", "--until", "today", "--branch", "main"],
        ["search", "pool", "--mode", "verbatim-okapi", "--scope", "all"],
        ["search", "pool", "--file", "ferryline/pool.py", "--room", "file:ferryline/pool.py"],
        ["search", "--alias", "/somewhere/else=.", "pool"],
        ["rooms", "--scope", "all", "--since", "2020-01-01"],
        ["context", "--query", "pool", "--limit", "2", "--file", "ferryline/pool.py"],
    ],
)
def test_every_filter_is_understood(pastwork: Terminal, words: list[str]) -> None:
    done = pastwork(*words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    json.loads(done.stdout)


def test_an_alias_leads_to_past_work(pastwork: Terminal) -> None:
    """The project was moved: its old place is recorded, the new one asked about."""
    moved = pastwork.home / "moved"
    (moved / "ferryline").mkdir(parents=True, exist_ok=True)
    (moved / "ferryline" / "pool.py").write_text((pastwork.workspace / "ferryline" / "pool.py").read_text())
    alias = f"{pastwork.workspace}={moved}"
    found = exactly(pastwork("search", "pool", "--alias", alias, "--json", cwd=moved).stdout, shapes.SearchAnswer)
    assert (found.scope, bool(found.hits)) == ("workspace", True)
    blamed = pastwork("blame", "ferryline/pool.py", "--alias", alias, "--json", cwd=moved)
    assert exactly(blamed.stdout, shapes.BlameAnswer).lines
    assert not exactly(pastwork("blame", "ferryline/pool.py", "--json", cwd=moved).stdout, shapes.BlameAnswer).lines


def test_forget(fresh: Terminal) -> None:
    """Gone at once, and not back after the next index; the transcripts are as they were."""
    assert fresh("index", "--no-vectors").returncode == 0
    before = {path: path.read_bytes() for path in fresh.home.rglob("*") if path.is_file()}
    hit = exactly(fresh("search", "bookings hang", "--json").stdout, shapes.SearchAnswer).hits[0]
    done = fresh("forget", hit.id, "--json")
    assert exactly(done.stdout, shapes.ForgetAnswer).forgotten == 1
    assert fresh("index", "--full", "--no-vectors").returncode == 0
    assert fresh("show", hit.id).returncode == 1
    assert fresh("forget", hit.id).returncode == 1
    assert exactly(fresh("forget", "--session", hit.session_id, "--json").stdout, shapes.ForgetAnswer).forgotten > 0
    assert exactly(fresh("forget", "--before", "2000-01-01", "--json").stdout, shapes.ForgetAnswer).forgotten == 0
    gone = exactly(fresh("forget", "--workspace", str(fresh.workspace), "--json").stdout, shapes.ForgetAnswer)
    assert gone.forgotten > 0
    assert exactly(fresh("search", "pool", "--json").stdout, shapes.SearchAnswer).hits == ()
    assert {path: path.read_bytes() for path in fresh.home.rglob("*") if path.is_file()} == before


def test_model_path(pastwork: Terminal) -> None:
    """An empty folder has no model: told, with exit code 1."""
    settings = pastwork.home / "nomodel.toml"
    settings.write_text(f'[embedding]\nmodel = "{pastwork.home.as_posix()}/none"\n')
    done = pastwork("model", "path", "--json", PASTWORK_CONFIG=str(settings))
    answer = exactly(done.stdout, shapes.ModelAnswer)
    assert (done.returncode, answer.ready, answer.path) == (1, False, f"{pastwork.home}/none")
    assert "pastwork model install" in pastwork("model", "path", PASTWORK_CONFIG=str(settings)).stderr
