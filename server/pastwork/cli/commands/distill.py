"""``pastwork distill``: other palace objects for exchanges that are kept."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from pastwork.cli.app import App
from pastwork.cli.options import with_app
from pastwork.shapes import DistillAnswer

if TYPE_CHECKING:
    from rich.console import Console

INTERRUPTED = 130


@click.command("distill", epilog="Example: pastwork distill --dry-run")
@click.option("--provider", type=click.Choice(["extractive", "ollama"]), help="Who distils; default: the settings'.")
@click.option("--model", metavar="M", help="The Ollama model; default: the settings'.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many exchanges, the newest first.")
@click.option("--dry-run", is_flag=True, help="Only say how many there are and how long they would take.")
@with_app
def command(app: App, provider: str | None, model: str | None, limit: int | None, dry_run: bool) -> int:
    """Distil exchanges again: those that somebody else distilled. What it will cost is said first.

    It can be interrupted and goes on where it was; rooms and the verbatim stay as they are.
    """
    if (provider or app.config.distill.provider) == "ollama":
        return _by_ollama(app, model or app.config.distill.model, limit, dry_run)
    return _extractive(app, limit, dry_run)


def _by_ollama(app: App, model: str, limit: int | None, dry_run: bool) -> int:
    """Raises Unavailable where Ollama does not answer or lacks the model."""
    from pastwork.cli.interrupt import asked_to_stop
    from pastwork.cli.progress import Bar
    from pastwork.distill.ollama import Limits, OllamaDistiller
    from pastwork.store.reader import StoreReader
    from pastwork.sync.handover import borrow
    from pastwork.sync.upgrade import Run, estimate, upgrade, waiting

    threads = max(1, (os.cpu_count() or 2) - 1)  # a core stays free
    distiller = OllamaDistiller(model, app.config.distill.url, Limits(threads=threads))
    with distiller, StoreReader.open(app.data) as store:
        distiller.check()
        rows, later = waiting(store, distiller.name, limit or app.config.distill.budget or None)
        seconds = estimate(store, distiller.name, len(rows))
        if dry_run or not rows:
            _show(app, DistillAnswer(0, 0, len(rows) + later, seconds))
            return 0
        _tell_cost(app, len(rows), seconds)
        with asked_to_stop() as stop, Bar(wanted=not app.as_json) as bar:
            run = Run(
                lambda: borrow(app.data),
                masking=app.config.redact.enabled,
                stop=stop,
                told=lambda at, of: bar.tell("distilling", at, of),
            )
            done = upgrade(store, rows, distiller, run)
            stopped = stop()
    _show(app, replace(done, left=done.left + later))
    return INTERRUPTED if stopped else 0


def _extractive(app: App, limit: int | None, dry_run: bool) -> int:
    from pastwork.cli.interrupt import asked_to_stop
    from pastwork.cli.progress import Bar
    from pastwork.store.reader import StoreReader
    from pastwork.sync.handover import borrow
    from pastwork.sync.redistil import estimate, redistil, waiting

    masking = app.config.redact.enabled
    with StoreReader.open(app.data) as store:
        rows, later = waiting(store, limit)
        seconds = estimate(store, rows, masking)
    if dry_run or not rows:
        _show(app, DistillAnswer(0, 0, len(rows) + later, seconds))
        return 0
    _tell_cost(app, len(rows), seconds)
    with borrow(app.data) as writer, asked_to_stop() as stop, Bar(wanted=not app.as_json) as bar:
        done = redistil(writer, rows, masking, stop, lambda at, of: bar.tell("distilling", at, of))
        stopped = stop()
    _show(app, DistillAnswer(done.distilled, 0, done.left + later, seconds))
    return INTERRUPTED if stopped else 0


def _tell_cost(app: App, count: int, seconds: float) -> None:
    if not app.as_json:
        from pastwork.cli.people import warn

        warn(f"{count} exchanges, about {max(seconds, 1):.0f} s")


def _show(app: App, answer: DistillAnswer) -> None:
    app.answer(answer, lambda out: _print(out, answer))


def _print(out: Console, answer: DistillAnswer) -> None:
    from rich.text import Text

    from pastwork.cli.people import notes

    if not answer.distilled and not answer.left:
        out.print(Text("Nothing to do: every object was made by this distiller."))
        return
    left = f", {answer.left} left (about {answer.estimate_s:.0f} s)" if answer.left else ""
    kept = f", {answer.kept_extractive} kept as they were" if answer.kept_extractive else ""
    out.print(Text(f"{answer.distilled} exchanges distilled{kept}{left}"))
    notes(out, answer.notes)
