"""Finds files that agents write into projects, without ever walking a home folder unasked.

Known project folders are looked at directly; only folders named by ``index --scan`` are walked: to a
bounded depth and number of folders, never through symbolic links, never into folders that hold
dependencies or builds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pastwork.transcripts.base import Env

_DEPTH = 6
_FOLDERS = 50_000
_SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", "bower_components", "vendor", "target", "build", "dist", "out"}
    | {".venv", "venv", "env", "__pycache__", ".tox", ".nox", ".cache", ".mypy_cache", ".gradle", ".idea", "Library"}
)


def holding(env: Env, name: str) -> Iterator[Path]:
    """The folders that hold a file or folder of this name, each once."""
    seen: set[Path] = set()
    for folder in (*env.projects, *_walked(env.scans)):
        if folder not in seen and (folder / name).exists():
            seen.add(folder)
            yield folder


def _walked(scans: tuple[Path, ...]) -> Iterator[Path]:
    left = _FOLDERS
    waiting = [(scan, 0) for scan in reversed(scans)]
    while waiting and left:
        folder, depth = waiting.pop()
        left -= 1
        yield folder
        if depth < _DEPTH:
            waiting += [(each, depth + 1) for each in reversed(_below(folder))]


def _below(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if name not in _SKIPPED]


def git_root(folder: Path) -> Path | None:
    """The nearest folder at or above this one that holds ``.git``."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
