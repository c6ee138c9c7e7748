"""Which recorded folders belong to the folders a question is about.

In: today's folders, the user's aliases, the home folder. Out: a ``Scope`` that says of every
folder recorded in a transcript whether it belongs. Folders are compared whole and by prefix both
ways (an agent started in a sub-folder, or above the project); never by their last name, so two
projects that are called alike never mix. A folder that holds the user's whole home says nothing
about a project below it. Recorded folders need not exist today.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from pastwork.anchor.paths import Places, below, key

_DEEPEST = 64


def git_root(folder: Path) -> Path | None:
    """The nearest folder upwards that holds ``.git`` (a folder, or a file in a worktree)."""
    for _, candidate in zip(range(_DEEPEST), (folder, *folder.parents), strict=False):
        if os.path.lexists(candidate / ".git"):
            return candidate
    return None


def workspace_of(folder: Path) -> Path:
    """The git root of ``folder``, or the folder itself where there is none."""
    whole = folder.absolute()
    return git_root(whole) or whole


def other_checkouts(root: Path) -> Iterator[Path]:
    """The repository's other working trees: its worktrees, or the tree it is a worktree of.

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


class Scope(Struct, frozen=True):
    """The folders asked about, every checkout of the same repository and every alias taken for them."""

    places: Places
    home: str

    @classmethod
    def of(cls, folders: Iterable[Path], home: Path, aliases: Mapping[str, str] | None = None) -> Scope:
        """Looks at the disk for links and worktrees of ``folders``; they need not exist."""
        roots = [str(folder) for folder in folders]
        taken: dict[str, str] = {}
        for root in roots:
            for tree in (Path(root), *other_checkouts(Path(root))):
                taken.setdefault(os.path.realpath(tree), root)
                taken.setdefault(str(tree), root)
        moved = {os.path.expanduser(old): os.path.expanduser(new) for old, new in (aliases or {}).items()}  # noqa: PTH111 - recorded text
        return cls(Places.of(roots, moved, taken | {root: root for root in roots}), key(str(home)))

    def holds(self, recorded: str | None) -> bool:
        """Whether work recorded in that folder belongs to the folders asked about."""
        if not recorded:
            return False
        path = self.places.today(recorded)
        return any(self._meets(path, root) for root in self.places.roots)

    def _meets(self, path: str, root: str) -> bool:
        if below(path, root) is not None:
            return True
        return below(root, path) is not None and below(self.home, path) is None
