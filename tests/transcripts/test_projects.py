"""Files in projects: named folders are looked at, scanned ones walked, within bounds."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unittest import mock

import pytest

from pastwork.transcripts import projects
from pastwork.transcripts.base import Env

MARK = ".lamp"


def marked(*folders: Path) -> None:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).touch()


def found(tmp_path: Path, *, named: tuple[Path, ...] = (), scans: tuple[Path, ...] = ()) -> list[str]:
    env = Env(tmp_path, {}, named, scans)
    return [path.relative_to(tmp_path).as_posix() for path in projects.holding(env, MARK)]


def test_a_home_folder_is_never_walked_unasked(tmp_path: Path) -> None:
    marked(tmp_path, tmp_path / "lantern")
    assert found(tmp_path) == []


def test_named_folders_are_looked_at_not_walked(tmp_path: Path) -> None:
    marked(tmp_path / "a", tmp_path / "b" / "below")
    assert found(tmp_path, named=(tmp_path / "a", tmp_path / "b", tmp_path / "gone")) == ["a"]


def test_scanned_folders_are_walked_once_each(tmp_path: Path) -> None:
    marked(tmp_path / "code", tmp_path / "code" / "a", tmp_path / "code" / "b" / "deep")
    scans = (tmp_path / "code", tmp_path / "code" / "a")
    assert found(tmp_path, scans=scans, named=(tmp_path / "code" / "a",)) == ["code/a", "code", "code/b/deep"]


@pytest.mark.parametrize("name", ["node_modules", ".git", "__pycache__", ".venv", "target"])
def test_dependencies_and_builds_are_not_walked(tmp_path: Path, name: str) -> None:
    marked(tmp_path / "code" / name / "x", tmp_path / "code" / "kept")
    assert found(tmp_path, scans=(tmp_path / "code",)) == ["code/kept"]


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_loops_of_links_end(tmp_path: Path) -> None:
    marked(tmp_path / "code" / "a")
    (tmp_path / "code" / "a" / "up").symlink_to(tmp_path / "code")
    (tmp_path / "code" / "self").symlink_to("self")
    assert found(tmp_path, scans=(tmp_path / "code",)) == ["code/a"]


def test_depth_is_bounded(tmp_path: Path) -> None:
    folder = tmp_path / "1" / "2" / "3" / "4" / "5" / "6" / "7"
    marked(folder, folder.parent)
    assert found(tmp_path, scans=(tmp_path,)) == ["1/2/3/4/5/6"]


def test_the_number_of_folders_is_bounded(tmp_path: Path) -> None:
    marked(*(tmp_path / "code" / f"{number:03}" for number in range(50)))
    with mock.patch.object(projects, "_FOLDERS", 11):
        assert len(found(tmp_path, scans=(tmp_path / "code",))) == 10


def test_a_folder_that_cannot_be_listed_is_passed_over(tmp_path: Path) -> None:
    marked(tmp_path / "code" / "locked" / "x", tmp_path / "code" / "open")
    scandir = os.scandir

    def refuses(folder: Path) -> object:
        if folder.name == "locked":
            raise PermissionError(folder)
        return scandir(folder)

    with mock.patch.object(os, "scandir", refuses):
        assert found(tmp_path, scans=(tmp_path / "code",)) == ["code/open"]


def test_a_scan_that_is_gone_or_a_file_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert found(tmp_path, scans=(tmp_path / "gone", tmp_path / "file")) == []


def test_the_nearest_git_root(tmp_path: Path) -> None:
    (tmp_path / "outer" / "inner" / "deep").mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    assert projects.git_root(tmp_path / "outer" / "inner" / "deep") == tmp_path / "outer"
    (tmp_path / "outer" / "inner" / ".git").write_text("gitdir: elsewhere")
    assert projects.git_root(tmp_path / "outer" / "inner" / "deep") == tmp_path / "outer" / "inner"
    assert projects.git_root(tmp_path) is None
