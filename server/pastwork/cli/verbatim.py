"""One exchange as a person reads it on a terminal."""

from __future__ import annotations

from datetime import datetime

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from pastwork.age import ago
from pastwork.cli.people import notes, passage, text
from pastwork.markdown.exchange import moment, readable_input
from pastwork.shapes import Hit, ShowAnswer, ShownEntry, ShownTool

_SPEAKER = {"user": "You", "assistant": "Agent"}
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def print_verbatim(out: Console, shown: ShowAnswer, now: datetime) -> None:
    """Head, every piece in its order, then where to go from here."""
    _head(out, shown, now)
    speaker = ""
    for entry in shown.verbatim:
        if entry.tool is not None:
            _tool(out, entry.tool)
            speaker = ""
            continue
        if entry.role != speaker:
            speaker = entry.role
            out.print(_speaker(entry))
        out.print(passage(entry.text), soft_wrap=True)
    _ways(out, shown)


def _head(out: Console, shown: ShowAnswer, now: datetime) -> None:
    hit = shown.hit
    out.print(text(hit.object.exchange_core or hit.prompt, "bold"), soft_wrap=True)
    out.print(Text(" · ".join(_circumstances(hit, now)), style="dim"), soft_wrap=True)
    if not shown.source.present:
        out.print(Text("The transcript has been deleted; this is the kept copy.", style="yellow"))
    notes(out, shown.notes)


def _circumstances(hit: Hit, now: datetime) -> list[str]:
    known = [hit.id, hit.agent, f"{ago(hit.started_at, now)}, {moment(hit)}".replace("\\", "")]
    known += [hit.workspace] if hit.workspace else []
    known += [f"branch {hit.branch}"] if hit.branch else []
    known += ["a fix"] if hit.fix else []
    known += ["still running"] if hit.open else []
    return [text(part).plain for part in known]


def _speaker(entry: ShownEntry) -> Rule:
    at = f" {text(entry.time[11:16]).plain}" if entry.time else ""
    return Rule(Text(_SPEAKER.get(entry.role, entry.role) + at, style="bold"), align="left", style="dim")


def _tool(out: Console, tool: ShownTool) -> None:
    outcome = {True: "", False: " failed", None: " no result"}[tool.ok]
    title = Text.assemble(
        "▸ ", text(tool.name, "bold"), " ", text(tool.summary), (outcome, "red" if tool.ok is False else "dim")
    )
    out.print(title, soft_wrap=True)
    if tool.diff:
        for line in passage(tool.diff).plain.splitlines():
            out.print(Text(f"  {line}", style=_DIFF_STYLES.get(line[:1], "")), soft_wrap=True)
    else:
        given = readable_input(tool)
        if given:
            _indented(out, given[0], "")
    if tool.output:
        _indented(out, tool.output, "dim")


def _indented(out: Console, value: str, style: str) -> None:
    for line in passage(value).plain.splitlines():
        out.print(Text(f"  {line}", style=style), soft_wrap=True)


def _ways(out: Console, shown: ShowAnswer) -> None:
    out.print(Rule(style="dim"))
    lines = [
        ("resume", shown.resume),
        ("previous", shown.previous and f"pastwork show {shown.previous}"),
        ("next", shown.next and f"pastwork show {shown.next}"),
        ("from", shown.source.path),
    ]
    for name, value in lines:
        if value:
            out.print(Text.assemble((f"{name:<9}", "dim"), text(value)), soft_wrap=True)
