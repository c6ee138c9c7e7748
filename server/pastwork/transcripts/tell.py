"""Tells a builder of tool calls by name and JSON arguments; what they do to files comes from ``tool_edits``.

Most agents record a call as name, arguments and result; this is all that their readers need.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Raw

from pastwork.model import Edit
from pastwork.transcripts import calls, tool_edits
from pastwork.transcripts.builder import Builder, Time

#: A call's arguments as the transcript has them: JSON text, maybe a string that holds it, or an object.
Given = Raw | bytes | str | Mapping[str, object] | None


def call(
    build: Builder,
    name: str | None,
    given: Given,
    *,
    ref: str | None = None,
    output: str = "",
    ok: bool | None = None,
    time: Time = None,
) -> None:
    """One call; with ``ok`` where its result is already known."""
    text, arguments = opened(given)
    build.call(
        name or "",
        ref=ref or None,
        arguments=text,
        summary=calls.summary(arguments, build.draft.cwd if build.draft else None),
        output=output,
        ok=ok,
        edits=tool_edits.changes(name or "", arguments),
        reads=tool_edits.reads(name or "", arguments),
        time=time,
    )


def result(
    build: Builder, ref: str | None, output: str = "", *, ok: bool = True, diff: str | None = None, time: Time = None
) -> None:
    """A call's result; a ``diff`` of it has the line numbers that the arguments lack."""
    known = build.draft.calls.get(ref or "") if build.draft else None
    edits = tool_edits.diffed(diff, known.edits) if diff and known and known.edits else ()
    build.result(ref or None, output, ok=ok, edits=edits or None, time=time)


def changed(build: Builder, edit: Edit, *, name: str = "edit", ref: str | None = None, time: Time = None) -> None:
    """A change that the transcript tells apart from the calls that made it."""
    arguments = msgspec.json.encode({"file_path": edit.path}).decode()
    summary = calls.line(edit.path)
    build.call(name, ref=ref, arguments=arguments, summary=summary, ok=True, edits=(edit,), time=time)


def opened(given: Given) -> tuple[str, Mapping[str, object]]:
    """Arguments as JSON text and as an object; text that is no JSON object becomes ``{"input": text}``."""
    if isinstance(given, Mapping):
        return msgspec.json.encode(given).decode(), given
    text = given if isinstance(given, str) else bytes(given or b"").decode("utf-8", "replace")
    if text.startswith('"'):
        text = _string(text)
    found = calls.arguments(text)
    if not found and text.strip() and not text.lstrip().startswith("{"):
        found = {"input": text}
        return msgspec.json.encode(found).decode(), found
    return text or "{}", found


def plain(output: str) -> str:
    """A result that was kept as JSON: a string's own text, anything else as it stands."""
    return _string(output) if output.startswith('"') else output


def _string(text: str) -> str:
    try:
        return msgspec.json.decode(text, type=str)
    except (msgspec.DecodeError, ValueError):
        return text
