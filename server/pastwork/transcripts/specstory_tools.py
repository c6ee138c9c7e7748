"""Tool blocks of SpecStory documents as tool calls with their edits and reads. Pure.

In: a ``<tool-use>`` block, or a stretch of an older document that begins ``Tool use: **name**`` or
``Read file: path``. Out: ``Used``. SpecStory writes every agent's tools in a few forms (a path or
command in backticks, fenced input, fenced result); what none of them explains stays in the input
as text, so nothing is lost.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator

from msgspec import Struct

from pastwork.model import Action, Edit, Hunk
from pastwork.transcripts import fences, patches

_OPEN = re.compile(
    r'<tool-use(?=[ >])(?: data-tool-type="(?P<kind>[^"\n]*)")?(?: data-tool-name="(?P<name>[^"\n]*)")?[^>\n]*>\s*'
    r"(?:<details>\s*)?(?:<summary>(?P<summary>.*?)</summary>)?",
    re.DOTALL,
)
#: The extension sets tags and summary otherwise than the command line tool, and its diffs like the oldest versions.
_EXTENSION = re.compile(r"<tool-use [^>\n]*>\s*\n")
_LINE = re.compile(r"(?:Tool use: \*\*(?P<name>[^*\n]+)\*\*|(?P<read>Read file: ))(?P<rest>[^\n]*)")
_DETAILS = re.compile(r"</?details>|<summary>(?P<summary>.*?)</summary>", re.DOTALL)
_MARKER = re.compile(
    r"(?:\A|\n)(?:\*\*(?:Result|(?P<e1>Error)):\*\*|(?:Output|Result)(?P<e2> \(error\))?:)[ \t]*(?P<rest>[^\n]*)"
)
_TICKED = re.compile(r"(?:^|(?P<key>[A-Za-z_]+):? )`(?P<value>[^`\n]+)`")
_COMMAND = re.compile(r"^ ?`(.+)`[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"^- (?P<key>[\w.-]+): `(?P<value>.*)`$", re.MULTILINE)
_NAMED_FILE = re.compile(r"\b(?:Read|Edit(?:ed)?|Deleted?|Created?) file: `?(?P<path>[^\n<•`]+)")
_SECTION = re.compile(r"^\*\*(?P<verb>Add|Update|Delete|Move): `(?P<path>[^`\n]+)`\*\*", re.MULTILINE)
_VERBS: dict[str, Action] = {"Add": "created", "Update": "edited", "Delete": "deleted", "Move": "edited"}

#: How results of editing tools name the file that they changed.
_CHANGED: tuple[tuple[re.Pattern[str], Action], ...] = (
    (re.compile(r"File created successfully at: (.+?)(?: \(file state .*)?$", re.MULTILINE), "created"),
    (re.compile(r"The file (.+?) has been (?:updated|overwritten|edited|modified)\b", re.MULTILINE), "edited"),
    (re.compile(r"Applied \d+ edits? to (.+?):?$", re.MULTILINE), "edited"),
    (re.compile(r"Successfully (?:modified|overwrote) file: (.+?)(?: \(.*)?$", re.MULTILINE), "edited"),
    (re.compile(r"Successfully created and wrote to new file: (.+?)\.?$", re.MULTILINE), "created"),
    (re.compile(r"Created file (?:file://)?(\S.*?) with requested content", re.MULTILINE), "created"),
    (re.compile(r"changes were made by the \w+ tool to: (.+?)\.(?:\s|$)", re.MULTILINE), "edited"),
)
#: How results say that nothing was done.
_FAILED = re.compile(
    r"\s*(?:<tool_use_error>|\[Request interrupted|Error\b|Exit code [1-9]"
    r"|The user doesn't want to (?:proceed|take this action)|Permission to use "
    r"|File has (?:not been read yet|been (?:unexpectedly )?modified)|String to replace not found"
    r"|(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?Process exited with code [1-9])"
)
#: Tools of documents that don't tell a tool's kind.
_KINDS = {
    "read": {"Read", "read_file", "read_file_v2", "view"},
    "write": {"Edit", "Write", "MultiEdit", "search_replace", "edit_file", "write", "apply_patch", "delete_file"},
    "shell": {"Bash", "run_terminal_cmd", "run_terminal_command", "shell"},
}
_TELLING = ("pattern", "query", "url")
_DELETING = {"Delete", "delete_file"}


class Used(Struct, frozen=True):
    """One tool call as shown: ``arguments`` is a JSON object as text, ``ok`` None where no result is shown."""

    name: str
    summary: str
    arguments: str
    output: str
    ok: bool | None
    edits: tuple[Edit, ...] = ()
    reads: tuple[str, ...] = ()


class _Block(Struct, frozen=True):
    kind: str
    name: str
    summary: str
    given: str
    output: str | None
    failed: bool
    older: bool


def used(text: str) -> Used | None:
    """The tool call that a block or stretch shows; None where it shows none."""
    block = _block(text)
    if block is None:
        return None
    given, path = _given(block)
    edits = tuple(_edits(block, path)) if block.kind == "write" else ()
    if edits:
        path = path or edits[0].path
        given = _written(given, edits[0])
    ok = None if block.output is None and not edits else not block.failed
    reads = (path,) if block.kind == "read" and path and "://" not in path else ()
    named = (given[key] for key in _TELLING if key in given)
    summary = given.get("command") or path or next(named, "") or block.summary or given.get("text", "")
    return Used(block.name, summary, json.dumps(given, ensure_ascii=False), block.output or "", ok, edits, reads)


def _written(given: dict[str, str], edit: Edit) -> dict[str, str]:
    """The input of an editing call: the file's name first, a new file's content without its fence."""
    if edit.evidence == "content" and "text" in given:
        text = "\n".join(line[1:] for hunk in edit.hunks for line in hunk.lines)
        given = {key: value for key, value in given.items() if key != "text"} | {"content": text}
    return {"file_path": edit.path} | given


def _block(text: str) -> _Block | None:
    if found := _OPEN.match(text):
        name, kind = html.unescape(found["name"] or ""), found["kind"] or ""
        summary, body = found["summary"] or "", _closed(text[found.end() :])
        if older := _EXTENSION.match(text) is not None:
            body = html.unescape(body)
    elif found := _LINE.match(text):
        older = True
        name, kind = (found["name"] or "read_file").strip(), "read" if found["read"] else ""
        details = "".join(each["summary"] or "" for each in _DETAILS.finditer(text))
        rest = f"`{found['rest'].strip()}`" if found["read"] else found["rest"]
        summary, body = f"{rest} {details}".strip(), _DETAILS.sub("", text[found.end() :])
    else:
        return None
    summary = re.sub(r"^Tool use: \*\*[^*\n]*\*\*\s*", "", html.unescape(summary)).strip()
    kind = next((each for each, names in _KINDS.items() if name in names), kind)
    given, output, failed = _split(body.strip("\n"), kind)
    failed = failed or bool(output and _FAILED.match(output))
    return _Block(kind, name, summary, given, output, failed, older)


def _closed(body: str) -> str:
    """Without the closing tags."""
    body = body.rstrip().removesuffix("</tool-use>").rstrip()
    return body.removesuffix("</details>").rstrip("\n")


def _split(body: str, kind: str) -> tuple[str, str | None, bool]:
    """What was asked, what came back (None where nothing is shown), and whether it is marked an error."""
    place = 0
    plain: list[int] = []
    for each in fences.fences(body):
        if marked := _marked(body, place, each.start):
            return marked
        asked = body[place : each.start].rstrip().endswith(":")
        if each.info in ("", "text") and not asked:
            plain.append(each.start)
            if kind != "write":
                break
        place = each.end
    else:
        if marked := _marked(body, place, len(body)):
            return marked
    if not plain:
        return body, None, False
    return body[: plain[-1]], _unfenced(body[plain[-1] :].strip()), False


def _marked(body: str, start: int, end: int) -> tuple[str, str | None, bool] | None:
    """The split at a line that announces the result."""
    found = _MARKER.search(body, max(0, start - 1), end)
    if found is None:
        return None
    result = found["rest"].strip() or _unfenced(body[found.end() :].strip())
    return body[: found.start()], result, bool(found["e1"] or found["e2"])


def _unfenced(text: str) -> str:
    """A result without the fence around it, whatever fences it holds."""
    if not text.startswith("```"):
        return text
    opening, _, rest = text.partition("\n")
    mark = opening[: len(opening) - len(opening.lstrip("`"))]
    end = rest.rfind("\n" + mark) if not rest.startswith(mark) else 0
    return rest[:end] if end >= 0 else rest


def _given(block: _Block) -> tuple[dict[str, str], str | None]:
    """The call's input by name, and the file it names."""
    blocks = list(fences.fences(block.given))
    prose = _without(block.given, blocks)
    given = {found["key"]: found["value"] for found in _ITEM.finditer(prose)}
    if block.kind in ("shell", "bash"):
        inline = _COMMAND.search(prose) or _COMMAND.search(block.summary)
        command = blocks[0].text.rstrip("\n") if blocks else inline[1] if inline else ""
        given.update({"command": command} if command else {})
        prose = _COMMAND.sub("", prose)
        _keep(given, "description", prose)
        return given, None
    path = _path(block, prose, given)
    if path:
        given.setdefault("file_path", path)
    for key in ("pattern", "include", "path"):
        if found := re.search(rf"\b{key}:? `([^`\n]+)`", f"{block.summary}\n{prose}", re.IGNORECASE):
            given.setdefault(key, found[1])
    _keep(given, "text", block.given if not given or blocks else "")
    return given, path


def _keep(given: dict[str, str], key: str, text: str) -> None:
    if text.strip():
        given[key] = text.strip()


def _without(text: str, blocks: list[fences.Fence]) -> str:
    for each in reversed(blocks):
        text = text[: each.start] + text[each.end :]
    return text


def _path(block: _Block, prose: str, given: dict[str, str]) -> str | None:
    """The file a call names, from its input alone."""
    for key in ("file_path", "path", "filePath", "target_file"):
        if key in given:
            return given[key]
    if found := _NAMED_FILE.search(f"{block.summary}\n{prose}"):
        return found["path"].strip()
    for line in (block.summary, *prose.splitlines()):
        found = _TICKED.match(line.strip())
        if found and (found["key"] or "path").casefold() in ("path", "file") and block.kind in ("read", "write"):
            return found["value"]
    return None


def _edits(block: _Block, path: str | None) -> Iterator[Edit]:
    sections = list(_SECTION.finditer(block.given))
    for at, found in enumerate(sections):
        end = sections[at + 1].start() if at + 1 < len(sections) else len(block.given)
        hunks = _shown(block, list(fences.fences(block.given[found.end() : end])))
        yield Edit(found["path"], _VERBS[found["verb"]], hunks, "diff" if hunks else "named")
    if sections:
        return
    if patched := patches.apply_patch(block.given):
        yield from patched
        return
    place = _changed(block.output or "", path)
    if place is None:
        return
    path, action = place
    blocks = list(fences.fences(block.given))
    if hunks := _shown(block, blocks):
        yield Edit(path, action, hunks, "diff")
    elif blocks and block.name.casefold() not in ("edit", "multiedit"):
        text = blocks[0].text.replace("\\```", "```").removesuffix("\n")
        yield Edit(path, action, patches.content(text), "content")
    else:
        yield Edit(path, "deleted" if block.name in _DELETING else action)


def _changed(output: str, path: str | None) -> tuple[str, Action] | None:
    for pattern, action in _CHANGED:
        if found := pattern.search(output[:2000]):
            return found[1], action
    return (path, "edited") if path else None


def _shown(block: _Block, blocks: list[fences.Fence]) -> tuple[Hunk, ...]:
    """The hunks of diff fences."""
    return tuple(hunk for each in blocks if each.info == "diff" for hunk in _hunks(each.text, block.older))


def _hunks(text: str, older: bool) -> tuple[Hunk, ...]:
    lines = text.split("\n")
    if len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ "):
        lines = lines[2:]
    if not any(line.startswith("@@") for line in lines):
        lines = ["@@", *lines]
    if older:
        lines = [_closer(line) for line in lines]
    return patches.unified("\n".join(lines))


def _closer(line: str) -> str:
    """Older documents set a line off from its mark by a blank."""
    return line[0] + line[2:] if line[:2] in ("+ ", "- ", "  ") else line
