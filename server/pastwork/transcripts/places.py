"""Recorded folders: which of them is the workspace an exchange belongs to; pure text, no disk.

A session's first folder is its root. A later folder inside a known root changes nothing, one above
it widens the root (agents started in a subfolder), and one elsewhere becomes a root of its own, so
that work on two projects in one session is not mixed up. Home folders and file-system roots are
never widened to: they would swallow every project.
"""

from __future__ import annotations

import re

_WIDE = re.compile(r"/*$|[a-z]:/*$|/root/?$|(?:[a-z]:)?/(?:home|users)(?:/[^/]+)?/?$", re.IGNORECASE)


def clean(path: str) -> str:
    """Without a trailing separator."""
    return path.rstrip("/\\") or path[:1]


def inside(path: str, root: str) -> bool:
    """Whether ``path`` is ``root`` or below it; either separator, Windows drives in either case."""
    child, parent = _comparable(path), _comparable(root)
    return child == parent or child.startswith(parent.rstrip("/") + "/")


def widened(roots: tuple[str, ...], cwd: str) -> tuple[str, ...]:
    """The roots after one more recorded folder."""
    cwd = clean(cwd)
    if any(inside(cwd, root) for root in roots):
        return roots
    below = [root for root in roots if inside(root, cwd)]
    if below and _WIDE.match(_comparable(cwd)):
        return roots
    return (
        (*(cwd if root == below[0] else root for root in roots if root not in below[1:]),) if below else (*roots, cwd)
    )


def root_of(roots: tuple[str, ...], cwd: str | None) -> str | None:
    """The longest root that holds ``cwd``, else the first root."""
    holding = [root for root in roots if cwd is not None and inside(cwd, root)]
    return max(holding, key=len, default=roots[0] if roots else None)


def _comparable(path: str) -> str:
    path = path.replace("\\", "/")
    return path.casefold() if path[1:2] == ":" else path
