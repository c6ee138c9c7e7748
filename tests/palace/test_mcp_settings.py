"""What agents' settings say of ``pastwork mcp``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pastwork.palace.mcp_settings import findings, places
from pastwork.shapes import Finding
from pastwork.transcripts.base import Env

CODEX = '[mcp_servers.pastwork]\ncommand = "{}"\nargs = ["mcp"]\n'
CLAUDE = '{{"mcpServers": {{"pastwork": {{"command": "{}", "args": ["mcp"]}}}}}}'
VS_CODE = '{{"servers": {{"pastwork": {{"type": "stdio", "command": "{}", "args": ["mcp"]}}}}}}'
PROJECT = (
    '{{"numStartups": 3, "projects": {{"/w": {{"mcpServers": {{"memory": {{"command": "{}", "args": ["mcp"]}}}}}}}}}}'
)
FILES = {
    "Claude Code": (".claude.json", CLAUDE),
    "Codex": (".codex/config.toml", CODEX),
    "Gemini CLI": (".gemini/settings.json", CLAUDE),
    "Cursor": (".cursor/mcp.json", CLAUDE),
    "VS Code": (".config/Code/User/mcp.json", VS_CODE),
}


@pytest.fixture
def env(tmp_path: Path) -> Env:
    """A home with a ``pastwork`` on PATH."""
    command = tmp_path / "bin" / "pastwork"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    (tmp_path / "project").mkdir()
    return Env(tmp_path, {"PATH": str(command.parent)}, (tmp_path / "project",))


def put(env: Env, name: str, text: str) -> None:
    path = env.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def only(env: Env) -> Finding:
    (found,) = findings(env)
    return found


def test_nothing_is_said_where_there_are_no_settings(env: Env) -> None:
    assert list(findings(env)) == []


@pytest.mark.parametrize("agent", FILES)
def test_each_agents_settings(env: Env, agent: str) -> None:
    name, form = FILES[agent]
    put(env, name, form.format("pastwork"))
    assert (only(env).level, only(env).what) == (
        "ok",
        f"{agent}: the MCP server pastwork in {env.home / name} is pastwork's",
    )
    put(env, name, form.format("/gone/pastwork"))
    assert only(env).level == "warn"
    assert "can't be run: /gone/pastwork" in only(env).what
    assert str(env.home / "bin" / "pastwork") in only(env).remedy
    put(env, name, form.format("pastwork").replace('["mcp"]', "[]"))
    assert "does not say mcp" in only(env).what
    put(env, name, form.format("pastwork").replace("pastwork", "other"))
    assert (only(env).level, only(env).what) == ("ok", f"{agent} does not ask pastwork")


@pytest.mark.parametrize(
    ("name", "text", "level", "part"),
    [
        (".claude.json", PROJECT.format("pastwork"), "ok", "server memory"),
        ("project/.mcp.json", CLAUDE.format("pastwork"), "ok", "is pastwork's"),
        ("project/.cursor/mcp.json", CLAUDE.format("nowhere"), "warn", "can't be run: nowhere"),
        ("project/.vscode/mcp.json", VS_CODE.format("${workspaceFolder}/pastwork"), "ok", "is pastwork's"),
        (
            ".cursor/mcp.json",
            '// mine\n{"mcpServers": {/* x */ "pastwork": {"url": "http://x"},},}',
            "warn",
            "names no command",
        ),
        (
            ".cursor/mcp.json",
            '{"mcpServers": {"p": {"command": "sh", "args": ["-m", "pastwork", "mcp"]}}}',
            "warn",
            "run: sh",
        ),
        (
            ".cursor/mcp.json",
            CLAUDE.format("pastwork").replace('"args"', '"disabled": true, "args"'),
            "ok",
            "turned off",
        ),
        (".codex/config.toml", CODEX.format("pastwork") + "enabled = false\n", "ok", "turned off"),
        (".cursor/mcp.json", '{"mcpServers": ', "warn", "can't be read"),
        (".cursor/mcp.json", '{"mcpServers": []}', "warn", "can't be read"),
        (".cursor/mcp.json", "[" * 100_000, "warn", "can't be read"),
        (".cursor/mcp.json", '"' + "\\" * 100_001, "warn", "can't be read"),
        (".cursor/mcp.json", "\0\xff", "warn", "can't be read"),
        (".codex/config.toml", "[mcp_servers", "warn", "can't be read"),
        (".cursor/mcp.json", "", "ok", "does not ask"),
        (".cursor/mcp.json", "{}", "ok", "does not ask"),
        (".gemini/settings.json", '{"a": "http://x//y, }"}', "ok", "does not ask"),
    ],
)
def test_every_state_is_one_finding(env: Env, name: str, text: str, level: str, part: str) -> None:
    put(env, name, text)
    assert only(env).level == level
    assert part in only(env).what
    assert bool(only(env).remedy) == (level == "warn" or part == "does not ask")


@pytest.mark.skipif(os.name == "nt", reason="a folder in the place of a file is told otherwise there")
def test_a_folder_in_the_place_of_a_file_is_no_settings(env: Env) -> None:
    (env.home / ".cursor" / "mcp.json").mkdir(parents=True)
    assert list(findings(env)) == []


def test_agents_own_variables_are_followed(env: Env, tmp_path: Path) -> None:
    moved = Env(
        env.home, {**env.variables, "CODEX_HOME": str(tmp_path / "c"), "CLAUDE_CONFIG_DIR": str(tmp_path / "d")}
    )
    paths = {place.path for place in places(moved)}
    assert {tmp_path / "c" / "config.toml", tmp_path / "d" / ".claude.json"} <= paths
