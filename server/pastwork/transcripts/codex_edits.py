"""The files that a Codex patch changed, from the record of its application or from its text; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import structs

from pastwork.model import Edit
from pastwork.transcripts import calls, patches
from pastwork.transcripts.codex_rows import Change

_BEGIN = "*** Begin Patch"


def applied(changes: Mapping[str, Change]) -> tuple[Edit, ...]:
    """The edits of a patch that Codex recorded as applied: numbered hunks or whole contents."""
    return tuple(edit for path, change in changes.items() for edit in _applied(path, change))


def _applied(path: str, change: Change) -> Iterator[Edit]:
    if change.type == "add":
        yield Edit(path, "created", patches.content(change.content or ""), "content")
    elif change.type == "delete":
        yield Edit(path, "deleted", patches.removed(change.content or ""), "content")
    else:
        hunks = patches.unified(change.unified_diff or "")
        moved = change.move_path
        yield Edit(moved or path, "edited", hunks, "patch" if hunks else "named", path if moved else None)


def proposed(name: str, text: str, cwd: str | None) -> tuple[Edit, ...]:
    """The edits that a call's text asks for: an ``apply_patch`` call, or a shell command that runs it."""
    if _BEGIN not in text or (name != "apply_patch" and "apply_patch" not in text.partition(_BEGIN)[0]):
        return ()
    given = calls.arguments(text)
    patch = text if not given else "\n".join(_texts(given))
    folder = given.get("workdir")
    return tuple(_placed(edit, folder if isinstance(folder, str) else cwd) for edit in patches.apply_patch(patch))


def _texts(given: calls.Arguments) -> Iterator[str]:
    for value in given.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (each for each in value if isinstance(each, str))


def _placed(edit: Edit, cwd: str | None) -> Edit:
    """Relative paths are relative to where the patch was applied."""
    previous = _absolute(edit.previous_path, cwd) if edit.previous_path else None
    return structs.replace(edit, path=_absolute(edit.path, cwd), previous_path=previous)


def _absolute(path: str, cwd: str | None) -> str:
    if not cwd or path.startswith(("/", "\\", "~")) or path[1:2] == ":":
        return path
    separator = "\\" if "\\" in cwd and "/" not in cwd else "/"
    return f"{cwd.rstrip(separator)}{separator}{path.removeprefix('./')}"
