"""Cursor's conversation bubbles of all ages, and how they are told to a builder; pure.

A bubble is one message: of the user (type 1 or "user"), of the model (2 or "ai"), or a tool call in
``toolFormerData``. Arguments and results of tools are JSON inside JSON strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.model import Edit, Hunk
from pastwork.transcripts import mended_json, not_prompts, patches, tell, tool_edits
from pastwork.transcripts.base import Item
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.calls import Arguments

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
#: Ids shorter than this are not the program's own.
_UNIQUE = 16
#: Smaller "times" are durations in milliseconds.
_EPOCH_MS = 946_684_800_000
_WORKING = ("loading", "pending", "running", "")


class Tool(Struct):
    """``status``: completed, error, cancelled, loading; ``userDecision``: accepted, rejected."""

    name: str | None = None
    call_id: str | None = field(name="toolCallId", default=None)
    raw_args: str | Raw = field(name="rawArgs", default="")
    params: str | Raw = ""
    result: str | Raw = ""
    status: str | None = None
    user_decision: str | None = field(name="userDecision", default=None)
    error: str | Raw = ""


class Timing(Struct):
    client_start: float | None = field(name="clientStartTime", default=None)
    client_end: float | None = field(name="clientEndTime", default=None)


class ModelInfo(Struct):
    name: str | None = field(name="modelName", default=None)


class Uri(Struct):
    fs_path: str | None = field(name="fsPath", default=None)
    path: str | None = None
    external: str | None = None


class CodeBlock(Struct):
    uri: Uri | None = None
    version: int | None = None
    status: str | None = None
    content: str | None = None


class Bubble(Struct):
    """A message of any age."""

    type: int | str | None = None
    bubble_id: str | None = field(name="bubbleId", default=None)
    id: str | None = None
    text: str | None = None
    raw_text: str | None = field(name="rawText", default=None)
    rich_text: str | None = field(name="richText", default=None)
    tool: Tool | None = field(name="toolFormerData", default=None)
    created_at: str | float | None = field(name="createdAt", default=None)
    timing: Timing | None = field(name="timingInfo", default=None)
    model_type: str | None = field(name="modelType", default=None)
    model_info: ModelInfo | None = field(name="modelInfo", default=None)
    code_blocks: list[CodeBlock] = field(name="codeBlocks", default=[])


class Chunk(Struct):
    diff: str = field(name="diffString", default="")
    old_start: int | None = field(name="oldStart", default=None)
    new_start: int | None = field(name="newStart", default=None)


class Diff(Struct):
    chunks: list[Chunk] = []


class Applied(Struct):
    """An editing tool's result."""

    diff: Diff | None = None
    applied: bool | None = field(name="isApplied", default=None)
    rejected: bool | None = None


_APPLIED: Decoder[Applied] = Decoder(Applied)
_LEXICAL: Decoder[object] = Decoder()


def typed(text: str) -> str | None:
    """What a person typed, out of the envelope that Cursor's agent puts it into."""
    found = _QUERY.search(text)
    return not_prompts.typed(found[1] if found else text, not_prompts.CURSOR)


def said(build: Builder, bubble: Bubble) -> Iterator[Item]:
    """Tells one bubble."""
    moment = _moment(bubble)
    words = bubble.text or bubble.raw_text or _plain(bubble.rich_text)
    if bubble.type in (1, "user"):
        prompt = typed(words)
        if prompt is not None:
            own = bubble.bubble_id or bubble.id or ""
            prompt_id = own if len(own) >= _UNIQUE else None
            yield from build.prompt(prompt, offset=0, prompt_id=prompt_id, time=moment)
        return
    build.context(model=_model(bubble))
    if bubble.tool is not None and (bubble.tool.name or bubble.tool.raw_args):
        _used(build, bubble.tool, moment)
    build.answer(words, time=moment)


def _model(bubble: Bubble) -> str | None:
    name = (bubble.model_info.name if bubble.model_info else None) or bubble.model_type
    return None if name in ("default", "") else name


def _moment(bubble: Bubble) -> str | float | None:
    """A start "time" that is a duration counts back from the end."""
    timing = bubble.timing
    if bubble.created_at or timing is None:
        return bubble.created_at
    start, end = timing.client_start, timing.client_end
    if start is not None and start < _EPOCH_MS:
        return end - start if end is not None and end >= _EPOCH_MS else None
    return start


def _used(build: Builder, tool: Tool, moment: str | float | None) -> None:
    params, raw = _object(tool.params), _object(tool.raw_args)
    given = {**params, **raw}
    name = tool.name or ""
    shown = _object(tool.result)
    output = _output(tool, shown)
    hunks = _hunks(shown)
    edits = tool_edits.changes(name, given)
    if hunks and len(edits) == 1:
        edits = (Edit(edits[0].path, edits[0].action, hunks, "patch"),)
    build.call(
        name,
        ref=tool.call_id,
        arguments=msgspec.json.encode(raw or params).decode(),
        summary=tell.summary(build, given, edits),
        output=output,
        ok=_succeeded(tool, shown),
        edits=edits,
        reads=tool_edits.reads(name, given),
        time=moment,
    )


def _succeeded(tool: Tool, shown: Arguments) -> bool | None:
    if tool.user_decision == "rejected" or shown.get("rejected") is True:
        return False
    if (tool.status or "") in _WORKING:
        return None
    return tool.status == "completed"


def _object(text: str | Raw) -> Arguments:
    return tell.opened(text if isinstance(text, str) else bytes(text))[1] if text else {}


def _output(tool: Tool, shown: Arguments) -> str:
    """What came back; a diff is told as an edit."""
    if "diff" in shown:
        return ""
    for key in ("contents", "output", "content", "error"):
        found = shown.get(key)
        if isinstance(found, str):
            return found
    text = tool.result if isinstance(tool.result, str) else bytes(tool.result).decode("utf-8", "replace")
    error = tool.error if isinstance(tool.error, str) else bytes(tool.error).decode("utf-8", "replace")
    return text or error


def _hunks(shown: Arguments) -> tuple[Hunk, ...]:
    """The numbered hunks that an editing tool's result shows."""
    if "diff" not in shown:
        return ()
    applied = mended_json.value(msgspec.json.encode(shown), _APPLIED)
    chunks = applied.diff.chunks if applied and applied.diff else []
    return tuple(_hunk(chunk) for chunk in chunks if chunk.diff)


def _hunk(chunk: Chunk) -> Hunk:
    """A chunk's lines; their marks are followed by a blank that is not the line's."""
    lines = [line for line in patches.lines_of(chunk.diff) if not line.startswith("@@")]
    if all(line[:2] in ("+ ", "- ", "  ", "+", "-", "") for line in lines):
        lines = [line[:1] + line[2:] for line in lines]
    return Hunk(tuple(line or " " for line in lines), chunk.old_start, chunk.new_start)


def _plain(rich: str | None) -> str:
    """The words of a rich text (a tree of nodes as JSON text)."""
    if not rich or not rich.lstrip().startswith("{"):
        return rich or ""
    return "".join(_nodes(mended_json.value(rich.encode("utf-8", "replace"), _LEXICAL))).strip()


def _nodes(node: object, depth: int = 0) -> Iterator[str]:
    if not isinstance(node, Mapping) or depth > 50:
        return
    if isinstance(text := node.get("text"), str):
        yield text
    children = node.get("children", ())
    for child in (node.get("root"), *(children if isinstance(children, list) else ())):
        yield from _nodes(child, depth + 1)
    if node.get("type") in ("paragraph", "linebreak"):
        yield "\n"
