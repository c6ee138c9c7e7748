"""Recorded paths and today's files: is what a transcript calls so the file that is open?

In: today's roots, other checkouts of the same repository, the user's aliases, the case rule of the
file system. Out: the keys to ask the store for, and for each recorded path where that file is today.
Pure text; no disk, no git. The same relative path in another repository is never the same file.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Mapping

from msgspec import Struct

from pastwork.store.records import StoredEdit

#: No workspace has folders so deep; what claims to would cost the square of its length.
DEEP = 64
_DRIVE = re.compile(r"/?([A-Za-z])(?::|%3[Aa])(?=/|$)")
_MOUNTED_DRIVE = re.compile(r"/mnt/([a-z])(?=/|$)")
_SUBSYSTEM = re.compile(r"//(?:wsl\$|wsl\.localhost)/[^/]+(?=/|$)", re.IGNORECASE)
#: Where agents put worktrees: below the project itself, or in their own folder under the project's name.
_WORKTREE_INSIDE = re.compile(r"(.+)/(?:\.claude/worktrees|\.worktrees|\.conductor|\.trees)/[^/]+(?=/|$)")
_WORKTREE_OUTSIDE = re.compile(
    r".+/(?:\.codex/worktrees/[^/]+/(?P<last>[^/]+)|\.cursor/worktrees/(?P<first>[^/]+)/[^/]+)(?=/|$)"
)


def key(path: str, fold: bool = False) -> str:
    """One spelling for one file: ``/`` between names, no ``.`` or ``..``, drives small, NFC; ``fold`` drops case.

    Drive letters, ``\\\\?\\`` prefixes, drives mounted under ``/mnt`` and Linux seen from Windows come
    out alike; paths on drives and shares are compared without regard to case, as Windows does.
    """
    if not path:
        return ""
    text = unicodedata.normalize("NFC", path)
    windows = is_windows(text)
    if windows:
        text = text.replace("\\", "/").removeprefix("//?/")
    text = _SUBSYSTEM.sub("", text, 1) or "/"
    drive = _DRIVE.match(text) or _MOUNTED_DRIVE.match(text)
    if drive:
        rest = posixpath.normpath("/" + text[drive.end() :].lstrip("/"))
        return f"{drive[1]}:{rest.rstrip('/')}".casefold()
    share = text.startswith("//") and windows
    text = posixpath.normpath(re.sub(r"^/{2,}", "/", text))
    return text.casefold() if fold or share else text


def is_windows(path: str) -> bool:
    """Whether the spelling can only be Windows': a drive, a share, or backslashes and no slash."""
    drive = _DRIVE.match(path.replace("\\", "/"))
    return bool(drive) or path.startswith("\\\\") or ("\\" in path and "/" not in path)


def is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\\\")) or bool(_DRIVE.match(path.replace("\\", "/")))


def below(path: str, folder: str) -> str | None:
    """What remains of the key ``path`` under the key ``folder`` ("" for itself), None where it lies elsewhere."""
    if path == folder:
        return ""
    stem = folder.rstrip("/") + "/"
    return path[len(stem) :] if path.startswith(stem) else None


class Places(Struct, frozen=True):
    """``roots`` are keys of today's folders; ``moved`` maps other prefixes to them, longest first.

    ``moved`` holds the user's aliases and the other checkouts of the same repositories; its first
    parts also as they were spelt, for asking the store.
    """

    roots: tuple[str, ...]
    moved: tuple[tuple[str, str], ...] = ()
    fold: bool = False

    @classmethod
    def of(
        cls,
        roots: Iterable[str],
        aliases: Mapping[str, str] | None = None,
        checkouts: Mapping[str, str] | None = None,
        fold: bool = False,
    ) -> Places:
        """``aliases`` and ``checkouts`` map a recorded folder to today's; spellings are free."""
        pairs = [*(aliases or {}).items(), *(checkouts or {}).items()]
        pairs.sort(key=lambda pair: -len(key(pair[0], fold)))
        own = sorted({key(root, fold) for root in roots}, key=lambda root: (-len(root), root))
        return cls(tuple(own), tuple((old, key(new, fold)) for old, new in pairs), fold)

    def today(self, path: str, workspace: str | None = None) -> str:
        """The key of the file that a recorded path means today; a relative one counts from ``workspace``."""
        if not is_absolute(path) and workspace:
            path = workspace.rstrip("/\\") + "/" + path.replace("\\", "/")
        whole = key(path, self.fold)
        for old, new in self.moved:
            rest = below(whole, key(old, self.fold))
            if rest is not None:
                return f"{new}/{rest}".rstrip("/")
        return self._out_of_worktree(whole)

    def belongs(self, stored: StoredEdit, file: str) -> bool:
        """Whether the edit is of ``file`` (any spelling)."""
        wanted = key(file, self.fold)
        if self.today(stored.edit.path, stored.workspace) == wanted:
            return True
        if stored.relative is None or stored.workspace is None:
            return False
        return self.today(stored.relative, stored.workspace) == wanted

    def relative(self, file: str) -> str | None:
        """The file's path below the innermost root that holds it."""
        whole = key(file, self.fold)
        return next((rest for root in self.roots if (rest := below(whole, root))), None)

    def keys(self, file: str) -> tuple[str, ...]:
        """Every spelling under which the store may hold edits of ``file``; ``belongs`` then takes out the others'."""
        whole = key(file, self.fold)
        found = dict.fromkeys(_spellings(file) + _spellings(whole))
        for old, new in self.moved:
            rest = below(whole, new)
            if rest:
                found |= dict.fromkeys(_spellings(old.rstrip("/\\") + "/" + rest))
        for path in (whole, key(file)):
            for root in self.roots:
                rest = below(path, root)
                if rest:
                    found |= dict.fromkeys(_tails(rest))
        return tuple(found)

    def _out_of_worktree(self, whole: str) -> str:
        inside = _WORKTREE_INSIDE.match(whole)
        if inside and inside[1] in self.roots:
            return inside[1] + whole[inside.end() :]
        outside = _WORKTREE_OUTSIDE.match(whole)
        name = outside and (outside["last"] or outside["first"])
        if not outside or not name:
            return whole
        root = next((root for root in self.roots if posixpath.basename(root) == name), None)
        return whole if root is None else root + whole[outside.end() :]


def _spellings(path: str) -> list[str]:
    """A path as agents on its system write it: with either separator and either drive letter on Windows."""
    if not is_windows(path):
        return [path]
    text = path.replace("\\", "/")
    drive = _DRIVE.match(text)
    heads = [letter + ":" for letter in (drive[1].upper(), drive[1].lower())] if drive else [""]
    rest = text[drive.end() :] if drive else text
    return [spelt for head in heads for spelt in (head + rest, head + rest.replace("/", "\\"))]


def _tails(rest: str) -> list[str]:
    """``a/b/c``, ``b/c``, ``c``: the path as sessions started in sub-folders (the outer ``DEEP`` of them) have it."""
    names = rest.split("/")
    return ["/".join(names[start:]) for start in range(min(len(names), DEEP))]
