"""The files that a Claude Code tool call changed, from its input and its result; pure."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.json import Decoder

from pastwork.model import Action, Edit, Evidence, Hunk
from pastwork.transcripts import mend, patches
from pastwork.transcripts.claude_code_rows import Patch, Result, text

EDITORS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
READERS = frozenset({"Read", "NotebookRead"})
_CREATED = "File created successfully"


class Replacement(Struct):
    old_string: str = ""
    new_string: str = ""


class Input(Struct):
    """The inputs of all editing tools together."""

    file_path: str | None = None
    notebook_path: str | None = None
    old_string: str | None = None
    new_string: str | None = None
    content: str | None = None
    edits: list[Replacement] = []
    new_source: str | None = None
    edit_mode: str | None = None


_INPUTS: Decoder[Input] = Decoder(Input)


def changes(name: str, given: bytes, result: Result | None, output: str) -> tuple[Edit, ...]:
    """The edits of a call that succeeded: the result's numbered hunks, else the input's texts.

    ``output`` is the result's text; it alone says whether a file was created where there is no
    structured result. A result with numbered hunks is enough without a name or input.
    """
    if result is not None and result.file_path and result.structured_patch:
        hunks = tuple(_hunk(patch) for patch in result.structured_patch)
        return (Edit(result.file_path, "edited", hunks, "patch"),)
    if result is not None and result.file_path and result.type == "create":
        return (_whole(result.file_path, "created", text(result.content)),)
    if name not in EDITORS or (result is not None and result.structured_patch == [] and result.type == "update"):
        return ()
    return tuple(_from_input(name, _input(given), created=output.startswith(_CREATED)))


def read_path(name: str, given: bytes) -> str | None:
    """The file that a reading tool looked at."""
    if name not in READERS:
        return None
    found = _input(given)
    return found.file_path or found.notebook_path


def _input(given: bytes) -> Input:
    try:
        return mend.decode(given, _INPUTS)
    except (ValueError, RecursionError):
        return Input()


def _hunk(patch: Patch) -> Hunk:
    lines = tuple(line for line in patch.lines if not line.startswith("\\"))
    return Hunk(lines, patch.old_start, patch.new_start)


def _whole(path: str, action: Action, content: str) -> Edit:
    return Edit(path, action, patches.content(content), "content")


def _from_input(name: str, given: Input, *, created: bool) -> Iterator[Edit]:
    path = given.file_path or given.notebook_path
    if not path:
        return
    action: Action = "created" if created else "edited"
    if name == "Write":
        yield _whole(path, action, given.content or "")
        return
    if name == "NotebookEdit":
        hunks = tuple(Hunk(each.lines) for each in patches.content(given.new_source or ""))
    else:
        pairs = [(each.old_string, each.new_string) for each in given.edits]
        if given.old_string is not None or given.new_string is not None:
            pairs.append((given.old_string or "", given.new_string or ""))
        hunks = tuple(hunk for old, new in pairs for hunk in patches.between(old, new))
    evidence: Evidence = "text" if hunks else "named"
    yield Edit(path, action, hunks, evidence)
