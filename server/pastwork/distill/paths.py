"""Paths as text: clean them, and place them within a workspace. Touches no disk.

Transcripts come from any system, so both separators and drive letters are understood whatever the
machine. A path that climbs out of the workspace has no place in it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

_DRIVE = re.compile(r"^/?([A-Za-z]):(?=/|$)")
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
LONGEST = 1_024


@lru_cache(maxsize=8_192)
def clean(path: str) -> str | None:
    """``path`` with forward slashes and without ``.`` and ``..``; None where it names no file.

    A drive letter is upper case (``C:/x``). Leading ``..`` of a relative path stay.
    """
    if not path or len(path) > LONGEST or _UNUSABLE.search(path):
        return None
    if path.startswith("file://"):
        path = unquote(path[7:])
    if "\\" in path and ("/" not in path or path[1:3] == ":\\" or path.startswith("\\\\")):
        path = path.replace("\\", "/")
    path = _DRIVE.sub(lambda match: f"{match.group(1).upper()}:", path)
    root, rest = ("/", path.lstrip("/")) if path.startswith("/") else ("", path)
    parts = _resolved(rest.split("/"), rooted=bool(root) or rest[1:2] == ":")
    return root + "/".join(parts) if parts else None


def relative(path: str, workspace: str | None, cwd: str | None = None) -> str | None:
    """``path`` relative to the workspace, or None where it lies elsewhere (or nowhere that is known).

    A relative path is taken from ``cwd`` (the workspace where there is none).
    """
    cleaned = clean(path)
    root = clean(workspace) if workspace else None
    if cleaned is None or cleaned.startswith("~"):
        return None
    if not is_absolute(cleaned):
        base = (clean(cwd) if cwd else None) or root
        joined = clean(f"{base}/{cleaned}") if base else cleaned
        if joined is None or (base is None and cleaned.startswith("../")):
            return None
        cleaned = joined
        if base is None:
            return cleaned
    if root is None:
        return None
    fold = _DRIVE.match(root) is not None
    head, tail = cleaned[: len(root)], cleaned[len(root) :]
    same = head.lower() == root.lower() if fold else head == root
    return tail[1:] if same and tail.startswith("/") and len(tail) > 1 else None


def is_absolute(path: str) -> bool:
    return path.startswith("/") or _DRIVE.match(path) is not None


def _resolved(parts: list[str], *, rooted: bool) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if part in {"", "."}:
            continue
        if part == ".." and kept and kept[-1] != ".." and not kept[-1].endswith(":"):
            kept.pop()
        elif part != ".." or not rooted:
            kept.append(part)
    return kept
