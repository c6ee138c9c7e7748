"""The names a file had before, and the name it has since, by git's rename detection. Background only."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from pastwork.anchor.gather import MOST_NAMES, Name
from pastwork.anchor.git import Git

_RECORD = "\x1e"
#: Renames only, each record headed by the time of its commit.
_LOG = (
    "log",
    "-M",
    "--diff-filter=R",
    "--name-status",
    "-z",
    "--no-ext-diff",
    "--no-textconv",
    f"--format={_RECORD}%ct",
)


def earlier_names(git: Git, file: Path, head: str = "HEAD") -> tuple[Name, ...]:
    """Earlier paths of ``file``, newest first, each with the time of the commit that ended it."""
    try:
        relative = file.relative_to(git.root).as_posix()
    except ValueError:
        return ()
    found: list[tuple[float | None, str]] = [(None, old) for old, new in _staged(git) if new == relative]
    log = git.ask([*_LOG, "--follow", head, "--", found[0][1] if found else relative])
    found += ((time, old) for time, old, _ in parse(_text(log)))
    return tuple(Name(str(git.root / old), until) for until, old in found[:MOST_NAMES])


def later_names(git: Git, files: Collection[Path], since: str | None) -> dict[Path, Path]:
    """Where files are today that had these names at the time ``since`` (ISO 8601); only those that were renamed."""
    log = git.ask([*_LOG, *([f"--since={since}"] if since else []), "HEAD"])
    moves = [*((old, new) for _, old, new in reversed([*parse(_text(log))])), *_staged(git)]
    found: dict[Path, Path] = {}
    for file in (file for file in files if file.is_relative_to(git.root)):
        first = name = file.relative_to(git.root).as_posix()
        for old, new in moves:
            name = new if old == name else name
        if name != first:
            found[file] = git.root / name
    return found


def parse(log: str) -> Iterator[tuple[float, str, str]]:
    """(time of the rename, earlier path, later path) for each ``R`` record of ``log --name-status -z``."""
    for record in log.split(_RECORD)[1:]:
        time, *fields = [field.strip("\n") for field in record.split("\0") if field.strip("\n")]
        yield from ((float(time), old, new) for old, new in _renamed(fields))


def _staged(git: Git) -> list[tuple[str, str]]:
    """Renames in the index: the name at HEAD, the name now."""
    changed = git.ask(["diff", "--cached", "-M", "--diff-filter=R", "--name-status", "-z", "--no-ext-diff", "HEAD"])
    return [*_renamed(_text(changed).split("\0"))]


def _renamed(fields: list[str]) -> Iterator[tuple[str, str]]:
    for kind, old, new in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if kind.startswith("R"):
            yield old, new


def _text(printed: bytes | None) -> str:
    return (printed or b"").decode("utf-8", "surrogateescape")
