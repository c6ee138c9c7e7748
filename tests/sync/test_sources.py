"""Which transcripts are looked for, and how long agents keep theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from pastwork import config as settings
from pastwork.sync import sources
from pastwork.sync.retention import keep_days
from pastwork.transcripts.base import Env
from tests.sync.jotter import JOTTER, Home, ask

OTHER = replace(JOTTER, agent="other", places=lambda env: (env.home / ".other",))


def test_enabled() -> None:
    readers = [JOTTER, OTHER]
    assert sources.enabled(readers, settings.Sources()) == readers
    assert sources.enabled(readers, settings.Sources(agents=["other"])) == [OTHER]
    assert sources.enabled(readers, settings.Sources(), ("jotter",)) == [JOTTER]
    assert sources.enabled(readers, settings.Sources(agents=["other"]), ("jotter",)) == []


def test_each_transcript_once(tmp_path: Path) -> None:
    home = Home(tmp_path)
    path = home.write("a.jot", ask("tides"))
    extra = settings.Sources(extra=[settings.Extra("jotter", "~/.jotter"), settings.Extra("other", str(path))])
    found = sources.locate([JOTTER, OTHER], home.env, extra)
    assert [(each.source.agent, each.source.path) for each in found] == [("jotter", path), ("other", path)]


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [("*.jot", 0), ("*/slug/*", 1), ("nothing", 2), ("**/b.jot", 1)],
)
def test_exclude(tmp_path: Path, pattern: str, kept: int) -> None:
    home = Home(tmp_path)
    home.write("a.jot", ask("tides"))
    home.write("slug/b.jot", ask("ferries"))
    assert len(sources.locate([JOTTER], home.env, settings.Sources(exclude=[pattern]))) == kept


def test_projects_are_what_is_there_and_their_git_roots(tmp_path: Path) -> None:
    repository, plain, home = tmp_path / "repo", tmp_path / "plain", tmp_path / "home"
    for folder in (repository / ".git", repository / "a" / "b", plain, home):
        folder.mkdir(parents=True)
    recorded = [str(repository / "a" / "b"), str(plain), "/not/here", "relative", "C:\\Work", str(home), "bad\0name"]
    found = sources.projects(Env(home, {}, (repository / "a",)), recorded)
    assert set(found) == {repository, repository / "a", repository / "a" / "b", plain}


def test_scans_of_settings_command_and_memory(tmp_path: Path) -> None:
    env = Env(tmp_path, {}, (), (tmp_path / "asked",))
    found = sources.widened(env, [], ["/remembered"], settings.Sources(scan=["~/configured"]))
    assert found.scans == (tmp_path / "asked", Path("/remembered"), tmp_path / "configured")


@pytest.mark.parametrize(
    ("content", "days"),
    [
        (None, 30),
        ('{"cleanupPeriodDays": 90, "model": "x"}', 90),
        ('{"model": "x"}', 30),
        ('{"cleanupPeriodDays": "many"}', 30),
        ("not json", 30),
    ],
)
def test_how_long_claude_code_keeps_transcripts(tmp_path: Path, content: str | None, days: int) -> None:
    if content is not None:
        (tmp_path / ".claude").mkdir()
        (tmp_path / ".claude" / "settings.json").write_text(content)
    assert keep_days("claude-code", Env(tmp_path, {})) == days
    assert keep_days("codex", Env(tmp_path, {})) is None


def test_claude_codes_own_folder_variable(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"cleanupPeriodDays": 7}')
    assert keep_days("claude-code", Env(tmp_path / "home", {"CLAUDE_CONFIG_DIR": str(tmp_path)})) == 7
