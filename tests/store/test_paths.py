"""Recorded paths compared as text."""

from __future__ import annotations

import pytest

from pastwork.store import paths


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/w/src/a.py", "/w", "src/a.py"),
        ("/w/src/a.py", "/w/", "src/a.py"),
        ("/w/./src//a.py", "/w", "src/a.py"),
        ("/w", "/w", None),
        ("/work/a.py", "/w", None),
        ("/w/../etc/passwd", "/w", None),
        ("src/a.py", "/w", "src/a.py"),
        ("./src/a.py", "/w", "src/a.py"),
        ("../a.py", "/w", None),
        ("/w/Src/A.py", "/w", "Src/A.py"),
        ("/W/a.py", "/w", None),
        ("/a.py", "/", "a.py"),
        ("C:\\Users\\dev\\App\\src\\Main.cs", "c:/users/dev/app", "src/Main.cs"),
        ("c:/Users/dev/App/src/Main.cs", "C:\\Users\\dev\\App\\", "src/Main.cs"),
        ("\\\\host\\share\\app\\a.py", "\\\\HOST\\share\\app", "a.py"),
        ("D:\\other\\a.py", "C:\\other", None),
        ("src\\Main.cs", "C:\\App", "src/Main.cs"),
        ("/w/odd\\name.py", "/w", "odd\\name.py"),
        ("/w/a.py", None, None),
        ("", "/w", None),
        ("\\src\\a.cs", "C:\\App", None),
        (".", "/w", None),
        ("./", "/w", None),
    ],
)
def test_relative(path: str, folder: str | None, expected: str | None) -> None:
    assert paths.relative(path, folder) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/w/a.py", "a.py"),
        ("a.py", "a.py"),
        ("C:\\x\\Main.cs", "Main.cs"),
        ("/w/dir/", "dir"),
        ("/", ""),
    ],
)
def test_base_name(path: str, expected: str) -> None:
    assert paths.base_name(path) == expected


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("C:\\Users\\Dev", "c:/users/dev/", True),
        ("/home/Dev", "/home/dev", False),
        ("/home/dev//x/", "/home/dev/x", True),
        ("\\\\Host\\Share", "\\\\host\\share\\", True),
    ],
)
def test_folded(one: str, other: str, same: bool) -> None:
    assert (paths.folded(one) == paths.folded(other)) is same
