"""The changes that aider's answers propose, in its edit formats; pure.

In: an answer's text. Out: ``Proposal``s in order: SEARCH/REPLACE blocks, unified diffs, and whole
files. Whether one was applied is told elsewhere (``Applied edit to``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from pastwork.model import Action, Edit, Evidence, Hunk
from pastwork.transcripts import fences, patches

_SEARCH = re.compile(
    r"<{5,9} SEARCH>?[^\n]*\n(?P<old>.*?)^={5,9}[ \t]*\n(?P<new>.*?)^>{5,9} REPLACE", re.DOTALL | re.MULTILINE
)
_NAME = re.compile(r"[^\s`*#>|][^\n`*|]*")
_DECORATION = "`*#: \t"


class Proposal(Struct, frozen=True):
    """One proposed change to one file."""

    path: str
    hunks: tuple[Hunk, ...]
    evidence: Evidence
    action: Action = "edited"
    source: str = ""


def proposals(answer: str) -> Iterator[Proposal]:
    """The changes an answer proposes."""
    end, path = 0, ""
    for block in fences.fences(answer):
        path = _named(answer[end : block.start]) or path
        end = block.end
        if block.info.startswith("diff") and (parts := patches.diffs(block.text)):
            for part in parts:
                edit = part.edit()
                yield Proposal(edit.path, edit.hunks, "diff", edit.action, block.text)
            continue
        if "<<<<< SEARCH" in block.text:
            for found in _SEARCH.finditer(block.text):
                path = _named(block.text[: found.start()]) or path
                yield _replacing(path, found)
        elif path and _named(answer[: block.start]) == path:
            yield Proposal(path, patches.content(block.text), "content", "edited", block.text)


def failed(report: str) -> set[str]:
    """The ``source`` of each block that a report of aider's says did not match."""
    return {found[0] for found in _SEARCH.finditer(report)}


def edit(path: str, found: list[Proposal]) -> Edit:
    """One edit of the file made of the proposals that were applied; without any, only its name is known."""
    if not found:
        return Edit(path, "edited")
    hunks = tuple(hunk for each in found for hunk in each.hunks)
    return Edit(path, found[0].action, hunks, found[0].evidence if hunks else "named")


def same(path: str, proposed: str) -> bool:
    """Whether an applied path is the proposed one (answers shorten paths)."""
    return path == proposed or path.endswith(f"/{proposed}") or proposed.endswith(f"/{path}")


def _replacing(path: str, found: re.Match[str]) -> Proposal:
    if not found["old"].strip():
        return Proposal(path, patches.content(found["new"]), "content", "created", found[0])
    return Proposal(path, patches.between(found["old"], found["new"]), "text", "edited", found[0])


def _named(before: str) -> str:
    """The file name that stands on the last line before a block, if that line holds nothing else."""
    lines = before.rstrip().rsplit("\n", 1)
    name = lines[-1].strip().strip(_DECORATION)
    spaced = " " in name and "/" not in name
    return name if _NAME.fullmatch(name) and not spaced and ("." in name or "/" in name) and len(name) < 300 else ""
