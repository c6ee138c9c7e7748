"""Paths recorded on another machine, mapped onto today's folder of the same project. Pure text.

A transcript that travels with its project (SpecStory, aider) names files by where the project was
when it was written. A recorded path that passes through a folder with the base name of today's
project folder is taken to mean the same file below today's folder; any other stays as it was.
"""

from __future__ import annotations

import re

_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]|~")
_SEPARATOR = re.compile(r"[/\\]+")


def today(path: str, bases: tuple[str, ...]) -> str:
    """The path below one of today's folders, the first of ``bases`` that it can belong to.

    Relative paths are relative to the first. A path that would leave its folder is not mapped.
    """
    if not bases or not path or "\0" in path:
        return path
    if not _ABSOLUTE.match(path):
        return _below(bases[0], _SEPARATOR.split(path)) or path
    if any(path == base or path.startswith(f"{base.rstrip('/')}/") for base in bases):
        return path
    steps = _SEPARATOR.split(path)
    for base in bases:
        rest = _after(steps, _SEPARATOR.split(base.rstrip("/\\"))[-1])
        if rest and (mapped := _below(base, rest)):
            return mapped
    return path


def _after(steps: list[str], name: str) -> list[str]:
    """What follows the first folder of that name; of several in a row (``pool/pool/x``) the last counts."""
    if not name or name not in steps[:-1]:
        return []
    at = steps.index(name)
    while at + 2 < len(steps) and steps[at + 1] == name:
        at += 1
    return steps[at + 1 :]


def _below(base: str, steps: list[str]) -> str | None:
    steps = [step for step in steps if step not in ("", ".")]
    if not steps or ".." in steps:
        return None
    return f"{base.rstrip('/')}/{'/'.join(steps)}"
