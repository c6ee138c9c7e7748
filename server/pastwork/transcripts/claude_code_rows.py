"""The rows of a Claude Code transcript, as far as they are needed: every field optional, payloads raw."""

from __future__ import annotations

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.transcripts import mend

EMPTY = Raw()


class Block(Struct):
    """One content block; ``content`` is a tool result's: text, or blocks again."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = EMPTY
    tool_use_id: str | None = None
    content: Raw = EMPTY
    is_error: bool | None = None


class Message(Struct):
    role: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    content: str | list[Block] | None = None


class Origin(Struct):
    kind: str | None = None


class Attachment(Struct):
    """``prompt`` (text or blocks) is what was typed while the agent worked, if ``type`` is queued_command."""

    type: str | None = None
    prompt: str | list[Block] | None = None
    commandMode: str | None = None  # noqa: N815 - the transcript's name
    origin: Origin | None = None


class Preserved(Struct):
    uuids: list[str] = []
    allUuids: list[str] = []  # noqa: N815 - the transcript's name


class Compaction(Struct):
    preservedMessages: Preserved | None = None  # noqa: N815 - the transcript's name


class Inner(Struct):
    """A sub-agent's message inside a progress row."""

    type: str | None = None
    timestamp: str | None = None
    message: Message | None = None
    result: Raw = field(default=EMPTY, name="toolUseResult")


class Progress(Struct):
    type: str | None = None
    message: Inner | None = None


class Line(Struct, rename="camel"):
    """One row of any type; ``type`` says which fields mean something."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    is_meta: bool | None = None
    is_sidechain: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    message: Message | None = None
    result: Raw = field(default=EMPTY, name="toolUseResult")
    source: str | None = field(default=None, name="sourceToolAssistantUUID")
    attachment: Attachment | None = None
    origin: Origin | None = None
    prompt_source: str | None = None
    compact_metadata: Compaction | None = None
    operation: str | None = None
    reason: str | None = None
    content: Raw = EMPTY
    summary: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None
    data: Progress | None = None


class Patch(Struct, rename="camel"):
    old_start: int | None = None
    new_start: int | None = None
    lines: list[str] = []


class Result(Struct, rename="camel"):
    """The structured copy of a tool's result."""

    type: str | None = None
    file_path: str | None = None
    structured_patch: list[Patch] | None = None
    content: Raw = EMPTY
    agent_id: str | None = None


LINES: Decoder[Line] = Decoder(Line)
_RESULTS: Decoder[Result] = Decoder(Result)
_TEXTS: Decoder[str | list[Block]] = Decoder(str | list[Block])
_SKIPPED = b'"type":"file-history-snapshot"'
_PROGRESS = b'"type":"progress"'
_TOLD = b'"type":"agent_progress"'


def wanted(line: bytes) -> bool:
    """Whether a line may hold anything of use; spares the decoding of snapshots and progress bars."""
    if _PROGRESS in line:
        return _TOLD in line
    return _SKIPPED not in line


def result(raw: Raw) -> Result | None:
    """A structured result; None where there is only text or nothing."""
    data = bytes(raw)
    if not data.startswith(b"{"):
        return None
    try:
        return mend.decode(data, _RESULTS)
    except (ValueError, RecursionError):
        return None


def text(content: Raw | str | list[Block] | None) -> str:
    """The text of a message or of a tool's result; images and documents leave a mark."""
    if isinstance(content, Raw):
        content = _decoded(content)
    if content is None or isinstance(content, str):
        return content or ""
    parts = [each.text or "" if each.type == "text" else f"[{each.type}]" for each in content if each.type in _SHOWN]
    return "\n".join(part for part in parts if part)


_SHOWN = frozenset({"text", "image", "document"})


def _decoded(raw: Raw) -> str | list[Block] | None:
    data = bytes(raw)
    if not data:
        return None
    try:
        return mend.decode(data, _TEXTS)
    except (ValueError, RecursionError):
        return None
