"""Where data go when nothing can be written where they belong."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pastwork import shelter
from pastwork.config import data_home, session_home


def all_but(*closed: Path) -> Callable[[Path], bool]:
    return lambda folder: not any(folder.is_relative_to(each) for each in closed)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("home", "runtime", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(shelter.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("closed", "expected"),
    [
        ([], "home/data/pastwork"),
        (["home"], "runtime/pastwork"),
        (["home", "runtime", "/dev/shm"], "temporary/pastwork-"),
        (["home", "runtime", "temporary", "/dev/shm"], "home/data/pastwork"),
    ],
)
def test_the_best_place_that_can_be_written(home: Path, closed: list[str], expected: str) -> None:
    wanted = home / "data" / "pastwork"
    variables = {"XDG_RUNTIME_DIR": str(home.parent / "runtime")}
    found = shelter.sheltered(wanted, "palace.db", variables, all_but(*(home.parent / name for name in closed)))
    assert str(found).startswith(str(home.parent / expected))
    assert not found.exists(), "choosing makes nothing"


def test_a_store_that_can_be_read_is_read(home: Path) -> None:
    (home / "palace.db").touch()
    variables = {"XDG_RUNTIME_DIR": str(home.parent / "runtime")}
    assert shelter.sheltered(home, "palace.db", variables, all_but(home)) == home


@pytest.mark.skipif(os.name == "nt", reason="rights are POSIX")
@pytest.mark.parametrize("trap", ["open to others", "link", "file"])
def test_a_guessable_name_that_is_not_ours_is_not_used(home: Path, trap: str) -> None:
    place = home.parent / "runtime" / "pastwork"
    if trap == "open to others":
        place.mkdir(mode=0o755)
    elif trap == "link":
        place.symlink_to(home)
    else:
        place.touch()
    variables = {"XDG_RUNTIME_DIR": str(home.parent / "runtime")}
    found = shelter.sheltered(home / "data", "palace.db", variables, all_but(home))
    assert found != place


def test_the_note_is_said_where_there_is_something_to_say(home: Path) -> None:
    assert shelter.note(home, home) == ""
    assert str(home) in shelter.note(home.parent / "runtime", home)


def test_the_settings_way_to_it(home: Path) -> None:
    variables = {"PASTWORK_HOME": str(home / "mine")}
    assert data_home(variables) == session_home(variables) == home / "mine"
