"""Lens titles, from memory.

In: a file's past work. Out: the title and command of the lens at the top, and of those on symbols.
Titles are plain text: hidden characters are shown as marks, and editors that draw ``$(name)`` in a
title as an icon find none of a transcript's making.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lsprotocol import types as lsp

from pastwork.age import ago
from pastwork.glance import Glance
from pastwork.marks import one_line

#: Implemented by clients that say so, see ``settings.Abilities``.
OPEN_HISTORY = "pastwork.openHistory"
#: What every other client is given.
SERVER_HISTORY = "pastwork.server.history"
_CORE_WIDTH = 60


def file_title(works: Sequence[Glance], now: datetime) -> str:
    """``4 past exchanges, 2 fixes · last: <core> · 3 weeks ago``."""
    last = newest(works)
    parts = (counts(works), f"last: {plain(last.core)}", ago(last.started_at, now))
    return " · ".join(part for part in parts if part)


def symbol_title(works: Sequence[Glance], now: datetime) -> str:
    """``2 past exchanges · <core> · 3 weeks ago``: what a function or class owes its being to."""
    last = newest(works)
    return " · ".join(part for part in (counts(works), plain(last.core), ago(last.started_at, now)) if part)


def counts(works: Sequence[Glance]) -> str:
    """``4 past exchanges, 2 fixes``."""
    fixes = sum(work.fix for work in works)
    text = _counted(len(works), "past exchange", "past exchanges")
    return f"{text}, {_counted(fixes, 'fix', 'fixes')}" if fixes else text


def newest(works: Sequence[Glance]) -> Glance:
    """The first of those with the latest time."""
    return max(works, key=lambda work: work.started_at or "")


def plain(text: str) -> str:
    return one_line(text, _CORE_WIDTH).replace("$(", "$ (")


def lens(title: str, uri: str, line: int | None, opens_history: bool) -> lsp.CodeLens:
    """``line`` is 1-based; None is the whole file, shown at its top."""
    at = lsp.Position((line or 1) - 1, 0)
    arguments: list[object] = [uri] if line is None else [uri, line]
    command = lsp.Command(title, OPEN_HISTORY if opens_history else SERVER_HISTORY, arguments=arguments)
    return lsp.CodeLens(lsp.Range(at, at), command, data={"uri": uri, "line": line})


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
