"""Past work on a file and on its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork.config import Config
from pastwork.errors import BadUsage
from pastwork.palace import Palace
from pastwork.palace.history import LARGEST
from pastwork.shapes import HistoryAnswer
from tests.palace.world import POOL, clock


def seen(answer: HistoryAnswer) -> list[tuple[str, int, str]]:
    return [(match.tier, int(match.hit.id, 16), match.action) for match in answer.matches]


def test_a_file(palace: Palace, disk: Path) -> None:
    """Who wrote it, then who has a room for it, then who named it; nothing of the other project's pool."""
    answer = palace.history(disk / "work/shop/src/pool.py")
    assert seen(answer) == [("line", 1, "created"), ("file", 2, "read"), ("file", 3, "mentioned")]
    assert answer.matches[0].lines == ((1, 11),)
    assert answer.matches[0].survival == 1.0
    assert answer.silence is None


def test_the_other_project_of_that_name(palace: Palace, disk: Path) -> None:
    assert [number for _, number, _ in seen(palace.history(disk / "play/shop/src/pool.py"))] == [6]


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("work/shop/src/nothing.py", "No transcript edits nothing.py."),
        ("work/shop/pool.py", "No transcript edits pool.py."),
        ("elsewhere/src/pool.py", "No transcript edits pool.py."),
    ],
)
def test_silence_says_why(palace: Palace, disk: Path, file: str, sentence: str) -> None:
    answer = palace.history(disk / file)
    assert (answer.matches, answer.silence) == ((), sentence)


@pytest.mark.parametrize(
    ("line", "expected", "silence"),
    [
        (1, [("line", 1, "created")], None),
        (10, [("line", 1, "created")], None),
        (12, [("file", 1, "created")], "pool.py has 11 lines; there is no line 12."),
    ],
)
def test_a_line(
    palace: Palace, disk: Path, line: int, expected: list[tuple[str, int, str]], silence: str | None
) -> None:
    answer = palace.history(disk / "work/shop/src/pool.py", line)
    assert (seen(answer), answer.silence, answer.line) == (expected, silence, line)


def test_unsaved_text_counts(palace: Palace, disk: Path) -> None:
    """Two lines typed above: the written ones are found two lines further down, the typed ones are nobody's."""
    file = disk / "work/shop/src/pool.py"
    text = "# typed by hand, all of it new\nanswer_to_everything = 42\n" + POOL
    assert palace.history(file, text=text).matches[0].lines == ((3, 13),)
    answer = palace.history(file, 2, text)
    assert seen(answer) == [("file", 1, "created")]
    assert answer.silence == "No known exchange wrote line 2; 1 exchange edited pool.py, elsewhere."


def test_a_file_that_is_gone_has_a_past(palace: Palace, disk: Path) -> None:
    answer = palace.history(disk / "work/shop/README.md")
    assert seen(answer) == [("file", 3, "edited")]
    assert answer.notes == ("README.md does not exist today; this is its past",)


@pytest.mark.parametrize("line", [0, -3])
def test_lines_count_from_one(palace: Palace, disk: Path, line: int) -> None:
    with pytest.raises(BadUsage, match="counted from 1"):
        palace.history(disk / "work/shop/src/pool.py", line)


def test_a_path_recorded_elsewhere(disk: Path) -> None:
    """The same project on another machine, by an alias."""
    moved = disk / "moved" / "shop"
    (moved / ".git").mkdir(parents=True, exist_ok=True)
    with Palace(disk / "data", Config(), disk, clock, {str(disk / "work" / "shop"): str(moved)}) as palace:
        answer = palace.history(moved / "src/pool.py", text=POOL)
    assert seen(answer)[0] == ("line", 1, "created")


def test_blame(palace: Palace, disk: Path) -> None:
    answer = palace.blame(disk / "work/shop/src/pool.py")
    assert [line.line for line in answer.lines] == list(range(1, 12))
    assert {line.exchange_id for line in answer.lines} == {f"{1:016x}"}
    assert {line.session_id for line in answer.lines} == {"5e551011-0000-4000-8000-000000000001"}
    assert answer.silence is None


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        (
            "work/shop/src/pool.py",
            "nothing of it is left here\n",
            "Edited by 1 exchange; none of their lines stand today.",
        ),
        ("work/shop/src/other.py", "x = 1\n", "No transcript edits other.py."),
    ],
)
def test_blame_is_silent(palace: Palace, disk: Path, file: str, text: str, sentence: str) -> None:
    answer = palace.blame(disk / file, text)
    assert (answer.lines, answer.silence) == ((), sentence)


def test_a_huge_file_is_not_attributed(palace: Palace, disk: Path) -> None:
    huge = disk / "work/shop/src/huge.py"
    with huge.open("wb") as file:
        file.truncate(LARGEST + 1)
    assert palace.history(huge).notes == ("huge.py is too large to be attributed line by line",)


def test_before_the_first_index(tmp_path: Path) -> None:
    with Palace(tmp_path / "none", Config(), tmp_path, clock) as palace:
        answer = palace.history(tmp_path / "a.py")
    assert answer.notes[0].startswith("nothing is indexed yet")
    assert not (tmp_path / "none").exists()
