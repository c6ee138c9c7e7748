"""Where data go when the data folder can't be written: the session's own temporary folder.

A read-only home (a container, a rescue system, a full quota) is no reason to be useless: pastwork
then indexes into a folder that lasts as long as the session, and into none of anybody else's.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

NAME = "pastwork"


def sheltered(wanted: Path, store: str, variables: Mapping[str, str], writable: Callable[[Path], bool]) -> Path:
    """``wanted``, unless it can't be written and holds no readable ``store``; then the best other place, if any."""
    if writable(_nearest(wanted)) or os.access(wanted / store, os.R_OK):
        return wanted
    for place in _candidates(variables):
        if writable(_nearest(place)) and _is_ours(place):
            return place
    return wanted


def note(data: Path, wanted: Path) -> str:
    """One sentence for the user; empty where data are where they are wanted."""
    if data == wanted:
        return ""
    return f"{wanted} can't be written: until it can, everything is kept in {data}, which lasts as long as this session"


def may_write(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def _candidates(variables: Mapping[str, str]) -> list[Path]:
    """The session's runtime folder, memory, the temporary folder; each below a name of this user's."""
    runtime = variables.get("XDG_RUNTIME_DIR")
    user = f"{NAME}-{os.getuid()}" if hasattr(os, "getuid") else NAME
    places = [Path(runtime) / NAME] if runtime else []
    return [*places, Path("/dev/shm") / user, Path(tempfile.gettempdir()) / user]  # noqa: S108 checked to be ours


def _nearest(folder: Path) -> Path:
    """The folder, or what would have to be written to make it."""
    return next((each for each in (folder, *folder.parents) if each.exists()), folder)


def _is_ours(folder: Path) -> bool:
    """Absent, or a folder of this user's that nobody else may enter: the names are guessable."""
    try:
        found = folder.lstat()
    except OSError:
        return True
    owned = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    return stat.S_ISDIR(found.st_mode) and owned
