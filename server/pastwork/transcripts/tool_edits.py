"""What a tool call means to do to files, from its name and arguments; pure, for every agent.

Agents name the same few tools and arguments in many spellings; the tables below are all of them.
Whether the call succeeded is for the caller to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from pastwork.model import Action, Edit, Hunk
from pastwork.transcripts import patches
from pastwork.transcripts.calls import Arguments

Kind = Literal["edit", "write", "create", "delete", "patch", "insert", "read"]

#: Tool names without case and punctuation.
_NAMES: tuple[tuple[Kind, str], ...] = (
    (
        "edit",
        "edit editfile multiedit multieditfile strreplace searchreplace replace replaceinfile applydiff appliededit"
        " replacefilecontent multireplacefilecontent editedexistingfile applieddiff edittool strreplaceeditor"
        " strreplacebasededittool texteditor replacestringinfile multireplacestringinfile smartedit searchandreplace"
        " fsedit editor editnotebook applyedit singlefindandreplace filereplace builtinedit editexistingfile"
        " editfilev2 strreplacefile",
    ),
    ("write", "write writefile writetofile overwritefile savefile fswrite writefiles filewrite"),
    ("create", "create createfile newfilecreated newfile addfile createnewfile builtincreatenewfile"),
    ("delete", "delete deletefile removefile filedeleted deletepath"),
    ("patch", "applypatch patch"),
    ("insert", "insert insertcontent insertlines insertcode"),
    (
        "read",
        "read readfile viewfile view open cat readmanyfiles readfilev2 readtextfile fsread viewimage builtinreadfile"
        " readcurrentlyopenfile readfiles",
    ),
)
_KINDS: Mapping[str, Kind] = {name: kind for kind, names in _NAMES for name in names.split()}
_PATHS = (
    "file_path",
    "path",
    "filePath",
    "filepath",
    "absolute_path",
    "target_file",
    "targetFile",
    "relativeWorkspacePath",
    "relative_workspace_path",
    "TargetFile",
    "AbsolutePath",
    "fileName",
    "filename",
    "file",
    "notebook_path",
    "uri",
    "target_notebook",
)
_OLD = ("old_string", "old_str", "oldText", "old_text", "oldString", "oldStr", "old", "search", "TargetContent")
_NEW = ("new_string", "new_str", "newText", "new_text", "newString", "newStr", "new", "replace", "ReplacementContent")
_CONTENT = ("content", "contents", "file_text", "fileText", "text", "CodeContent", "code", "data", "newContent")
_EDITS = ("edits", "edit", "replacements", "ReplacementChunks", "changes")
_PATCH = ("input", "patch", "patchText", "patch_text", "diff")
_DIFF = ("diff", "patch")
_COMMANDS: Mapping[str, Kind] = {
    "str_replace": "edit",
    "edit": "edit",
    "create": "create",
    "write": "write",
    "insert": "insert",
    "append": "insert",
    "view": "read",
}
_ROO = re.compile(
    r"(?:<{5,9}|-{5,9}) SEARCH>?[ \t]*\n(?::start_line:[ \t]*(?P<at>\d{1,9})[^\n]*\n)?(?::end_line:[^\n]*\n)?"
    r"(?:-{5,}[ \t]*\n)?"
    r"(?P<old>.*?)^={5,9}[ \t]*\n(?P<new>.*?)^(?:>{5,9} REPLACE|\+{5,9} REPLACE)",
    re.DOTALL | re.MULTILINE,
)


def kind_of(name: str, given: Arguments) -> Kind | None:
    """What sort of file tool this is; None for any other."""
    command = given.get("command")
    if isinstance(command, str) and command in _COMMANDS and path_of(given):
        return _COMMANDS[command]
    plain = re.sub(r"[^a-z0-9]", "", name.rpartition("__")[2].casefold())
    return _KINDS.get(plain) or _KINDS.get(plain.removeprefix("functions").removesuffix("tool"))


def path_of(given: Arguments) -> str | None:
    """The one file that the arguments name."""
    value = _text(given, _PATHS)
    return value.strip() if value and value.strip() and "\n" not in value else None


def reads(name: str, given: Arguments) -> tuple[str, ...]:
    """The files that a reading tool looks at."""
    if kind_of(name, given) != "read":
        return ()
    for key in ("paths", "file_paths", "files", "filePaths", "operations"):
        listed = given.get(key)
        if isinstance(listed, list):
            return tuple(path for each in listed if (path := _named(each)))
    path = path_of(given)
    return (path,) if path else ()


def _named(each: object) -> str | None:
    if isinstance(each, str):
        return each
    return path_of(each) if isinstance(each, dict) else None


def changes(name: str, given: Arguments) -> tuple[Edit, ...]:
    """The edits that the call makes if it succeeds; without hunks where the arguments show none."""
    kind, path = kind_of(name, given), path_of(given)
    if kind == "patch" and (text := _text(given, _PATCH)) is not None:
        if found := patches.apply_patch(text):
            return found
        return tuple(each.edit() for each in patches.diffs(text))
    if path is None or kind is None or kind == "read":
        return ()
    if kind == "delete":
        return (Edit(path, "deleted"),)
    if kind == "insert":
        return (_inserted(path, given),)
    if kind in ("write", "create"):
        return (_written(path, given, "created" if kind == "create" else "edited"),)
    hunks = tuple(_replaced(given))
    if hunks or _text(given, _CONTENT) is None:
        return (Edit(path, "edited", hunks, "text" if hunks else "named"),)
    return (Edit(path, "edited"),)


def diffed(diff: str, meant: tuple[Edit, ...] = ()) -> tuple[Edit, ...]:
    """The edits of a unified diff; under the name that the call meant, where it meant one file."""
    parts = [part.edit() for part in patches.diffs(diff)]
    if len(meant) == 1 and len(parts) <= 1:
        hunks = parts[0].hunks if parts else patches.unified(diff)
        action = meant[0].action if meant[0].action != "edited" or not parts else parts[0].action
        return (Edit(meant[0].path, action, hunks, "patch"),) if hunks else ()
    return tuple(Edit(each.path, each.action, each.hunks, "patch", each.previous_path) for each in parts)


def _written(path: str, given: Arguments, action: Action) -> Edit:
    text = _text(given, _CONTENT)
    return Edit(path, action) if text is None else Edit(path, action, patches.content(text), "content")


def _inserted(path: str, given: Arguments) -> Edit:
    text = _text(given, (*_NEW, *_CONTENT, "insert_text"))
    at = given.get("insert_line", given.get("line"))
    if text is None:
        return Edit(path, "edited")
    lines = tuple(f"+{line}" for line in patches.lines_of(text))
    start = at + 1 if isinstance(at, int) and at >= 0 else None
    return Edit(path, "edited", (Hunk(lines, None, start),), "text")


def _replaced(given: Arguments) -> Iterator[Hunk]:
    for key in _EDITS:
        listed = given.get(key)
        if isinstance(listed, list | dict):
            for each in listed if isinstance(listed, list) else [listed]:
                if isinstance(each, dict):
                    yield from _pair(each)
            return
    diff = _text(given, _DIFF)
    whole = _text(given, _CONTENT)
    if diff is None and whole is not None and _ROO.search(whole):
        diff = whole
    if diff is not None:
        yield from _searched(diff)
        return
    yield from _pair(given)


def _pair(given: Arguments) -> tuple[Hunk, ...]:
    old, new = _text(given, _OLD), _text(given, _NEW)
    if old is None and new is None:
        return ()
    return patches.between(old or "", new or "")


def _searched(diff: str) -> Iterator[Hunk]:
    """The hunks of SEARCH/REPLACE blocks, else of a unified diff."""
    blocks = list(_ROO.finditer(diff))
    for block in blocks:
        start = int(block["at"]) if block["at"] else None
        yield from patches.between(block["old"], block["new"], start, None)
    if not blocks:
        yield from patches.unified(diff)


def _text(given: Arguments, names: tuple[str, ...]) -> str | None:
    return next((value for name in names if isinstance(value := given.get(name), str)), None)
