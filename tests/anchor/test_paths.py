"""Recorded paths and today's files, as tables."""

from __future__ import annotations

import pytest

from pastwork.anchor.paths import Places, below, is_absolute, is_windows, key
from pastwork.model import Edit
from pastwork.store.records import StoredEdit


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/work/app/a.py", "/work/app/a.py"),
        ("/work//app/./x/../a.py/", "/work/app/a.py"),
        ("//work/app", "/work/app"),
        ("/", "/"),
        ("", ""),
        (r"C:\Users\Dev\App\a.py", "c:/users/dev/app/a.py"),
        ("c:/Users/Dev/App/a.py", "c:/users/dev/app/a.py"),
        ("/c%3A/Users/dev", "c:/users/dev"),
        ("/c:/Users/dev/", "c:/users/dev"),
        (r"\\?\C:\Users\dev", "c:/users/dev"),
        ("C:\\", "c:"),
        ("/mnt/c/Users/Dev/a.py", "c:/users/dev/a.py"),
        ("/mnt/data/a.py", "/mnt/data/a.py"),
        (r"\\server\Share\a.py", "/server/share/a.py"),
        (r"\\wsl$\Ubuntu\home\dev\a.py", "/home/dev/a.py"),
        (r"\\wsl.localhost\Ubuntu\home\dev\a.py", "/home/dev/a.py"),
        (r"src\main.py", "src/main.py"),
        ("src/odd\\name.py", "src/odd\\name.py"),  # a backslash is part of a POSIX name
        ("/work/cafe\u0301.py", "/work/caf\u00e9.py"),
    ],
)
def test_key(path: str, expected: str) -> None:
    assert key(path) == expected
    assert key(expected) == expected


def test_case_is_the_file_systems() -> None:
    assert key("/Work/App/A.py", fold=True) == "/work/app/a.py"
    assert key("/Work/App/A.py") == "/Work/App/A.py"


@pytest.mark.parametrize(
    ("path", "absolute", "windows"),
    [
        ("/a", True, False),
        ("a/b", False, False),
        (r"C:\a", True, True),
        ("C:/a", True, True),
        (r"\\server\a", True, True),
        (r"a\b", False, True),
        ("C:a", False, False),
    ],
)
def test_kinds(path: str, absolute: bool, windows: bool) -> None:
    assert (is_absolute(path), is_windows(path)) == (absolute, windows)


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [("/a/b/c", "/a/b", "c"), ("/a/b", "/a/b", ""), ("/a/bc", "/a/b", None), ("/a", "/", "a"), ("c:/x", "c:", "x")],
)
def test_below(path: str, folder: str, expected: str | None) -> None:
    assert below(path, folder) == expected


APP = Places.of(["/work/app"])


@pytest.mark.parametrize(
    ("places", "recorded", "workspace", "expected"),
    [
        (APP, "/work/app/src/a.py", "/work/app", "/work/app/src/a.py"),
        (APP, "src/a.py", "/work/app", "/work/app/src/a.py"),
        (APP, r"src\a.py", "/work/app", "/work/app/src/a.py"),
        (APP, "a.py", "/work/app/src", "/work/app/src/a.py"),
        (APP, "../a.py", "/work/app/src", "/work/app/a.py"),
        (APP, "src/a.py", None, "src/a.py"),
        # another machine, by alias; the longest prefix wins
        (
            Places.of(["/work/app"], {"/home/old": "/work", "/home/old/project": "/work/app"}),
            "/home/old/project/src/a.py",
            None,
            "/work/app/src/a.py",
        ),
        (Places.of(["/work/app"], {"/home/old/": "/work/"}), "/home/older/a.py", None, "/home/older/a.py"),
        (Places.of(["/work/app"], {r"C:\Code\App": "/work/app"}), r"c:\code\app\src\a.py", None, "/work/app/src/a.py"),
        # other checkouts of the same repository
        (
            Places.of(["/work/app"], checkouts={"/work/app-fix": "/work/app"}),
            "/work/app-fix/a.py",
            None,
            "/work/app/a.py",
        ),
        (APP, "/work/app/.claude/worktrees/fix-1/src/a.py", None, "/work/app/src/a.py"),
        (APP, "/work/app/.worktrees/4/src/a.py", None, "/work/app/src/a.py"),
        (APP, "/home/dev/.codex/worktrees/81ab/app/src/a.py", None, "/work/app/src/a.py"),
        (APP, "/home/dev/.cursor/worktrees/app/x1/src/a.py", None, "/work/app/src/a.py"),
        (APP, "/home/dev/.codex/worktrees/81ab/other/src/a.py", None, "/home/dev/.codex/worktrees/81ab/other/src/a.py"),
        (APP, "/work/other/.worktrees/4/src/a.py", None, "/work/other/.worktrees/4/src/a.py"),
        # case
        (Places.of(["/Work/App"], fold=True), "/work/app/SRC/a.py", None, "/work/app/src/a.py"),
    ],
)
def test_today(places: Places, recorded: str, workspace: str | None, expected: str) -> None:
    assert places.today(recorded, workspace) == expected


def edit(path: str, workspace: str | None = "/work/app", relative: str | None = None) -> StoredEdit:
    return StoredEdit(1, "ex", "session", 1, relative, Edit(path, "edited"), workspace)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (edit("/work/app/src/a.py"), True),
        (edit("src/a.py"), True),
        (edit("/home/other/app/src/a.py", relative="src/a.py"), True),  # the store knew it lies in the workspace
        (edit("/work/other/src/a.py", "/work/other", "src/a.py"), False),
        (edit("/work/app/src/b.py"), False),
        (edit("src/a.py", None, "src/a.py"), False),
    ],
)
def test_belongs(stored: StoredEdit, expected: bool) -> None:
    assert APP.belongs(stored, "/work/app/src/a.py") is expected


@pytest.mark.parametrize(
    ("places", "file", "among"),
    [
        (APP, "/work/app/src/deep/a.py", {"/work/app/src/deep/a.py", "src/deep/a.py", "deep/a.py", "a.py"}),
        (Places.of(["/work/app"], {"/home/old": "/work/app"}), "/work/app/a.py", {"/home/old/a.py", "a.py"}),
        (Places.of(["/work/app"], {r"C:\Code": "/work/app"}), "/work/app/src/a.py", {r"C:\Code\src\a.py"}),
        (
            Places.of([r"C:\Code\App"]),
            r"c:\Code\App\src\A.py",
            {r"c:\Code\App\src\A.py", r"C:\Code\App\src\A.py", "C:/Code/App/src/A.py", "src/a.py"},
        ),
    ],
)
def test_keys_hold_every_spelling(places: Places, file: str, among: set[str]) -> None:
    assert among <= set(places.keys(file))


def test_relative_is_below_the_innermost_root() -> None:
    places = Places.of(["/work", "/work/app"])
    assert places.relative("/work/app/src/a.py") == "src/a.py"
    assert places.relative("/work/b.py") == "b.py"
    assert places.relative("/elsewhere/b.py") is None
    assert places.relative("/work/app") == "app"


def test_a_path_of_very_many_folders_has_few_spellings() -> None:
    deep = "/home/dev/shop/" + "a/" * 50_000 + "b.py"
    assert len(Places.of(["/home/dev/shop"]).keys(deep)) < 200
