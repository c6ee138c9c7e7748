"""Bad input: one sentence and what to do, the contract's exit code, never a traceback."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import msgspec
import pytest

from pastwork.cli.commands.history import split_place
from pastwork.cli.main import wants_json
from pastwork.shapes import ErrorAnswer
from tests.cli.conftest import Terminal

USAGE, UNKNOWN, UNUSABLE = 2, 1, 3


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["nonsense"], USAGE, "There is no command nonsense"),
        (["serch", "x"], USAGE, "Did you mean search?"),
        (["--nonsense"], USAGE, "--nonsense"),
        (["show"], USAGE, "ID"),
        (["show", "0" * 16], UNKNOWN, "no exchange has the id"),
        (["show", "not an id"], UNKNOWN, "no exchange has the id"),
        (["show", "0" * 16, "--format", "pdf"], USAGE, "pdf"),
        (["rooms", "concept:no_such_room"], UNKNOWN, "no room is called concept:no_such_room"),
        (["rooms", "--limit", "0"], USAGE, "--limit"),
        (["rooms", "--limit", "many"], USAGE, "--limit"),
        (["rooms", "--scope", "everywhere"], USAGE, "--scope"),
        (["rooms", "--since", "gestern"], USAGE, "gestern"),
        (["rooms", "--alias", "nonsense"], USAGE, "OLD=NEW"),
        (["search"], USAGE, "QUERY"),
        (["search", "x", "--mode", "telepathy"], USAGE, "telepathy"),
        (["search", "x", "--since", "gestern"], USAGE, "gestern"),
        (["search", "x", "--limit", "-1"], USAGE, "--limit"),
        (["forget"], USAGE, "one thing"),
        (["forget", "0" * 16, "--session", "x"], USAGE, "one thing"),
        (["forget", "0" * 16], UNKNOWN, "nothing is known by"),
        (["forget", "--session", "none"], UNKNOWN, "nothing is known by"),
        (["forget", "--before", "gestern"], USAGE, "gestern"),
        (["history"], USAGE, "FILE"),
        (["history", "ferryline/pool.py:0"], USAGE, "counted from 1"),
        (["context", "--budget", "3"], USAGE, "budget"),
        (["context", "--budget", "lots"], USAGE, "--budget"),
        (["index", "--agent", "hal9000"], USAGE, "hal9000"),
        (["index", "--scan", "/no/such/folder"], USAGE, "/no/such/folder"),
        (["model"], USAGE, ""),
        (["model", "polish"], USAGE, "polish"),
        (["show", "--", "--json"], UNKNOWN, "no exchange has the id --json"),
    ],
)
def test_bad_input(pastwork: Terminal, words: list[str], code: int, part: str) -> None:
    done = pastwork(*words)
    assert done.returncode == code, done.stderr
    assert part in done.stderr
    assert "Traceback" not in done.stderr
    if "--" in words or words == ["model"]:
        return
    as_json = pastwork(*words, "--json")
    assert as_json.returncode == code
    error = msgspec.json.decode(as_json.stdout.encode(), type=ErrorAnswer).error
    assert part in error.message + error.remedy
    assert error.code == {USAGE: "bad_usage", UNKNOWN: "not_found"}[code]
    assert as_json.stderr == ""


def test_an_unusable_store_says_what_to_do(fresh: Terminal) -> None:
    fresh.data.mkdir()
    (fresh.data / "palace.db").write_bytes(b"this is no database, it is only a sentence. " * 100)
    for words in (["rooms"], ["status"], ["verify"], ["index"], ["show", "0" * 16]):
        done = fresh(*words)
        assert done.returncode == UNUSABLE, (words, done)
        assert "doctor" in done.stderr
        assert json.loads(fresh(*words, "--json").stdout)["error"]["code"] == "store_unusable"
    examined = fresh("doctor", "--json")
    assert examined.returncode == 1
    assert "fail" in {finding["level"] for finding in json.loads(examined.stdout)["findings"]}


def test_a_newer_store_is_left_alone(fresh: Terminal) -> None:
    import sqlite3

    assert fresh("index", "--no-vectors").returncode == 0
    with sqlite3.connect(fresh.data / "palace.db") as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = (fresh.data / "palace.db").read_bytes()
    done = fresh("index")
    assert done.returncode == UNUSABLE
    assert "Update pastwork" in done.stderr
    assert (fresh.data / "palace.db").read_bytes() == before


def test_a_damaged_store_is_repaired(fresh: Terminal) -> None:
    assert fresh("index", "--no-vectors").returncode == 0
    before = json.loads(fresh("rooms", "--json", "--limit", "1000").stdout)["rooms"]
    assert fresh("doctor", "--repair", "--json").stdout.count("nothing to repair") == 1
    content = bytearray((fresh.data / "palace.db").read_bytes())
    content[4096:8192] = bytes(4096)
    (fresh.data / "palace.db").write_bytes(content)
    assert fresh("doctor").returncode == 1
    done = fresh("doctor", "--repair", "--json")
    assert done.returncode == 0, done.stdout
    assert "the store was made anew" in done.stdout
    assert fresh("index", "--no-vectors").returncode == 0
    assert fresh("verify").returncode == 0
    assert json.loads(fresh("rooms", "--json", "--limit", "1000").stdout)["rooms"] == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_folder_that_cannot_be_written(fresh: Terminal) -> None:
    fresh.data.mkdir(mode=0o500)
    done = fresh("index")
    assert done.returncode == UNUSABLE
    assert "can't be written" in done.stderr


def test_a_data_folder_that_is_a_file(fresh: Terminal) -> None:
    fresh.data.write_text("in the way")
    assert fresh("index").returncode == UNUSABLE
    assert fresh("doctor").returncode == 1


def test_before_the_first_index(fresh: Terminal) -> None:
    """Questions are answered with nothing and a note; looking makes no folder."""
    for words in (["rooms"], ["status"], ["history", "a.py"], ["context"]):
        done = fresh(*words, "--json")
        assert done.returncode == 0, done.stderr
        assert "nothing is indexed yet" in done.stdout
    assert not fresh.data.exists()


def test_an_empty_home(fresh: Terminal, tmp_path: Path) -> None:
    (tmp_path / "nobody").mkdir()
    done = fresh("index", cwd=tmp_path / "nobody", HOME=str(tmp_path / "nobody"))
    assert done.returncode == 0
    assert "No transcripts were found" in done.stdout


def test_a_reader_that_has_seen_enough(pastwork: Terminal) -> None:
    """``pastwork rooms | head -1`` ends quietly."""
    import subprocess

    done = subprocess.run(
        f"{sys.executable} -m pastwork context --budget 100000 | head -c 1",
        shell=True,
        cwd=pastwork.workspace,
        env=pastwork.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.parametrize(
    ("place", "file", "line"),
    [
        ("a.py", "a.py", None),
        ("a.py:12", "a.py", 12),
        ("a.py:12:7", "a.py", 12),
        ("src/a.py:1", "src/a.py", 1),
        ("odd:3", "odd:3", None),
        ("C:\\x\\a.py:4", "C:\\x\\a.py", 4),
        (":5", ":5", None),
        ("a.py:x", "a.py:x", None),
    ],
)
def test_split_place(tmp_path: Path, place: str, file: str, line: int | None) -> None:
    (tmp_path / "odd:3").touch()
    assert split_place(place, tmp_path) == (tmp_path / file, line)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["search", "x", "--json"], True),
        (["show", "x", "--format", "json"], True),
        (["show", "x", "--format=json"], True),
        (["search", "x"], False),
        (["search", "--", "--json"], False),
        (["show", "x", "--format", "markdown"], False),
        ([], False),
    ],
)
def test_wants_json(words: list[str], expected: bool) -> None:
    assert wants_json(words) is expected
