"""Earlier names by git, and all edits under all names."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import pytest

from pastwork.anchor.gather import Name, gather
from pastwork.anchor.git import Git
from pastwork.anchor.paths import Places
from pastwork.anchor.renames import earlier_names, parse
from pastwork.model import Edit
from pastwork.store.records import StoredEdit
from tests.anchor.repositories import DAY, NOON, Repository

TEXT = "".join(f"line_number_{number} = measure({number})\n" for number in range(12))


def names(repository: Repository, name: str) -> list[tuple[str, float | None]]:
    file = repository.root / name
    git = Git.around(file, os.environ)
    assert git is not None
    return [
        (Path(found.path).relative_to(repository.root).as_posix(), found.until) for found in earlier_names(git, file)
    ]


class TestGit:
    def test_names_newest_first_each_up_to_its_end(self, tmp_path: Path) -> None:
        repository = Repository(tmp_path)
        repository.write("first name.py", TEXT)
        repository.commit(NOON)
        repository.git("mv", "first name.py", "second.py")
        repository.commit(NOON + DAY)
        repository.write("src/third.py", TEXT + "more_of_it = 1\n")
        (tmp_path / "second.py").unlink()
        repository.commit(NOON + 2 * DAY)
        assert names(repository, "src/third.py") == [("second.py", NOON + 2 * DAY), ("first name.py", NOON + DAY)]

    def test_a_rename_in_the_index(self, tmp_path: Path) -> None:
        repository = Repository(tmp_path)
        repository.write("first.py", TEXT)
        repository.commit(NOON)
        repository.git("mv", "first.py", "second.py")
        repository.commit(NOON + DAY)
        repository.git("mv", "second.py", "third.py")
        assert names(repository, "third.py") == [("second.py", None), ("first.py", NOON + DAY)]

    def test_no_rename_no_names(self, tmp_path: Path) -> None:
        repository = Repository(tmp_path)
        repository.write("first.py", TEXT)
        repository.commit(NOON)
        repository.write("never_added.py", TEXT)
        assert names(repository, "first.py") == []
        assert names(repository, "never_added.py") == []
        assert names(repository, "missing.py") == []

    def test_only_renames_are_read(self) -> None:
        log = "\x1e1700000000\0\nR087\0old name.py\0new.py\0\x1e1600000000\0\nM\0new.py\0\x1e1\0"
        assert list(parse(log)) == [(1700000000.0, "old name.py", "new.py")]


PLACES = Places.of(["/work/app"])


def at(path: str, order: int, time: str | None = None, previous: str | None = None) -> StoredEdit:
    edit = Edit(path, "edited", previous_path=previous, time=time)
    return StoredEdit(order, f"ex{order}", "session", order, path.removeprefix("/work/app/"), edit, "/work/app")


class Store:
    """Answers like the store: by recorded or relative path."""

    def __init__(self, *edits: StoredEdit) -> None:
        self.edits = edits
        self.asked: list[Collection[str]] = []

    def __call__(self, keys: Collection[str]) -> list[StoredEdit]:
        self.asked.append(keys)
        return [stored for stored in self.edits if stored.edit.path in keys or stored.relative in keys]


class TestGather:
    def test_edits_of_the_file_in_order(self) -> None:
        store = Store(at("/work/app/a.py", 2), at("/work/app/b.py", 3), at("/work/app/a.py", 1))
        assert [stored.order for stored in gather(store, PLACES, "/work/app/a.py")] == [1, 2]

    def test_the_same_relative_path_elsewhere_is_another_file(self) -> None:
        other = StoredEdit(9, "ex9", "session", 9, "a.py", Edit("/work/other/a.py", "edited"), "/work/other")
        assert gather(Store(other), PLACES, "/work/app/a.py") == []

    @pytest.mark.parametrize(
        ("time", "expected"),
        [("2026-03-01T11:59:00Z", [1]), ("2026-03-01T12:01:00Z", []), (None, [1])],
    )
    def test_an_earlier_name_counts_until_the_rename(self, time: str | None, expected: list[int]) -> None:
        found = gather(
            Store(at("/work/app/old.py", 1, time)), PLACES, "/work/app/new.py", [Name("/work/app/old.py", NOON)]
        )
        assert [stored.order for stored in found] == expected

    def test_moves_told_by_transcripts_are_followed(self) -> None:
        moved = "2026-03-01T12:00:00Z"
        store = Store(
            at("/work/app/first.py", 1, "2026-03-01T10:00:00Z"),
            at("/work/app/second.py", 2, "2026-03-01T11:00:00Z", previous="/work/app/first.py"),
            at("/work/app/third.py", 3, moved, previous="/work/app/second.py"),
            at("/work/app/second.py", 4, "2026-03-02T10:00:00Z"),  # another file of that name, later
        )
        assert [stored.order for stored in gather(store, PLACES, "/work/app/third.py")] == [1, 2, 3]

    def test_a_circle_of_renames_ends(self) -> None:
        store = Store(
            at("/work/app/a.py", 1, previous="/work/app/b.py"), at("/work/app/b.py", 2, previous="/work/app/a.py")
        )
        assert [stored.order for stored in gather(store, PLACES, "/work/app/a.py")] == [1, 2]
        assert len(store.asked) == 2
