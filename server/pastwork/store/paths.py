"""Recorded paths compared as text: no disk is asked, POSIX and Windows spellings alike.

Drives and UNC paths are compared without case, everything else as recorded.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Spellings kept: an answer asks for the same few folders and files again and again.
REMEMBERED = 4_096
_DRIVE = re.compile(r"[A-Za-z]:/")


@lru_cache(REMEMBERED)
def posix(path: str) -> str:
    """Forward slashes, no doubled ones (but a UNC's first two), no ``.`` parts, no trailing slash."""
    text = path.replace("\\", "/") if _windows(path) else path
    lead = "//" if text.startswith("//") and _windows(path) else "/" if text.startswith("/") else ""
    parts = [part for part in text.split("/") if part not in ("", ".")]
    return lead + "/".join(parts) or "/"


def folded(path: str) -> str:
    """``posix`` in the spelling in which two names of one folder compare equal."""
    text = posix(path)
    return text.casefold() if _windows(path) else text


def relative(path: str, folder: str | None) -> str | None:
    """``path`` below ``folder`` with forward slashes, case as recorded.

    A path that is relative already is taken as below it. None where it lies elsewhere, climbs out
    with ``..``, or no folder is known.
    """
    if folder is None:
        return None
    text, root = posix(path), posix(folder)
    if not absolute(path):
        return _steady(text)
    if folded(path).startswith(folded(folder).rstrip("/") + "/"):
        return _steady(text[len(root.rstrip("/")) + 1 :])
    return None


def absolute(path: str) -> bool:
    return path.startswith(("/", "\\\\")) or bool(_DRIVE.match(path.replace("\\", "/")))


def base_name(path: str) -> str:
    return posix(path).rpartition("/")[2]


def _steady(text: str) -> str | None:
    """None also for the folder itself, and for what counts from a drive's root."""
    return None if text.startswith("/") or ".." in text.split("/") else text


@lru_cache(REMEMBERED)
def _windows(path: str) -> bool:
    """A drive or UNC path, or a relative one that can only be Windows' (backslashes and no slash)."""
    return bool(_DRIVE.match(path.replace("\\", "/"))) or path.startswith("\\\\") or ("\\" in path and "/" not in path)
