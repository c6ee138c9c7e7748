"""The rows of a Codex rollout of any era, as far as they are needed: every field optional, payloads raw."""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw, Struct
from msgspec.json import Decoder

from pastwork.transcripts import mend

EMPTY = Raw()


class Block(Struct):
    type: str | None = None
    text: str | None = None


class Change(Struct):
    type: str | None = None
    content: str | None = None
    unified_diff: str | None = None
    move_path: str | None = None


class Parsed(Struct):
    """What Codex itself made of a command."""

    type: str | None = None
    path: str | None = None


class Git(Struct):
    branch: str | None = None


class Invocation(Struct):
    server: str | None = None
    tool: str | None = None
    arguments: Raw = EMPTY


class Metadata(Struct):
    turn_id: str | None = None


class Item(Struct):
    """A response item, an event, a turn item or a header; ``type`` says which fields mean something."""

    type: str | None = None
    id: str | None = None
    role: str | None = None
    text: str | None = None
    message: str | None = None
    content: str | list[Block] | None = None
    last_agent_message: str | None = None
    thread_name: str | None = None
    name: str | None = None
    tool: str | None = None
    server: str | None = None
    call_id: str | None = None
    arguments: Raw = EMPTY
    input: Raw = EMPTY
    action: Raw = EMPTY
    command: Raw = EMPTY
    output: Raw = EMPTY
    result: Raw = EMPTY
    query: str | None = None
    status: str | None = None
    success: bool | None = None
    exit_code: int | None = None
    stdout: str | None = None
    stderr: str | None = None
    aggregated_output: str | None = None
    parsed_cmd: list[Parsed] = []
    changes: dict[str, Change] | None = None
    invocation: Invocation | None = None
    turn_id: str | None = None
    internal_chat_message_metadata_passthrough: Metadata | None = None
    cwd: str | None = None
    workspace_roots: list[str] | None = None
    model: str | None = None
    git: Git | None = None
    timestamp: str | None = None
    session_id: str | None = None
    source: Raw = EMPTY
    thread_source: str | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    new_thread_id: str | None = None
    agent_thread_id: str | None = None
    receiver_thread_ids: list[str] = []
    item: Item | None = None


class Line(Item):
    """One row: an envelope with a ``payload``, or, in the oldest rollouts, the item itself."""

    record_type: str | None = None
    instructions: Raw = EMPTY
    payload: Item | None = None


class Session(Struct):
    id: str | None = None
    timestamp: str | None = None


class Document(Struct):
    """A whole session of the first era."""

    session: Session | None = None
    items: list[Raw] = []


LINES: Decoder[Line] = Decoder(Line)
DOCUMENTS: Decoder[Document] = Decoder(Document)
ITEM: Decoder[Item] = Decoder(Item)
_SKIPPED = re.compile(rb'"type":"(?:token_count|reasoning|compacted|world_state)"')
_EXITED = re.compile(r"(?:Process exited with code|Exit code:) (-?\d+)")
_HEAD = 400
_FAILED = ("apply_patch verification failed", "execution error", "failed to parse", "unsupported call")


class _Outcome(Struct):
    exit_code: int | None = None


class _Output(Struct):
    output: str | None = None
    content: str | list[Block] | None = None
    success: bool | None = None
    metadata: _Outcome | None = None


_OUTPUTS: Decoder[str | list[Block] | _Output] = Decoder(str | list[Block] | _Output)
_STRINGS: Decoder[str] = Decoder(str)
_BOXED: Decoder[_Output] = Decoder(_Output)


class Outcome(Struct, frozen=True):
    """A call's output and whether it succeeded, None where a process still runs."""

    text: str
    ok: bool | None


def wanted(line: bytes) -> bool:
    """Whether a line may hold anything of use; spares the decoding of counters, thoughts and repeated history."""
    return _SKIPPED.search(line) is None


def string(raw: Raw) -> str:
    """A JSON string's value, or any other JSON value as its text; calls' arguments come in both forms."""
    data = bytes(raw)
    if not data.startswith(b'"'):
        return mend.repaired(data).decode() if data and data != b"null" else ""
    try:
        return mend.decode(data, _STRINGS)
    except ValueError:
        return ""


def outcome(raw: Raw) -> Outcome:
    """A tool's output in any era's form: text, blocks, or an object with the text and an exit code."""
    try:
        found = mend.decode(bytes(raw), _OUTPUTS) if bytes(raw) else ""
    except (ValueError, RecursionError):
        found = string(raw)
    if isinstance(found, str) and found.startswith('{"output"'):
        found = _unboxed(found)
    if isinstance(found, _Output):
        code = found.metadata.exit_code if found.metadata else None
        text = found.output if found.output is not None else words(found.content)
        return Outcome(text, found.success if found.success is not None else code in (None, 0))
    text = words(found)
    return Outcome(text, _succeeded(text))


def _unboxed(text: str) -> str | _Output:
    try:
        return _BOXED.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text


def _succeeded(text: str) -> bool | None:
    head = text[:_HEAD]
    if exited := _EXITED.search(head):
        return exited[1] == "0"
    if "Process running with session ID" in head:
        return None
    return not head.startswith(_FAILED)


def words(content: str | list[Block] | None) -> str:
    """The text of a message or output; images leave a mark."""
    if not isinstance(content, list):
        return content or ""
    return "".join(block.text or "" if block.text is not None else _mark(block) for block in content)


def _mark(block: Block) -> str:
    return "[image]" if "image" in (block.type or "") else ""


def parent_of(meta: Item) -> str | None:
    """The thread that launched this sub-agent, None where the session is no sub-agent's."""
    source = bytes(meta.source)
    if meta.thread_source != "subagent" and not source.startswith(b'{"subagent"'):
        return None
    named = re.search(rb'"parent_thread_id":"([^"]+)"', source)
    return meta.parent_thread_id or (named[1].decode("utf-8", "replace") if named else None) or meta.forked_from_id
