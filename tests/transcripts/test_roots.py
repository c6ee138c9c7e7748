"""Where agents keep their files, platform by platform; nothing is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork.transcripts import roots
from pastwork.transcripts.base import Env, Reader
from pastwork.transcripts.registry import READERS

HOME = Path("/home/dev")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "/home/dev/.lamp"),
        ({"LAMP_HOME": ""}, "/home/dev/.lamp"),
        ({"LAMP_HOME": "/elsewhere"}, "/elsewhere"),
    ],
)
def test_a_folder_that_a_variable_names(variables: dict[str, str], expected: str) -> None:
    assert roots.named(Env(HOME, variables), "LAMP_HOME", ".lamp") == Path(expected)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, ["/home/dev/.local/share/lamp", "/home/dev/Library/Application Support/lamp"]),
        ({"XDG_DATA_HOME": "/data"}, ["/data/lamp", "/home/dev/Library/Application Support/lamp"]),
        (
            {"LOCALAPPDATA": "/local", "APPDATA": "/roaming"},
            [
                "/home/dev/.local/share/lamp",
                "/home/dev/Library/Application Support/lamp",
                "/local/lamp",
                "/roaming/lamp",
            ],
        ),
    ],
)
def test_data_folders(variables: dict[str, str], expected: list[str]) -> None:
    assert [path.as_posix() for path in roots.data(Env(HOME, variables), "lamp")] == expected


def test_the_user_folders_of_editors() -> None:
    found = [path.as_posix() for path in roots.users(Env(HOME, {"APPDATA": "/roaming"}))]
    for expected in (
        "/home/dev/.config/Code/User",
        "/home/dev/.config/VSCodium/User",
        "/home/dev/Library/Application Support/Code - Insiders/User",
        "/roaming/Windsurf/User",
        "/home/dev/.vscode-server/data/User",
    ):
        assert expected in found
    assert len(found) == len(set(found))


def test_one_editor_alone_has_no_servers() -> None:
    found = roots.users(Env(HOME, {"XDG_CONFIG_HOME": "/settings"}), ("Kiro",))
    assert [path.as_posix() for path in found] == [
        "/settings/Kiro/User",
        "/home/dev/Library/Application Support/Kiro/User",
    ]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.agent)
def test_every_reader_finds_nothing_where_nothing_is(reader: Reader, tmp_path: Path) -> None:
    env = Env(tmp_path / "nobody", {}, (tmp_path / "gone",), (tmp_path / "gone",))
    assert list(reader.locate(env)) == []
    assert all(str(root).startswith(str(tmp_path)) for root in reader.roots(env))


def test_agents_are_named_once() -> None:
    names = [reader.agent for reader in READERS]
    assert len(names) == len(set(names))
    assert {reader.agent for reader in READERS if reader.proof == "real"} == {
        "claude-code",
        "codex",
        "specstory",
        "aider",
        "copilot-cli",
        "pi",
        "cursor",
    }
