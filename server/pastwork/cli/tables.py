"""Answers as tables for people; text of transcripts is shown with its hidden characters as marks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pastwork.age import ago
from pastwork.cli.people import notes, text
from pastwork.marks import visible
from pastwork.shapes import (
    BlameAnswer,
    HistoryAnswer,
    Hit,
    Match,
    RoomAnswer,
    RoomCount,
    RoomsAnswer,
    SearchAnswer,
    Snippet,
)

#: Files named beside a hit.
_FILES_SHOWN = 3


def search_table(out: Console, answer: SearchAnswer, now: datetime) -> None:
    """Ranked exchanges: what each was about, and its best passage with the words that were asked for."""
    if answer.hits:
        out.print(_hits(answer.hits, now, passages=True))
        count = len(answer.hits)
        shown = f"{count} of {answer.total} exchanges" if answer.total > count else _count(count, "exchange")
        where = "in this workspace" if answer.scope == "workspace" else "in all projects"
        out.print(Text(f"{shown} {where} · {answer.took_ms:.0f} ms · pastwork show ID", style="dim"))
    else:
        everywhere = "" if answer.scope == "all" else " `--scope all` looks in every project."
        out.print(Text(f"No past exchange matches.{everywhere} `pastwork status` shows what is indexed."))
    notes(out, answer.notes)


def room_table(out: Console, answer: RoomAnswer, now: datetime) -> None:
    room = answer.room
    title = text(f"{room.room_type}:{room.room_key}", "bold")
    out.print(title.append(f" · {_count(room.exchanges, 'exchange')}", style="dim"))
    out.print(_hits(answer.hits, now, passages=False))
    notes(out, answer.notes)


def rooms_table(out: Console, answer: RoomsAnswer, now: datetime) -> None:
    if answer.rooms:
        table = plain_table(
            ("room", {"overflow": "fold", "ratio": 1}), ("exchanges", {"justify": "right"}), ("last", {})
        )
        for room in answer.rooms:
            table.add_row(_room_name(room), str(room.exchanges), ago(room.last, now))
        out.print(table)
        out.print(Text("pastwork rooms ROOM lists the exchanges of one", style="dim"))
    else:
        out.print(
            Text("No rooms here yet. `pastwork index` reads your agents' transcripts; `--scope all` looks everywhere.")
        )
    notes(out, answer.notes)


def history_table(out: Console, answer: HistoryAnswer, now: datetime) -> None:
    """By tier; how much of each exchange's work stands today."""
    if answer.silence:
        out.print(text(answer.silence), soft_wrap=True)
    if answer.matches:
        table = plain_table(
            ("id", {"no_wrap": True}),
            ("tier", {}),
            ("when", {}),
            ("agent", {}),
            ("what", {"ratio": 1, "overflow": "fold"}),
            ("stands", {}),
        )
        for match in answer.matches:
            hit = match.hit
            table.add_row(
                Text(hit.id, "cyan"),
                match.tier,
                ago(hit.started_at, now),
                text(hit.agent),
                _what(hit),
                Text(_stands(match)),
            )
        out.print(table)
        out.print(Text("pastwork show ID opens the verbatim", style="dim"))
    notes(out, answer.notes)


def blame_table(out: Console, answer: BlameAnswer, content: str) -> None:
    """The file with the exchange beside each line that one is known to have written."""
    if answer.silence:
        out.print(text(answer.silence), soft_wrap=True)
        return
    writers = {line.line: line.exchange_id for line in answer.lines}
    lines = visible(content).split("\n")
    width = len(str(len(lines)))
    before = ""
    for number, line in enumerate(lines, 1):
        writer = writers.get(number, "")
        mark = (writer if writer != before else "  ┆" if writer else "").ljust(16)
        before = writer
        out.print(Text.assemble((mark, "cyan"), (f" {number:>{width}} ", "dim"), line), soft_wrap=True)


def snippet_text(snippet: Snippet) -> Text:
    """The passage on one line, with the marked words in bold."""
    units = snippet.text.encode("utf-16-le", "surrogatepass")
    passage = Text(style="dim")
    at = 0
    for start, end in snippet.marks:
        passage.append(_piece(units, at, start))
        passage.append(_piece(units, start, end), style="bold not dim")
        at = end
    passage.append(_piece(units, at, len(units) // 2))
    return passage


def _piece(units: bytes, start: int, end: int) -> str:
    """UTF-16 units ``start`` to ``end`` as text fit for one line."""
    return visible(units[2 * start : 2 * end].decode("utf-16-le", "replace")).replace("\n", " ").replace("\t", " ")


def _hits(hits: Iterable[Hit], now: datetime, passages: bool) -> Table:
    table = plain_table(
        ("id", {"no_wrap": True}), ("when", {}), ("agent", {}), ("what", {"ratio": 1, "overflow": "fold"})
    )
    for hit in hits:
        what = _what(hit)
        if hit.session_note:
            what.append(" · ", style="dim").append_text(text(hit.session_note, "dim"))
        if passages and hit.snippet.text:
            what = what.append("\n").append_text(snippet_text(hit.snippet))
        table.add_row(Text(hit.id, "cyan"), ago(hit.started_at, now), text(hit.agent), what)
    return table


def _what(hit: Hit) -> Text:
    """The core, what kind of exchange it was, and the files it changed."""
    what = text(hit.object.exchange_core or hit.prompt)
    if hit.fix:
        what.append(" fix", style="green")
    if hit.open:
        what.append(" running", style="yellow")
    changed = [file.path for file in hit.object.files_touched if file.action in ("edited", "created", "deleted")]
    if changed:
        more = f" +{len(changed) - _FILES_SHOWN}" if len(changed) > _FILES_SHOWN else ""
        what.append(" · ", style="dim").append_text(text(", ".join(changed[:_FILES_SHOWN]) + more, "dim"))
    return what


def _stands(match: Match) -> str:
    if match.undone:
        return "undone"
    if match.replaced_by:
        return f"replaced by {match.replaced_by}"
    if match.survival is not None:
        return f"{match.survival:.0%}"
    return match.action


def _room_name(room: RoomCount) -> Text:
    return Text(f"{room.room_type}:", style="dim").append_text(text(room.room_key, "cyan"))


def plain_table(*columns: tuple[str, dict[str, object]]) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim", expand=True)
    for name, settings in columns:
        table.add_column(name, **settings)  # type: ignore[arg-type]
    return table


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
