"""Edits from the many ways agents write a change down; pure.

In: unified diffs, ``apply_patch`` texts, old and new text, whole contents. Out: ``Hunk``s and
``Edit``s of the model. Text that is no patch gives an empty tuple, never an exception. Carriage
returns at line ends are dropped; a "no newline" remark is not a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from msgspec import Struct

from pastwork.model import Action, Edit, Evidence, Hunk

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_PATCH = re.compile(r"\*\*\* Begin Patch[^\n]*\n.*?(?:^[ \t]*\*\*\* End Patch|\Z)", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = "*** Move to: "
_ACTIONS: dict[str, Action] = {"Add": "created", "Update": "edited", "Delete": "deleted"}
#: Above this many pairs of lines to compare, the middle of a change counts as replaced whole.
_PAIRS = 250_000
_CONTEXT = 3


class FileDiff(Struct, frozen=True):
    """One file's part of a unified diff; paths without ``a/`` and ``b/``, None for ``/dev/null``."""

    old_path: str | None
    new_path: str | None
    hunks: tuple[Hunk, ...]

    def edit(self, **more: str | None) -> Edit:
        """The change as an edit with the evidence ``diff``."""
        old, new = self.old_path, self.new_path
        action: Action = "created" if old is None else "deleted" if new is None else "edited"
        moved = old if old and new and old != new else None
        return Edit(new or old or "", action, self.hunks, "diff", moved, more.get("time"), more.get("tool_id"))


def lines_of(text: str) -> tuple[str, ...]:
    """A text's lines: only ``\\n`` ends one, and a final newline begins none."""
    if not text:
        return ()
    lines = text.removesuffix("\n").split("\n")
    return tuple(line.removesuffix("\r") for line in lines)


def unified(text: str) -> tuple[Hunk, ...]:
    """The hunks of one file's unified diff; file headers are passed over, ``@@`` may be bare."""
    return tuple(_hunks(iter(lines_of(text))))


def _hunks(lines: Iterator[str]) -> Iterator[Hunk]:
    body: list[str] | None = None
    start: tuple[int | None, int | None] = (None, None)
    left = (0, 0)
    for line in lines:
        if body is None or left == (0, 0) or not line.startswith((" ", "+", "-", "\\")):
            header = _HUNK.match(line)
            if header or line.startswith("@@"):
                if body:
                    yield Hunk(tuple(body), *start)
                body, start, left = [], *_opening(header)
                continue
        if body is None or line.startswith("\\") or left == (0, 0):
            continue
        if line == "" or line[0] in " +-":
            body.append(line or " ")
            left = _counted(left, line[:1] or " ")
        else:
            left = (0, 0)
    if body:
        yield Hunk(tuple(body), *start)


def _opening(header: re.Match[str] | None) -> tuple[tuple[int | None, int | None], tuple[int, int]]:
    if header is None:
        return (None, None), (-1, -1)
    old, old_count, new, new_count = header.groups()
    return (int(old), int(new)), (int(old_count or 1), int(new_count or 1))


def _counted(left: tuple[int, int], mark: str) -> tuple[int, int]:
    """Lines still expected, old and new; (-1, -1) where the header gave no numbers."""
    if left[0] < 0:
        return left
    return max(0, left[0] - (mark != "+")), max(0, left[1] - (mark != "-"))


def diffs(text: str) -> tuple[FileDiff, ...]:
    """The files of a unified diff (``git diff`` output or a Markdown fence's text)."""
    found: list[FileDiff] = []
    lines = lines_of(text)
    heads = [at for at in range(len(lines) - 1) if lines[at].startswith("--- ") and lines[at + 1].startswith("+++ ")]
    for at, end in zip(heads, [*heads[1:], len(lines)], strict=False):
        old, new = _side(lines[at][4:]), _side(lines[at + 1][4:])
        found.append(FileDiff(old, new, tuple(_hunks(iter(lines[at + 2 : end])))))
    return tuple(found)


def _side(name: str) -> str | None:
    name = name.split("\t")[0].strip().strip('"')
    if name == "/dev/null":
        return None
    return name[2:] if name[:2] in {"a/", "b/"} else name


def between(old: str, new: str, old_start: int | None = None, new_start: int | None = None) -> tuple[Hunk, ...]:
    """One hunk that turns ``old`` into ``new``, both texts whole; empty where they are equal.

    At most three lines of context remain on either side; given starts are moved accordingly.
    """
    before, after = lines_of(old), lines_of(new)
    if before == after:
        return ()
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle = _middle(before[head : len(before) - tail], after[head : len(after) - tail])
    first = max(0, head - _CONTEXT)
    lead = [f" {line}" for line in before[first:head]]
    end = len(before) - tail
    trail = [f" {line}" for line in before[end : end + _CONTEXT]]
    starts = (None if each is None else each + first for each in (old_start, new_start))
    return (Hunk((*lead, *middle, *trail), *starts),)


def _common(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _middle(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[str]:
    if not before or not after or len(before) * len(after) > _PAIRS:
        yield from (f"-{line}" for line in before)
        yield from (f"+{line}" for line in after)
        return
    for tag, i, i_end, j, j_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (f" {line}" for line in before[i:i_end])
        else:
            yield from (f"-{line}" for line in before[i:i_end])
            yield from (f"+{line}" for line in after[j:j_end])


def content(text: str) -> tuple[Hunk, ...]:
    """A whole new file as one hunk of ``+`` lines; empty for an empty file."""
    lines = lines_of(text)
    return (Hunk(tuple(f"+{line}" for line in lines), None, 1),) if lines else ()


def removed(text: str) -> tuple[Hunk, ...]:
    """A whole deleted file as one hunk of ``-`` lines."""
    lines = lines_of(text)
    return (Hunk(tuple(f"-{line}" for line in lines), 1, None),) if lines else ()


def apply_patch(text: str) -> tuple[Edit, ...]:
    """The edits of an ``apply_patch`` text, also inside a shell heredoc; hunks have no line numbers."""
    return tuple(edit for block in _PATCH.findall(text) for edit in _patched(block))


def _patched(block: str) -> Iterator[Edit]:
    path, action, moved, body = "", "", None, list[str]()
    for line in (*lines_of(block), "*** End Patch"):
        header = _FILE.match(line)
        if header or line.strip() == "*** End Patch":
            if path:
                yield _patch_edit(path, _ACTIONS[action], moved, body)
            action, path = header.groups() if header else ("", "")
            path, moved, body = path.strip(), None, []
        elif line.startswith(_MOVE):
            moved = line[len(_MOVE) :].strip()
        elif not line.startswith("*** "):
            body.append(line)


def _patch_edit(path: str, action: Action, moved: str | None, body: list[str]) -> Edit:
    if action == "created":
        added = tuple(line for line in body if line.startswith("+"))
        return Edit(path, action, (Hunk(added, None, 1),) if added else (), "content")
    if action == "deleted":
        return Edit(path, action)
    hunks = tuple(_hunks(iter(("@@", *body))))
    evidence: Evidence = "text" if hunks else "named"
    return Edit(moved or path, action, hunks, evidence, path if moved else None)


def shown(edits: tuple[Edit, ...]) -> str:
    """Edits as unified diff text for people; empty where there are no hunks."""
    return "\n".join(line for edit in edits if edit.hunks for line in _shown(edit))


def _shown(edit: Edit) -> Iterator[str]:
    old = "/dev/null" if edit.action == "created" else edit.previous_path or edit.path
    yield f"--- {old}"
    yield f"+++ {'/dev/null' if edit.action == 'deleted' else edit.path}"
    for hunk in edit.hunks:
        yield _header(hunk)
        yield from hunk.lines


def _header(hunk: Hunk) -> str:
    if hunk.old_start is None and hunk.new_start is None:
        return "@@"
    old = sum(not line.startswith("+") for line in hunk.lines)
    new = sum(not line.startswith("-") for line in hunk.lines)
    return f"@@ -{hunk.old_start or 0},{old} +{hunk.new_start or 0},{new} @@"
