"""The drill-down: one exchange's original text with everything around it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from pastwork.errors import BadUsage, NotFound, StoreUnusable
from pastwork.marks import one_line
from pastwork.model import Entry, ToolCall
from pastwork.palace.hits import hit
from pastwork.palace.resume import resume_command
from pastwork.shapes import ShowAnswer, ShownEntry, ShownTool, Source
from pastwork.store.reader import StoreReader
from pastwork.store.records import Kept
from pastwork.there import is_there

#: Ids that an error names.
_NAMED = 5
REWRITTEN = (
    "the transcript was rewritten since it was read; this is the kept copy, `pastwork index` takes the change up"
)


def show(store: StoreReader, exchange_id: str) -> ShowAnswer:
    """Raises NotFound, and StoreUnusable where the kept text is damaged."""
    kept = find(store, exchange_id)
    try:
        entries = store.verbatim(kept.row).entries
    except ValueError as error:
        raise StoreUnusable(
            f"the kept text of {kept.id} is damaged: {error}", "Run `pastwork verify`, then `pastwork index --full`."
        ) from error
    path, present = _source(store, kept.row)
    notes = (REWRITTEN,) if present and _rewritten(store, kept.agent, Path(path)) else ()
    previous, following = store.neighbours(kept.row)
    return ShowAnswer(
        id=kept.id,
        hit=hit(kept),
        verbatim=tuple(_entry(entry) for entry in entries),
        source=Source(path, present),
        previous=previous,
        next=following,
        resume=resume_command(kept.agent, kept.session_id) if present else None,
        notes=notes,
    )


def find(store: StoreReader, exchange_id: str, rows: Collection[int] | None = None) -> Kept:
    """By the id or a beginning that no other has, whatever its case; ``rows`` are those that may be found.

    Raises NotFound, and BadUsage where several ids begin so.
    """
    asked = exchange_id.strip().lower()
    whole = store.row_of(asked)
    found = [whole] if whole is not None else list(store.beginning(asked))
    likely = [row for row in found if rows is None or row in rows]
    if not likely:
        raise NotFound(
            f"no exchange has the id {one_line(exchange_id, 40)}",
            "Take an id from `pastwork search` or `pastwork history`.",
        )
    kept = store.kept(likely[:_NAMED])
    if len(likely) > 1:
        names = ", ".join(kept[row].id for row in likely if row in kept)
        raise BadUsage(f"{len(likely)} exchanges have ids that begin with {asked}", f"Take one of {names}.")
    return kept[likely[0]]


def _source(store: StoreReader, row: int) -> tuple[str, bool]:
    """Looked at anew: the transcript may have gone since the last index."""
    path, present = store.source_of(row)
    return path, present and is_there(Path(path))


def _rewritten(store: StoreReader, agent: str, path: Path) -> bool:
    """Whether the transcript is another than the one that was read; one that only grew is not."""
    state = store.source_state(agent, path)
    try:
        found = path.stat()
    except OSError:
        return False
    if state is None or not state.size:
        return False
    return found.st_size < state.size or (found.st_size == state.size and found.st_mtime_ns != state.mtime_ns)


def _entry(entry: Entry) -> ShownEntry:
    return ShownEntry(entry.role, entry.time, entry.text, None if entry.tool is None else _tool(entry.tool))


def _tool(tool: ToolCall) -> ShownTool:
    return ShownTool(tool.name, tool.summary, _input(tool.input_json), tool.output, tool.diff, tool.ok)


def _input(text: str) -> msgspec.Raw:
    """The call's JSON as it was; what is no JSON is shown as one text."""
    data = text.encode("utf-8", "replace")
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
        msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return msgspec.Raw(msgspec.json.encode({"text": text}))
    return msgspec.Raw(data)
