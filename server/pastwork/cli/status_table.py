"""``status`` as a person reads it."""

from __future__ import annotations

from datetime import datetime

from rich.console import Console
from rich.text import Text

from pastwork.age import ago
from pastwork.cli.people import notes, text
from pastwork.cli.tables import plain_table
from pastwork.shapes import StatusAnswer

#: Skipped records shown; ``--json`` lists more.
_SKIPPED_SHOWN = 5
RIGHT: dict[str, object] = {"justify": "right"}


def status_table(out: Console, answer: StatusAnswer, now: datetime) -> None:
    """Agents with past work, then what is pending, then what was skipped or not known."""
    seen = {agent: found for agent, found in answer.agents.items() if found.exchanges or found.skipped or found.unknown}
    if seen:
        table = plain_table(
            ("agent", {}),
            *((name, RIGHT) for name in ("sessions", "exchanges", "edits", "skipped", "expiring", "gone")),
            ("last seen", {}),
        )
        for agent, found in sorted(seen.items(), key=lambda pair: -pair[1].exchanges):
            counts = (found.sessions, found.exchanges, found.edits, len(found.skipped), found.expiring, found.gone)
            numbers = (str(count) if count else "·" for count in counts)
            table.add_row(_named(agent, found.evidence), *numbers, ago(found.last_seen, now))
        out.print(table)
    _freshness(out, answer, now)
    _skipped(out, answer)
    _unknown(out, answer)
    notes(out, answer.notes)


def _named(agent: str, evidence: str) -> Text:
    """An agent's name, with a word where its reader was never proven on real transcripts."""
    return text(agent) if evidence == "real" else text(agent).append(f" ({evidence})", "dim")


def _freshness(out: Console, answer: StatusAnswer, now: datetime) -> None:
    index, vectors = answer.index, answer.vectors
    lines = []
    if index.state == "running":
        lines.append(f"indexing: {index.done} of {index.total}")
    elif index.finished_at:
        lines.append(f"last indexed {ago(index.finished_at, now)}")
    lines.append(f"vectors: {vectors.ready} ready, {vectors.pending} pending")
    if answer.store.path:
        lines.append(f"store: {answer.store.path}, {answer.store.bytes / 1e6:.1f} MB")
    if answer.writer.pid:
        lines.append(f"kept up to date by process {answer.writer.pid}")
    for line in lines:
        out.print(text(line, "dim"), soft_wrap=True)


def _skipped(out: Console, answer: StatusAnswer) -> None:
    skipped = [(agent, each) for agent, found in answer.agents.items() for each in found.skipped]
    for agent, each in skipped[:_SKIPPED_SHOWN]:
        out.print(
            text(f"skipped ({agent}): {each.file} at byte {each.offset}: {each.reason}", "yellow"), soft_wrap=True
        )
    if len(skipped) > _SKIPPED_SHOWN:
        out.print(Text(f"… and {len(skipped) - _SKIPPED_SHOWN} more; `pastwork status --json` lists them", style="dim"))


def _unknown(out: Console, answer: StatusAnswer) -> None:
    for agent, found in answer.agents.items():
        if found.unknown:
            kinds = ", ".join(f"{kind} (in {files} file{'s' * (files > 1)})" for kind, files in found.unknown.items())
            out.print(text(f"unknown types of records ({agent}): {kinds}", "dim"), soft_wrap=True)
