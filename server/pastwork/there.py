"""Whether a path that a transcript names is there: no answer to a name that can be none is an error."""

from __future__ import annotations

from pathlib import Path


def is_there(path: Path) -> bool:
    """False also where the name is too long for a file system, or can't be asked for."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """``is_there`` of a regular file."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """``is_there`` of a folder."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_name(name: str) -> bool:
    """Whether a text can name something in a folder, and nothing elsewhere."""
    if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
        return False
    return len(name.encode("utf-8", "replace")) <= 255
