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

#: Begins the summary of a sub-agent's call.
BELOW = "↳ "
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
    below: bool = False,
) -> None:
    """One call; with ``ok`` where its result is already known. ``below``: a sub-agent's, kept as a trace."""
    text, arguments = opened(given)
    edits = tool_edits.changes(name or "", arguments)
    shown = summary(build, arguments, edits)
    build.call(
        name or "",
        ref=ref or None,
        arguments=calls.trace(arguments) if below else text,
        summary=BELOW + shown if below else shown,
        output=calls.cut(output) if below else output,
        ok=ok,
        edits=edits,
        reads=tool_edits.reads(name or "", arguments),
        time=time,
    )


def result(
    build: Builder,
    ref: str | None,
    output: str = "",
    *,
    ok: bool = True,
    diff: str | None = None,
    time: Time = None,
    below: bool = False,
) -> None:
    """A call's result; a ``diff`` of it has the line numbers that the arguments lack."""
    known = build.draft.calls.get(ref or "") if build.draft else None
    edits = tool_edits.diffed(diff, known.edits) if diff and known and known.edits else ()
    build.result(ref or None, calls.cut(output) if below else output, ok=ok, edits=edits or None, time=time)


def changed(build: Builder, edit: Edit, *, name: str = "edit", ref: str | None = None, time: Time = None) -> None:
    """A change that the transcript tells apart from the calls that made it."""
    arguments = msgspec.json.encode({"file_path": edit.path}).decode()
    summary = calls.line(edit.path)
    build.call(name, ref=ref, arguments=arguments, summary=summary, ok=True, edits=(edit,), time=time)


def summary(build: Builder, given: Mapping[str, object], edits: tuple[Edit, ...] = ()) -> str:
    """A call in one line: what it is about, else the file that it names."""
    cwd = build.draft.cwd if build.draft else None
    path = edits[0].path if edits else tool_edits.path_of(given) or ""
    return calls.summary(given, cwd) or calls.line(calls.relative(path, cwd))


def opened(given: Given) -> tuple[str, Mapping[str, object]]:
    """Arguments as JSON text and as an object; text that is no JSON object becomes ``{"input": text}``."""
    if isinstance(given, Mapping):
        return msgspec.json.encode(given).decode(), given
    text = given if isinstance(given, str) else bytes(given or b"").decode("utf-8", "replace")
    if text.startswith('"'):
        text = _string(text)
    found = calls.arguments(text)
    if not found and text.strip() and "".join(text.split()) != "{}":
        found = {"input": text}
        return msgspec.json.encode(found).decode(), found
    return text if found else "{}", found


def plain(output: str) -> str:
    """A result that was kept as JSON: a string's own text, anything else as it stands."""
    return _string(output) if output.startswith('"') else output


def _string(text: str) -> str:
    try:
        return msgspec.json.decode(text, type=str)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return text
