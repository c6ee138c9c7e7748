"""How a tool call reads in one line, and how it is kept where only a trace of it is wanted; pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pastwork.transcripts import places

#: Arguments that say best what a call is about, the telling ones first.
_TELLING = (
    "file_path",
    "notebook_path",
    "filePath",
    "path",
    "file",
    "filename",
    "command",
    "cmd",
    "pattern",
    "query",
    "url",
    "skill",
    "subject",
    "description",
    "explanation",
    "question",
    "prompt",
    "message",
)
_LENGTH = 160
_TRACE = 600

Arguments = Mapping[str, object]


def arguments(text: str | bytes) -> Arguments:
    """A call's arguments; empty where they are no JSON object."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def telling(given: Arguments) -> tuple[str, str] | None:
    """The name and text of the argument that says best what the call is about."""
    for name in _TELLING:
        value = given.get(name)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = value[-1] if value[1:2] in (["-c"], ["-lc"]) else " ".join(value)
        if isinstance(value, str) and value.strip():
            return name, value
    return None


def summary(given: Arguments, cwd: str | None = None) -> str:
    """One line of at most 160 characters; paths inside ``cwd`` relative to it."""
    found = telling(given)
    return line(relative(found[1], cwd)) if found else ""


def line(text: str) -> str:
    """The text's first line that is not blank, cut to 160 characters."""
    first = next((each.strip() for each in text.splitlines() if each.strip()), "")
    return first if len(first) <= _LENGTH else first[: _LENGTH - 1] + "…"


def relative(path: str, cwd: str | None) -> str:
    """A path seen from ``cwd``, where it lies below it."""
    if cwd and path[:1] not in {"", "."} and path != cwd and "\n" not in path and places.inside(path, cwd):
        return path[len(places.clean(cwd)) :].lstrip("/\\")
    return path


def trace(given: Arguments) -> str:
    """The call's arguments reduced to the telling one, as JSON text."""
    found = telling(given)
    return msgspec.json.encode({found[0]: cut(found[1])} if found else {}).decode()


def cut(output: str) -> str:
    """The beginning and end of a long text, 600 characters in all."""
    if len(output) <= _TRACE:
        return output
    return f"{output[: _TRACE // 2]}\n[…]\n{output[-_TRACE // 2 :]}"
