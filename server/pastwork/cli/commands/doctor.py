"""``pastwork doctor``: what is wrong, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app
from pastwork.shapes import DoctorAnswer, Finding

if TYPE_CHECKING:
    from rich.console import Console


@click.command("doctor", epilog="Example: pastwork doctor")
@click.option("--repair", is_flag=True, help="Make a damaged store anew from what can be read; the old file is kept.")
@with_app
def command(app: App, repair: bool) -> int:
    """Check folders, rights, transcripts, model, Ollama, store and agents' MCP settings.

    The exit code is 1 when something fails.
    """
    from pastwork.palace.doctor import examine
    from pastwork.palace.scope import workspace_of
    from pastwork.transcripts.base import Env
    from pastwork.transcripts.registry import READERS

    env = Env(app.home, app.variables, (workspace_of(app.folder),))
    repaired = _repaired(app) if repair else ()
    found = examine(app.data, app.config, env, READERS, app.notes)
    answer = DoctorAnswer((*repaired, *found.findings))
    app.answer(answer, lambda out: _print(out, answer))
    return 1 if any(finding.level == "fail" for finding in answer.findings) else 0


def _repaired(app: App) -> tuple[Finding, ...]:
    """What a repair did; a sound store is left alone."""
    from functools import partial

    from pastwork.palace.doctor import damage
    from pastwork.sync.digest import distil
    from pastwork.sync.repair import repair

    if not damage(app.data):
        return (Finding("ok", "there was nothing to repair"),)
    done = repair(app.data, partial(distil, masking=app.config.redact.enabled))
    said = f"the store was made anew: {done.kept} exchanges saved, {done.lost} lost; the damaged file is {done.aside}"
    findings = [Finding("ok" if not done.lost else "warn", said, "Run `pastwork index`: it reads what is still there.")]
    if not done.forgotten:
        what = "what was forgotten may come back while its transcript exists"
        findings.append(Finding("warn", what, "Forget it again after the next index."))
    return tuple(findings)


def _print(out: Console, answer: DoctorAnswer) -> None:
    from pastwork.cli.people import text

    marks = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}
    for finding in answer.findings:
        mark, style = marks[finding.level]
        out.print(text(f"{mark} {finding.what}", style), soft_wrap=True)
        if finding.remedy:
            out.print("  ", text(finding.remedy), sep="", soft_wrap=True)
