"""Where agents keep their files on each platform: an ``Env`` in, candidate folders out.

Nothing here looks at the disk; a folder named may be absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pastwork.transcripts.base import Env

#: Editors built on VS Code that keep its folder layout.
EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Positron")
_REMOTE = (".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server")


def named(env: Env, variable: str, below_home: str) -> Path:
    """The folder an agent's own variable names, else its usual place below the home folder."""
    value = env.variables.get(variable)
    return Path(value).expanduser() if value else env.home / below_home


def data(env: Env, name: str) -> tuple[Path, ...]:
    """An XDG data folder, and the macOS and Windows ones that some agents use instead."""
    shared = env.variables.get("XDG_DATA_HOME")
    first = Path(shared).expanduser() if shared else env.home / ".local" / "share"
    places = [first / name, env.home / "Library" / "Application Support" / name]
    places += [Path(env.variables[each]) / name for each in ("LOCALAPPDATA", "APPDATA") if env.variables.get(each)]
    return tuple(places)


def users(env: Env, editors: tuple[str, ...] = EDITORS) -> tuple[Path, ...]:
    """The ``User`` folders of VS Code and its kin."""
    return tuple(_users(env, editors))


def _users(env: Env, editors: tuple[str, ...]) -> Iterator[Path]:
    settings = env.variables.get("XDG_CONFIG_HOME")
    bases = [Path(settings).expanduser() if settings else env.home / ".config"]
    bases.append(env.home / "Library" / "Application Support")
    if env.variables.get("APPDATA"):
        bases.append(Path(env.variables["APPDATA"]))
    for editor in editors:
        yield from (base / editor / "User" for base in bases)
    if editors == EDITORS:
        yield from (env.home / server / "data" / "User" for server in _REMOTE)
