"""Paths out of URIs."""

from __future__ import annotations

import pytest

from pastwork.transcripts.uris import path_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("/home/dev/lantern", "/home/dev/lantern"),
        ("C:\\lantern", "C:\\lantern"),
        ("", ""),
        ("file:///home/dev/my%20lantern", "/home/dev/my lantern"),
        ("file:///c%3A/Lantern", "c:/Lantern"),
        ("file:///C:/", "C:/"),
        ("file://server/share/lantern", "//server/share/lantern"),
        ("vscode-remote://wsl%2Bubuntu/home/dev/lantern", "/home/dev/lantern"),
        ("vscode-remote://ssh-remote%2Bbox/home/dev/x%23y", "/home/dev/x#y"),
        ("vscode-userdata:/home/dev", "vscode-userdata:/home/dev"),
        ("untitled://host", "/"),
    ],
)
def test_path_of(uri: str, path: str) -> None:
    assert path_of(uri) == path
