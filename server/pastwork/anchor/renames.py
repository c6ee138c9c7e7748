"""The names a file had before, by git's rename detection. Background only; cache by file and HEAD."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pastwork.anchor.gather import MOST_NAMES, Name
from pastwork.anchor.git import Git

_RECORD = "\x1e"


def earlier_names(git: Git, file: Path, head: str = "HEAD") -> tuple[Name, ...]:
    """Earlier paths of ``file``, newest first, each with the time of the commit that ended it."""
    try:
        relative = file.relative_to(git.root).as_posix()
    except ValueError:
        return ()
    found: list[tuple[float | None, str]] = [*_staged(git, relative)]
    names = [found[0][1] if found else relative]
    log = git.ask(
        ["log", "--follow", "-M", "--diff-filter=R", "--name-status", "-z", "--no-ext-diff", "--no-textconv",
         f"--format={_RECORD}%ct", head, "--", names[0]]
    )  # fmt: skip
    found += parse((log or b"").decode("utf-8", "surrogateescape"))
    return tuple(Name(str(git.root / old), until) for until, old in found[:MOST_NAMES])


def parse(log: str) -> Iterator[tuple[float, str]]:
    """(time of the rename, earlier path) for each ``R`` record of ``log --name-status -z``."""
    for record in log.split(_RECORD)[1:]:
        time, *fields = [field.strip("\n") for field in record.split("\0") if field.strip("\n")]
        if len(fields) >= 3 and fields[0].startswith("R"):
            yield float(time), fields[1]


def _staged(git: Git, relative: str) -> Iterator[tuple[None, str]]:
    """The name at HEAD of a file that was renamed in the index."""
    changed = git.ask(["diff", "--cached", "-M", "--diff-filter=R", "--name-status", "-z", "--no-ext-diff", "HEAD"])
    fields = (changed or b"").decode("utf-8", "surrogateescape").split("\0")
    for kind, old, new in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if kind.startswith("R") and new == relative:
            yield None, old
