"""Which recorded folder an exchange belongs to."""

from __future__ import annotations

import pytest

from pastwork.transcripts.places import inside, root_of, widened


def roots_after(*folders: str) -> tuple[str, ...]:
    roots: tuple[str, ...] = ()
    for folder in folders:
        roots = widened(roots, folder)
    return roots


@pytest.mark.parametrize(
    ("folders", "roots"),
    [
        (["/w/app"], ("/w/app",)),
        (["/w/app/"], ("/w/app",)),
        (["/w/app", "/w/app/src"], ("/w/app",)),
        pytest.param(["/w/app/src", "/w/app"], ("/w/app",), id="started in a subfolder"),
        pytest.param(["/w/app", "/w/app-2"], ("/w/app", "/w/app-2"), id="a name is no prefix"),
        pytest.param(["/w/app", "/w/other/app"], ("/w/app", "/w/other/app"), id="same name, two projects"),
        pytest.param(["/w/app/a", "/w/b", "/w/app/c", "/w/app"], ("/w/app", "/w/b"), id="one widens several"),
        pytest.param(["/home/dev/app", "/home/dev"], ("/home/dev/app",), id="never to a home"),
        pytest.param(["/home/dev/app", "/"], ("/home/dev/app",), id="never to the root"),
        pytest.param(["/Users/dev/app", "/Users"], ("/Users/dev/app",), id="never to all homes"),
        pytest.param(["C:\\Users\\dev\\app\\src", "c:\\users\\dev\\app"], ("c:\\users\\dev\\app",), id="windows"),
        pytest.param(["C:\\Users\\dev\\app", "C:\\"], ("C:\\Users\\dev\\app",), id="never to a drive"),
        pytest.param(["/home/dev", "/home/dev/app"], ("/home/dev",), id="a home where work began"),
    ],
)
def test_roots(folders: list[str], roots: tuple[str, ...]) -> None:
    assert roots_after(*folders) == roots


@pytest.mark.parametrize(
    ("cwd", "root"),
    [("/w/app/src", "/w/app"), ("/w/app/nested/x", "/w/app/nested"), ("/elsewhere", "/w/app"), (None, "/w/app")],
)
def test_root_of(cwd: str | None, root: str) -> None:
    assert root_of(("/w/app", "/w/app/nested"), cwd) == root


def test_no_folder_no_root() -> None:
    assert root_of((), "/w") is None


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/a/b", "/a", True),
        ("/a", "/a", True),
        ("/ab", "/a", False),
        ("/A/b", "/a", False),
        ("c:\\X\\y", "C:/x", True),
        ("/a", "/", True),
    ],
)
def test_inside(path: str, root: str, expected: bool) -> None:
    assert inside(path, root) is expected
