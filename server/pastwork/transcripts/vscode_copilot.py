"""Copilot Chat in VS Code and its kin: ``chatSessions/<id>.json``, since 1.109 a mutation log ``.jsonl``.

Both are read whole (any line of a log can change all before it). A request is an exchange: its
response's Markdown pieces and the references between them make the answer's sentences; what was
applied to files stands in text edit groups, whose ranges are those at edit time, and what the user
undid in the request's file events. ``GitHub.copilot-chat/transcripts`` hold the same sessions as events.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import structs
from msgspec.json import Decoder

from pastwork.model import Edit, Hunk, Problem, Session
from pastwork.transcripts import calls, copilot_cli, mended_json, patches, roots, tell, times, tool_edits, uris
from pastwork.transcripts import vscode_copilot_rows as r
from pastwork.transcripts.base import Env, Item, Position, Source
from pastwork.transcripts.builder import Builder
from pastwork.transcripts.cursor_state import folder_of
from pastwork.transcripts.faults import Faults
from pastwork.transcripts.folders import FolderReader, mtime
from pastwork.transcripts.jsonl import Row, rows
from pastwork.transcripts.mutation_log import Change, replay
from pastwork.transcripts.not_prompts import typed

AGENT = "vscode-copilot"
_UNDONE = 2
_MARKDOWN = "markdownContent"
#: Kinds of a response's pieces that are known, most of them without words.
_KINDS = frozenset(
    {_MARKDOWN, "markdownVuln", "inlineReference", "textEditGroup", "notebookEditGroup", "toolInvocationSerialized"}
    | {"toolInvocation", "prepareToolInvocation", "thinking", "codeblockUri", "undoStop", "reference", "references"}
    | {"progressMessage", "progressTask", "progressTaskSerialized", "command", "warning", "confirmation", "treeData"}
    | {"elicitation", "elicitation2", "elicitationSerialized", "extensions", "pullRequest", "mcpServersStarting"}
    | {"mcpServersStartingSlow", "multiDiffData", "codeCitation", "move", "textEdit", "notebookEdit", "hook", "agent"}
    | {"workspaceEdit", "externalEdit", "questionCarousel", "disabledClaudeHooks", "usage", "userActionRequired"}
)
_CHANGES_KNOWN = range(4)
_CHANGES: Decoder[Change] = Decoder(Change)


def read(source: Source, since: Position | None = None, *, clock: Callable[[], float] = time.time) -> Iterator[Item]:
    """The session's exchanges as it stands now."""
    folder = source.workspace or folder_of(source.path.parent)
    if source.path.parent.name == "transcripts":
        folder = source.workspace or folder_of(source.path.parent.parent)
        yield from copilot_cli.read(structs.replace(source, workspace=folder), since, agent=AGENT, clock=clock)
        return
    chat: r.Chat | None = None
    faults = Faults(source.path, _KINDS)
    for found in _loaded(source.path, faults):
        if isinstance(found, Problem):
            yield found
        else:
            chat = found
    yield from faults.taken()
    if chat is None or not chat.requests:
        return
    started = times.utc(chat.created, clock())
    session = Session(AGENT, chat.session_id or source.path.stem, chat.title or "", started_at=started)
    build = Builder.start(session, now=clock(), mtime=mtime(source.path), signs=True)
    build.context(cwd=folder)
    for request in mended_json.each(chat.requests, r.REQUEST, faults, "request"):
        yield from _tell(build, request, faults)
    yield from faults.taken()
    yield from build.finish()


def _loaded(path: Path, faults: Faults) -> Iterator[r.Chat | Problem]:
    if path.suffix == ".json":
        document = mended_json.document(path, r.CHAT, faults)
        yield document
        return
    changes: list[Change] = []
    for row in rows(path, _CHANGES):
        if isinstance(row, Problem):
            yield row
        else:
            changes.append(row.value)
        if isinstance(row, Row) and not row.saved and row.value.kind not in _CHANGES_KNOWN:
            faults.knows(f"kind {row.value.kind}" if row.value.kind >= 0 else None, row.offset)
    state = replay(changes)
    chat = mended_json.value(msgspec.json.encode(state), r.CHAT) if isinstance(state, dict) else None
    yield chat or r.Chat()


def _tell(build: Builder, request: r.Request, faults: Faults) -> Iterator[Item]:
    message = request.message
    text = typed(message if isinstance(message, str) else (message.text if message else None) or "")
    if text is None:
        return
    own = request.request_id
    prompt_id = own if len(own) > len("request_") + 8 else None
    yield from build.prompt(text, offset=0, prompt_id=prompt_id, time=request.timestamp)
    build.context(model=request.model)
    items = mended_json.each(request.response, r.ITEM, faults, f"{request.request_id}, piece")
    for item in items:
        faults.knows((item.kind if isinstance(item, r.Item) else None) or _MARKDOWN)
    metadata = (request.result.metadata if request.result else None) or r.Metadata()
    waiting = _calls(metadata)
    events = mended_json.each(request.edited, r.EDITED)
    undone = {_path(event.uri) for event in events if event.kind == _UNDONE}
    applied = _applied(items)
    words: list[str] = []
    for item in items:
        said = item if isinstance(item, str) else _said(item)
        if said is not None:
            words.append(said)
            continue
        build.answer("".join(words))
        words = []
        if isinstance(item, r.Item) and item.kind == "toolInvocationSerialized":
            _invoked(build, item, _matching(waiting, item), metadata, applied.keys() | undone)
    build.answer("".join(words))
    for call in waiting.values():
        _invoked(build, None, call, metadata, applied.keys() | undone)
    named = [_path(event.uri) for event in events]
    _edited(build, applied, named, undone)
    if request.result is not None:
        build.ended()


def _said(item: r.Item) -> str | None:
    """What a piece adds to a sentence; None for pieces that are no words."""
    if item.kind is None or item.kind in ("markdownContent", "markdownVuln"):
        return item.value or (item.content if isinstance(item.content, str) else _words(item.content))
    if item.kind == "inlineReference" and item.reference is not None:
        found = item.reference
        path = found.path or found.fs_path or (found.uri.path if found.uri else None) or ""
        return f"`{item.name or found.name or path.rpartition('/')[2]}`"
    return None


def _words(text: str | r.Words | None) -> str:
    return text if isinstance(text, str) else (text.value if text else None) or ""


def _calls(metadata: r.Metadata) -> dict[str, r.ToolCall]:
    found: dict[str, r.ToolCall] = {}
    for each in mended_json.each(metadata.rounds, r.ROUND):
        for call in mended_json.each(each.calls, r.CALL):
            found.setdefault(call.id or f"#{len(found)}", call)
    return found


def _matching(waiting: dict[str, r.ToolCall], item: r.Item) -> r.ToolCall | None:
    """The call that an invocation shows: by its id, else the first of that tool."""
    named = (own for own, call in waiting.items() if call.name == item.tool_id and not item.call_id)
    return waiting.pop(item.call_id or next(named, ""), None)


def _invoked(
    build: Builder, item: r.Item | None, call: r.ToolCall | None, metadata: r.Metadata, settled: Iterable[str]
) -> None:
    """A tool call; its edits count only where no edit group tells better what became of the file."""
    name = (call.name if call else None) or (item.tool_id if item else None) or ""
    text, given = tell.opened(call.arguments if call else None)
    edits = [edit for edit in tool_edits.changes(name, given) if edit.path not in settled]
    said = calls.line(_words(item.past) or _words(item.message)) if item else ""
    build.call(
        name,
        arguments=text,
        summary=tell.summary(build, given) or said,
        output=_output(metadata.results, call.id if call else None),
        ok=not (item and item.complete is False),
        edits=[edit for edit in edits if edit.hunks],
        reads=tool_edits.reads(name, given),
    )


def _output(results: Mapping[str, msgspec.Raw], call_id: str | None) -> str:
    """The text values of a result, which is a tree of parts."""
    data = results.get(call_id or "")
    return "\n".join(_values(mended_json.value(data, _ANY), 20)) if data is not None else ""


_ANY: Decoder[object] = Decoder()


def _values(node: object, depth: int) -> Iterator[str]:
    if isinstance(node, dict) and depth:
        if isinstance(text := node.get("value", node.get("text")), str):
            yield text
        for child in node.values():
            yield from _values(child, depth - 1)
    elif isinstance(node, list) and depth:
        for child in node:
            yield from _values(child, depth - 1)


def _applied(items: Iterable[str | r.Item]) -> dict[str, list[Hunk]]:
    """The hunks of each file's edit groups; none for notebooks, whose cells have no lines of the file."""
    found: dict[str, list[Hunk]] = {}
    for item in items:
        if isinstance(item, r.Item) and item.kind in ("textEditGroup", "notebookEditGroup") and item.uri:
            hunks = found.setdefault(_path(item.uri), [])
            if item.kind == "textEditGroup":
                batches = mended_json.each(item.edits, r.EDITS)
                hunks += [hunk for batch in batches for edit in batch if (hunk := _hunk(edit))]
    return found


def _hunk(edit: r.TextEdit) -> Hunk | None:
    """The whole lines that an edit wrote; the part of a line that it began in is not one."""
    lines = patches.lines_of(edit.text)
    start = edit.range.start if edit.range else None
    if edit.range and edit.range.column > 1:
        lines, start = lines[1:], edit.range.start + 1
    return Hunk(tuple(f"+{line}" for line in lines), start, start) if lines else None


def _edited(build: Builder, applied: Mapping[str, list[Hunk]], named: Iterable[str], undone: set[str]) -> None:
    for path in dict.fromkeys((*applied, *named)):
        hunks = tuple(applied.get(path, ()))
        if path and path not in undone:
            tell.changed(build, Edit(path, "edited", hunks, "patch" if hunks else "named"))


def _path(uri: r.Uri | None) -> str:
    if uri is None:
        return ""
    if uri.external:
        return uris.path_of(uri.external)
    path = uri.path or uri.fs_path or ""
    return path[1:] if path[2:3] == ":" and path.startswith("/") else path


def _places(env: Env) -> tuple[Path, ...]:
    return roots.users(env)


VSCODE_COPILOT = FolderReader(
    agent=AGENT,
    proof="fixture-only",
    places=_places,
    patterns=(
        "workspaceStorage/*/chatSessions/*.jsonl",
        "workspaceStorage/*/chatSessions/*.json",
        "workspaceStorage/*/GitHub.copilot-chat/transcripts/*.jsonl",
        "globalStorage/emptyWindowChatSessions/*.json*",
        "globalStorage/transferredChatSessions/*.json*",
    ),
    reading=read,
    loose=("*.jsonl", "*.json"),
)
