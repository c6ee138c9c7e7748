"""What an exchange wrote beside the file today: what is asked, what is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.config import Config
from pastwork.errors import NotFound
from pastwork.model import Edit, FileTouch, Hunk
from pastwork.palace import Palace
from tests.palace.world import POOL, World, added, clock, digest, exchange

IDS = [f"{number:016x}" for number in range(8)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "shop" / "src" / "pool.py"


@pytest.fixture
def palace(tmp_path: Path, file: Path) -> Iterator[Palace]:
    """1 created the pool, 2 changed a line of it, 3 named it, 4 added to it without a number, 5 deleted it."""
    world, shop = World(tmp_path / "data"), str(tmp_path / "shop")
    changed = Hunk(("     def take(self, timeout=5):", "-        pass", "+        return self.waiting.acquire()"), 8, 8)
    edits: list[list[Edit]] = [
        [added(POOL, str(file))],
        [Edit(str(file), "edited", (changed,), "patch")],
        [Edit(str(file), "edited")],
        [Edit(str(file), "edited", (Hunk(("+POOLS_BY_ADDRESS = {}",)),), "text")],
        [Edit(str(file), "deleted")],
    ]
    for number, made in enumerate(edits, 1):
        found = exchange(number, shop, f"Change {number} of the pool", edits=made)
        world.put(found, digest(found, f"Change {number}", touched=[FileTouch(str(file), "edited")]))
    world.close()
    with Palace(tmp_path / "data", Config(), tmp_path, clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("number", "today", "text", "note"),
    [
        (1, POOL.replace("free_connection", "spare_connection"), POOL, ""),
        (2, "nothing of it\n", "return self.waiting.acquire()", "One change left no trace in the text of today; shown"),
        (4, "nothing of it\n", "nothing of it\n", "One change has no place in the text of today and is left out."),
        (5, "there again\n", "", "This exchange deleted the file."),
    ],
)
def test_written(palace: Palace, file: Path, number: int, today: str, text: str, note: str) -> None:
    answer = palace.written(IDS[number], file, today, [file.parent.parent])
    assert answer.file == str(file)
    assert (answer.note or "").startswith(note)
    assert bool(answer.note) == bool(note)
    assert text in answer.text


def test_the_file_on_disk_is_today(palace: Palace, file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(f"# new\n{POOL}")
    assert palace.written(IDS[1], file, folders=[file.parent.parent]).text == POOL


@pytest.mark.parametrize(
    ("number", "name", "told"),
    [(3, "pool.py", "not what was written"), (1, "other.py", "did not write other.py"), (7, "pool.py", "no exchange")],
)
def test_nothing_to_compare_is_said(palace: Palace, file: Path, number: int, name: str, told: str) -> None:
    with pytest.raises(NotFound, match=told):
        palace.written(IDS[number], file.with_name(name), "text\n", [file.parent.parent])
