"""Which recorded folders belong to the folders a question is about.

In: today's folders, the user's aliases, the home folder. Out: a ``Scope`` that says of every
folder recorded in a transcript whether it belongs. Folders are compared whole and by prefix both
ways (an agent started in a sub-folder, or above the project); never by their last name, so two
projects that are called alike never mix. A folder that holds the user's whole home says nothing
about a project below it. Recorded folders need not exist today.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

_DRIVE = re.compile(r"^/?([A-Za-z]):(?=[/\\]|$)")
_SHORT_OF_GIT = 64


def key(path: str) -> str:
    """A path as it is compared: ``/`` between names, no ``.``, ``..``, doubled or final separator.

    Windows drive and share paths are compared without regard to case, as Windows does.
    """
    drive = _DRIVE.match(path)
    if drive:
        rest = path[drive.end() :].replace("\\", "/")
        return (drive[1] + ":" + posixpath.normpath("/" + rest)).lower().rstrip("/")
    if path.startswith("\\\\"):
        return posixpath.normpath(path.replace("\\", "/")).lower()
    return posixpath.normpath(re.sub(r"^/{2,}", "/", path)) if path else ""


def is_within(path: str, folder: str) -> bool:
    """Whether the key ``path`` is ``folder`` or lies below it (both are keys)."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def git_root(folder: Path) -> Path | None:
    """The nearest folder upwards that holds ``.git`` (a folder, or a file in a worktree)."""
    for _, candidate in zip(range(_SHORT_OF_GIT), (folder, *folder.parents), strict=False):
        if os.path.lexists(candidate / ".git"):
            return candidate
    return None


def workspace_of(folder: Path) -> Path:
    """The git root of ``folder``, or the folder itself where there is none."""
    whole = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links the transcripts recorded
    return git_root(whole) or whole


def same_trees(root: Path) -> Iterator[Path]:
    """The other checkouts of the repository at ``root``: its worktrees, or the tree it is a worktree of.

    Read from git's own small files; no git is run. Anything unreadable yields nothing.
    """
    common = _common_git_folder(root / ".git")
    if common is None:
        return
    if common.name == ".git" and common.parent != root:
        yield common.parent
    for pointer in sorted(common.glob("worktrees/*/gitdir")):
        tree = Path(_first_line(pointer)).parent
        if tree.is_absolute() and tree != root:
            yield tree


def _common_git_folder(git: Path) -> Path | None:
    """``.git`` itself, or the folder a worktree's ``.git`` file leads to."""
    if git.is_dir():
        return git
    line = _first_line(git)
    if not line.startswith("gitdir:"):
        return None
    own = Path(os.path.normpath(git.parent / line.removeprefix("gitdir:").strip()))
    return own.parent.parent if own.parent.name == "worktrees" else None


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            return lines.readline(4096).strip()
    except OSError:
        return ""


class Aliases(Struct, frozen=True):
    """Path prefixes recorded in transcripts and where they are today, longest first."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, mapping: Mapping[str, str]) -> Aliases:
        pairs = [(key(os.path.expanduser(old)), key(os.path.expanduser(new))) for old, new in mapping.items()]  # noqa: PTH111 - text, not a file
        return cls(tuple(sorted(pairs, key=lambda pair: -len(pair[0]))))

    def today(self, recorded: str) -> str:
        """The key of a recorded path, with the longest aliased prefix replaced."""
        path = key(recorded)
        for old, new in self.pairs:
            if is_within(path, old):
                return key(new + "/" + path[len(old) :])
        return path


class Scope(Struct, frozen=True):
    """The folders asked about: ``roots`` are keys, every checkout of the same repository included."""

    roots: tuple[str, ...]
    home: str
    aliases: Aliases = Aliases()

    @classmethod
    def of(cls, folders: Iterable[Path], home: Path, aliases: Mapping[str, str] | None = None) -> Scope:
        """Looks at the disk for links and worktrees of ``folders``; they need not exist."""
        found: dict[str, None] = {}
        for folder in folders:
            for tree in (folder, *same_trees(folder)):
                found[key(str(tree))] = None
                found[key(os.path.realpath(tree))] = None
        return cls(tuple(found), key(str(home)), Aliases.of(aliases or {}))

    def holds(self, recorded: str | None) -> bool:
        """Whether work recorded in that folder belongs to the folders asked about."""
        if not recorded:
            return False
        path = self.aliases.today(recorded)
        return any(self._meets(path, root) for root in self.roots)

    def relative(self, path: str) -> str | None:
        """The rest of a recorded path below a root of the scope, or None when it lies elsewhere."""
        whole = self.aliases.today(path)
        for root in self.roots:
            if whole != root and is_within(whole, root):
                return whole[len(root) :].lstrip("/")
        return None

    def _meets(self, path: str, root: str) -> bool:
        if is_within(path, root):
            return True
        return is_within(root, path) and not is_within(self.home, path)
