"""Names that a file system can't have are absent, not errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork import config
from pastwork.there import is_file, is_folder, is_name, is_there


@pytest.mark.parametrize("name", ["a" * 300, "a\0b", "absent", "\ud800"])
def test_what_can_not_be_is_absent(tmp_path: Path, name: str) -> None:
    assert not is_there(tmp_path / name)
    assert not is_file(tmp_path / name)
    assert not is_folder(tmp_path / name)


def test_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert is_there(tmp_path)
    assert not is_file(tmp_path)
    assert is_file(tmp_path / "a.json")
    assert is_folder(tmp_path)
    assert not is_folder(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("ses_1", True), ("ä" * 127, True), ("ä" * 128, False), ("", False), ("..", False), ("a/b", False)],
)
def test_names_of_something_in_a_folder(name: str, expected: bool) -> None:
    assert is_name(name) is expected


def test_settings_nested_without_end_are_not_readable(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("a = " + "[" * 5000 + "]" * 5000)
    assert any("not readable" in note for note in config.load(path, {}).notes)
