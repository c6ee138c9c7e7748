"""What an agent may ask, on the invented store of two projects with the same name."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.config import Config, Search
from pastwork.errors import BadUsage, NotFound, PastworkError
from pastwork.memory.book import BUDGET, Book
from pastwork.palace import Palace
from tests.palace.conftest import disk
from tests.palace.world import clock

__all__ = ["disk"]


@pytest.fixture
def book(disk: Path) -> Iterator[Book]:
    with Palace(disk / "data", Config(), disk, clock) as palace:
        yield Book(palace, disk / "work" / "shop" / "src")


@pytest.fixture
def wide(disk: Path) -> Iterator[Book]:
    with Palace(disk / "data", Config(search=Search(scope="all")), disk, clock) as palace:
        yield Book(palace, disk / "work" / "shop")


def ids(data: dict[str, object]) -> set[str]:
    exchanges = data["exchanges"]
    assert isinstance(exchanges, list)
    return {each["id"] for each in exchanges}


def test_search_stays_in_the_workspace(book: Book, wide: Book) -> None:
    near, far = book.search("", 50), wide.search("", 50)
    assert ids(near.data) < ids(far.data)
    assert all(found in near.text for found in ids(near.data))


def test_a_folder_without_past_work_gets_nothing_from_others(disk: Path, tmp_path: Path) -> None:
    with Palace(disk / "data", Config(), disk, clock) as palace:
        told = Book(palace, tmp_path).search("pool", 8)
    assert told.text == ""
    assert told.notes == ("no past work is recorded in this workspace",)


def test_another_workspaces_exchange_is_not_read(book: Book, wide: Book) -> None:
    foreign = min(ids(wide.search("", 50).data) - ids(book.search("", 50).data))
    with pytest.raises(NotFound, match="no exchange of this workspace"):
        book.read(foreign, 1)
    assert wide.read(foreign, 1).text


def test_reading_by_pages(book: Book) -> None:
    own = min(ids(book.search("", 50).data))
    told = book.read(own, 1)
    assert told.text.startswith("USER: ")
    assert told.data["page"] == 1


def test_past_work_on_a_line(book: Book) -> None:
    told = book.on_file("pool.py", 9)
    assert "wrote lines" in told.text
    assert told.remarks == ()


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda book: book.read("nope", 1), NotFound, "nope"),
        (lambda book: book.read("x" * 100_000, 1), NotFound, "xxx"),
        (lambda book: book.search("pool", 0), BadUsage, "limit 0"),
        (lambda book: book.search("pool", 10**9), BadUsage, "limit"),
        (lambda book: book.search("pool", 5, since="the day after never"), BadUsage, "since"),
        (lambda book: book.rooms("no such room", 5), NotFound, "no such room"),
        (lambda book: book.on_file("../../../../etc/passwd", None), BadUsage, "outside this workspace"),
        (lambda book: book.on_file("/etc/passwd", 1), BadUsage, "outside this workspace"),
    ],
)
def test_bad_questions_get_one_sentence(book: Book, ask: object, error: type[PastworkError], words: str) -> None:
    assert callable(ask)
    with pytest.raises(error) as caught:
        ask(book)
    assert words in caught.value.message
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 300


def test_a_page_that_is_not_there(book: Book) -> None:
    own = min(ids(book.search("", 50).data))
    with pytest.raises(BadUsage, match="no page 1000000 of"):
        book.read(own, 1_000_000)


def test_a_short_id_is_read_and_an_ambiguous_one_is_told(book: Book) -> None:
    short = book.search("", 50).text.split()[0]
    assert str(book.read(short, 1).data["id"]).startswith(short)
    with pytest.raises(BadUsage, match="exchanges have ids that begin with 0000"):
        book.read("0000", 1)


def test_an_ambiguous_id_names_none_of_another_workspace(book: Book, wide: Book) -> None:
    foreign = ids(wide.search("", 50).data) - ids(book.search("", 50).data)
    with pytest.raises(BadUsage) as caught:
        book.read("0" * 15, 1)
    assert foreign
    assert not any(name in caught.value.remedy for name in foreign)


def test_before_the_first_index(tmp_path: Path) -> None:
    """Every tool says it in one sentence."""
    with Palace(tmp_path / "none", Config(), tmp_path, clock) as palace:
        empty = Book(palace, tmp_path)
        for told in (empty.search("pool", 5), empty.search("", 5), empty.rooms(None, 5), empty.on_file("a.py", 1)):
            assert told.text == ""
            assert any("nothing is indexed yet" in said for said in (*told.notes, *told.remarks))
        with pytest.raises(NotFound, match="no exchange of this workspace"):
            empty.read("0" * 16, 1)


def test_rooms_and_one_of_them(book: Book) -> None:
    told = book.rooms(None, 200)
    first = told.text.split("\n")[0].rsplit(" ", 1)[0]
    assert ids(book.rooms(first, 50).data)


def test_no_answer_passes_its_budget(wide: Book) -> None:
    for told in (wide.search("", 50), wide.rooms(None, 200)):
        assert wide._count([told.text])[0] <= BUDGET


def test_data_holds_no_recorded_text(wide: Book) -> None:
    """What programs read beside the text carries no prose that could talk to a model."""
    told = wide.search("", 50)
    exchanges = told.data["exchanges"]
    assert isinstance(exchanges, list)
    assert {key for each in exchanges for key in each} == {"id", "started_at", "agent", "fix"}


LIGHT = """
import sys
from pathlib import Path
from pastwork.config import Config
from pastwork.memory.book import Book
from pastwork.palace import Palace
from tests.palace.world import clock

disk = Path(sys.argv[1])
with Palace(disk / "data", Config(), disk, clock) as palace:
    book = Book(palace, disk / "work" / "shop")
    found = book.search("", 50).data["exchanges"]
    book.on_file("src/pool.py", 1), book.rooms(None, 30), [book.read(each["id"], 1) for each in found]
    assert len(found) > 1
    before = sorted({"numpy", "onnxruntime"} & sys.modules.keys())
    book.search("pool", 8)
print(before, "numpy" in sys.modules)
"""


def test_what_searching_by_words_and_meaning_takes_is_not_loaded_before(disk: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", LIGHT, str(disk)], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["[]", "True"]
