"""A file's or line's history as a Markdown page, for editors that have no list of their own for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from pastwork.age import ago
from pastwork.markdown import code, escape
from pastwork.shapes import HistoryAnswer, Match


def history_page(answer: HistoryAnswer, files: Mapping[str, str], now: datetime) -> str:
    """``files`` are the verbatims' own files, by exchange id; each entry links to its own."""
    where = code(answer.file) + (f", line {answer.line}" if answer.line else "")
    parts = [f"# Past work on {where}"]
    if answer.silence:
        parts.append(escape(answer.silence))
    parts += [_entry(match, files.get(match.hit.id), now) for match in answer.matches]
    parts += [f"*{escape(note)}*" for note in answer.notes]
    return "\n\n".join(parts) + "\n"


def _entry(match: Match, file: str | None, now: datetime) -> str:
    hit = match.hit
    title = escape(hit.object.exchange_core or hit.prompt or hit.id)
    link = f"[verbatim](<{Path(file).as_uri()}>)" if file else ""
    context = escape(hit.object.specific_context)
    return "\n\n".join(part for part in (f"## {title}", context, " · ".join([*_facts(match, now), link])) if part)


def _facts(match: Match, now: datetime) -> Iterator[str]:
    hit = match.hit
    yield escape(hit.agent)
    if when := ago(hit.started_at, now):
        yield when
    if hit.fix:
        yield "a fix"
    if hit.open:
        yield "still at work"
    yield {"line": "wrote " + runs(match.lines), "symbol": "this function", "file": f"{match.action} this file"}[
        match.tier
    ]
    if match.survival is not None:
        yield f"{match.survival:.0%} of its lines stand"
    if match.undone:
        yield "undone"
    elif match.replaced_by:
        yield "later replaced"


def runs(lines: tuple[tuple[int, int], ...], most: int = 3) -> str:
    """``lines 3-9, 12 and 2 more runs``."""
    shown = ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in lines[:most])
    more = f" and {len(lines) - most} more runs" if len(lines) > most else ""
    return f"lines {shown}{more}"
