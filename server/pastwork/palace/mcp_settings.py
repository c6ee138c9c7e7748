"""Whether agents' MCP settings name ``pastwork mcp``, and whether what they name can run.

Reads the few settings files in which docs/agents-memory.md tells users to name it, and nothing but the
servers in them; changes none. Commands are looked for, never run.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TypeVar

import msgspec
from msgspec import Struct

from pastwork.shapes import Finding
from pastwork.transcripts.base import Env

#: More than any settings file; Claude Code's holds prompts too.
_MOST = 100_000_000
_JSON_NOISE = re.compile(r'("(?:[^"\\]|\\.)*+")|//[^\n]*+|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
HOW = "docs/agents-memory.md tells how."
T = TypeVar("T")


class Server(Struct, frozen=True):
    """One MCP server as all these agents write it; further fields are ignored."""

    command: str = ""
    args: list[str] = []
    enabled: bool = True
    disabled: bool = False


Servers = dict[str, Server]


class _Json(Struct, frozen=True, rename="camel"):
    mcp_servers: Servers = {}


class _ClaudeCode(_Json, frozen=True, rename="camel"):
    """``projects`` by folder."""

    projects: dict[str, _Json] = {}


class _VsCode(Struct, frozen=True):
    servers: Servers = {}


class _Codex(Struct, frozen=True):
    mcp_servers: Servers = {}


class Place(Struct, frozen=True):
    """A settings file of one agent and how its servers are read."""

    agent: str
    path: Path
    read: Callable[[str], Iterator[tuple[str, Server]]]


def findings(env: Env) -> Iterator[Finding]:
    """Of every settings file that is there; an agent that does not name pastwork is no fault."""
    asks: dict[str, bool] = {}
    for place in places(env):
        try:
            text = _text(place.path)
        except OSError as error:
            yield _unreadable(place, error.strerror or str(error))
            continue
        if text is None:
            continue
        try:
            named = [(name, server) for name, server in place.read(text) if _is_ours(name, server)]
        except (ValueError, msgspec.MsgspecError, RecursionError) as error:
            yield _unreadable(place, str(error))
            continue
        asks[place.agent] = asks.get(place.agent, False) or bool(named)
        for name, server in named:
            yield _checked(place, name, server, env)
    for agent, asking in asks.items():
        if not asking:
            yield Finding(
                "ok", f"{agent} does not ask pastwork", f"To let it, name `pastwork mcp` in its settings: {HOW}"
            )
    if any(asks.values()) and find_spec("mcp") is None:
        yield Finding("warn", "the MCP server needs the extra [mcp]", "Run `pip install 'pastwork[mcp]'`.")


def places(env: Env) -> Iterator[Place]:
    """The user's files, then those of the projects."""
    home, variables = env.home, env.variables
    claude = Path(variables["CLAUDE_CONFIG_DIR"]) if variables.get("CLAUDE_CONFIG_DIR") else home
    yield Place("Claude Code", claude / ".claude.json", _claude_code)
    yield Place("Codex", Path(variables.get("CODEX_HOME") or home / ".codex") / "config.toml", _codex)
    yield Place("Gemini CLI", home / ".gemini" / "settings.json", _json)
    yield Place("Cursor", home / ".cursor" / "mcp.json", _json)
    yield Place("VS Code", _code_folder(home, variables) / "mcp.json", _vs_code)
    for project in env.projects:
        yield Place("Claude Code", project / ".mcp.json", _json)
        yield Place("Gemini CLI", project / ".gemini" / "settings.json", _json)
        yield Place("Cursor", project / ".cursor" / "mcp.json", _json)
        yield Place("VS Code", project / ".vscode" / "mcp.json", _vs_code)


def _code_folder(home: Path, variables: Mapping[str, str]) -> Path:
    """VS Code's user folder."""
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "Code" / "User"
    if sys.platform == "win32":
        return Path(variables.get("APPDATA") or home / "AppData" / "Roaming") / "Code" / "User"
    return Path(variables.get("XDG_CONFIG_HOME") or home / ".config") / "Code" / "User"


def _text(path: Path) -> str | None:
    """None where there is no such file. Raises OSError and ValueError."""
    if not path.is_file():
        return None
    if path.stat().st_size > _MOST:
        raise OSError(None, f"it has more than {_MOST // 1_000_000} MB")
    return path.read_text(encoding="utf-8-sig", errors="replace")


def _claude_code(text: str) -> Iterator[tuple[str, Server]]:
    found = _decoded(text, _ClaudeCode)
    for each in (found, *found.projects.values()):
        yield from each.mcp_servers.items()


def _json(text: str) -> Iterator[tuple[str, Server]]:
    yield from _decoded(text, _Json).mcp_servers.items()


def _vs_code(text: str) -> Iterator[tuple[str, Server]]:
    yield from _decoded(text, _VsCode).servers.items()


def _codex(text: str) -> Iterator[tuple[str, Server]]:
    yield from msgspec.convert(tomllib.loads(text), _Codex).mcp_servers.items()


def _decoded(text: str, kind: type[T]) -> T:
    """JSON, with the comments and trailing commas that editors allow. An empty file holds nothing."""
    return msgspec.json.decode(_JSON_NOISE.sub(lambda found: found[1] or "", text).strip() or "{}", type=kind)


def _is_ours(name: str, server: Server) -> bool:
    words = (name, PurePath(server.command.replace("\\", "/")).name, *server.args)
    return any("pastwork" in word.lower() for word in words)


def _checked(place: Place, name: str, server: Server, env: Env) -> Finding:
    where = f"{place.agent}: the MCP server {name} in {place.path}"
    if server.disabled or not server.enabled:
        return Finding("ok", f"{where} is turned off")
    if not server.command:
        return Finding("warn", f"{where} names no command", f"Name `pastwork` with the argument mcp: {HOW}")
    if "${" not in server.command and not _runs(server.command, env):
        own = shutil.which("pastwork", path=env.variables.get("PATH"))
        remedy = f"Put {own} there." if own else "Put the whole path of pastwork there."
        return Finding("warn", f"{where} names a command that can't be run: {server.command}", remedy)
    if "mcp" not in server.args:
        return Finding("warn", f"{where} does not say mcp", f'Give it the arguments ["mcp"]: {HOW}')
    return Finding("ok", f"{where} is pastwork's")


def _runs(command: str, env: Env) -> bool:
    """As the agent would find it: by path, or on PATH."""
    return shutil.which(command, path=env.variables.get("PATH", os.defpath)) is not None


def _unreadable(place: Place, why: str) -> Finding:
    return Finding("warn", f"{place.agent}: {place.path} can't be read: {why}", "Correct it; the agent reads it too.")
