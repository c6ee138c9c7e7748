"""``pastwork doctor``: what is wrong, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.shapes import DoctorAnswer


@click.command("doctor", epilog="Example: pastwork doctor")
@with_app
def command(app: App) -> int:
    """Check folders, rights, transcripts, model, Ollama and store; exit code 1 when something fails."""
    from pastwork.palace.doctor import examine
    from pastwork.palace.scope import workspace_of
    from pastwork.transcripts.base import Env
    from pastwork.transcripts.registry import READERS

    env = Env(app.home, app.variables, (workspace_of(app.folder),))
    answer = examine(app.data, app.config, env, READERS, app.notes)
    app.answer(answer, lambda out: _print(out, answer))
    return 1 if any(finding.level == "fail" for finding in answer.findings) else 0


def _print(out: Console, answer: DoctorAnswer) -> None:
    from pastwork.cli.people import text

    marks = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}
    for finding in answer.findings:
        mark, style = marks[finding.level]
        out.print(text(f"{mark} {finding.what}", style), soft_wrap=True)
        if finding.remedy:
            out.print("  ", text(finding.remedy), sep="", soft_wrap=True)
