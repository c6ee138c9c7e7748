"""The drill-down: one exchange's verbatim as a Markdown document.

A title, where and when it was, then one section for each piece of the verbatim in its order. Tool
calls are sub-sections, so that any editor folds them by their heading.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pastwork.markdown.inline import code, document_link, escape
from pastwork.markdown.prose import fence, formatted, literal, literal_line
from pastwork.marks import one_line
from pastwork.shapes import Hit, ShowAnswer, ShownEntry, ShownTool

_SPEAKER = {"user": "You", "assistant": "Agent"}
_TITLE_WIDTH = 120


def exchange_document(shown: ShowAnswer, home: str = "") -> str:
    """The whole document, ending in a newline; paths of its head below ``home`` begin with ``~``."""
    return "\n\n".join([*_head(shown, home), *_body(shown.verbatim)]) + "\n"


def _head(shown: ShowAnswer, home: str) -> Iterator[str]:
    hit = shown.hit
    yield f"# {escape(hit.object.exchange_core or hit.prompt[:_TITLE_WIDTH] or hit.id)}"
    yield " · ".join(_circumstances(hit, home))
    if hit.object.specific_context:
        yield literal_line(hit.object.specific_context)
    if hit.object.files_touched:
        yield "Files: " + ", ".join(f"{code(file.path)} ({file.action})" for file in hit.object.files_touched)
    yield f"From {code(_short(shown.source.path, home))}" + (
        "" if shown.source.present else " (deleted since; this is the kept copy)"
    )
    if shown.resume:
        yield f"Resume: {code(shown.resume)}"
    ways = [
        document_link(label, target)
        for label, target in (("← previous exchange", shown.previous), ("next exchange →", shown.next))
        if target
    ]
    if ways:
        yield " · ".join(ways)
    yield from (f"*{escape(note)}*" for note in shown.notes)


def _short(path: str, home: str) -> str:
    inside = path.removeprefix(home) if home else path
    return f"~{inside}" if inside[:1] in ("/", "\\") and inside != path else path


def _circumstances(hit: Hit, home: str) -> Iterator[str]:
    yield f"**{escape(hit.agent)}**"
    yield moment(hit)
    if hit.workspace:
        yield code(_short(hit.workspace, home))
    if hit.branch:
        yield f"branch {code(hit.branch)}"
    if hit.model:
        yield f"model {code(hit.model)}"
    yield f"turn {hit.turn} of session {code(hit.session_id)}"
    if hit.fix:
        yield "a fix"
    if hit.open:
        yield "still running"


def moment(hit: Hit) -> str:
    """When it was, and how that is known where the transcript does not say it exactly."""
    if not hit.started_at:
        return "time unknown"
    known = {"session": " (of its session)", "inferred": " (inferred)", "mtime": " (of its file)"}
    return f"{escape(hit.started_at[:16].replace('T', ' '))} UTC{known.get(hit.time_source, '')}"


def _body(entries: tuple[ShownEntry, ...]) -> Iterator[str]:
    speaker = ""
    for entry in entries:
        if entry.tool is not None:
            yield from _tool(entry.tool)
            speaker = ""
            continue
        if entry.role != speaker:
            yield f"## {_SPEAKER.get(entry.role, entry.role)}{_clock(entry.time)}"
            speaker = entry.role
        yield (literal if entry.role == "user" else formatted)(entry.text)


def _clock(time: str | None) -> str:
    return f" · {escape(time[11:19])}" if time and len(time) > 18 else ""


def _tool(tool: ShownTool) -> Iterator[str]:
    outcome = {True: "", False: " · failed", None: " · no result"}[tool.ok]
    yield f"### {escape(tool.name)} {code(one_line(tool.summary, _TITLE_WIDTH))}".rstrip() + outcome
    if tool.diff:
        yield fence(tool.diff, "diff")
    else:
        given = readable_input(tool)
        if given:
            yield fence(*given)
    if tool.output:
        yield "Output:"
        yield fence(tool.output, "text")


def readable_input(tool: ShownTool) -> tuple[str, str] | None:
    """The call's input as (text, language): a lone command as it is, else JSON; None where the summary says it all."""
    try:
        given = msgspec.json.decode(tool.input)
    except (msgspec.DecodeError, RecursionError):
        return bytes(tool.input).decode("utf-8", "replace"), "text"
    values = [value for value in given.values() if isinstance(value, str)] if isinstance(given, dict) else []
    if not given or (len(values) == len(given) and set(values) == {one_line(tool.summary, _TITLE_WIDTH)}):
        return None
    if len(given) == 1 and isinstance(given, dict) and isinstance(given.get("command"), str):
        return given["command"], "sh"
    return msgspec.json.format(msgspec.json.encode(given), indent=2).decode(), "json"
