"""``pastwork index``: one pass over all transcripts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app
from pastwork.errors import BadUsage

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from pastwork.cli.progress import Bar
    from pastwork.shapes import IndexAnswer

INTERRUPTED = 130


@click.command("index", epilog='Example: pastwork index --scan "$HOME/code"')
@click.option(
    "--agent", "agents", multiple=True, metavar="A", help="Only this agent's transcripts. May be given again."
)
@click.option(
    "--scan",
    "scans",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Also look below DIR for transcripts that agents keep in projects; remembered. May be given again.",
)
@click.option("--full", is_flag=True, help="Read and distil everything again.")
@click.option("--no-vectors", is_flag=True, help="Leave vectors for later; search works by keyword until then.")
@with_app
def command(app: App, agents: tuple[str, ...], scans: tuple[Path, ...], full: bool, no_vectors: bool) -> int:
    """Read new and changed transcripts, distil and index them.

    Nothing an agent wrote is ever changed. A second run with nothing new takes well under a second.
    """
    from pastwork.cli.interrupt import asked_to_stop
    from pastwork.cli.progress import Bar

    with asked_to_stop() as stop, Bar(wanted=not app.as_json) as bar:
        answer = _run(app, agents, scans, full, not no_vectors, bar, stop)
        stopped = stop()
    app.answer(answer, lambda out: _print(out, answer))
    return INTERRUPTED if stopped else 0


def _run(
    app: App,
    agents: tuple[str, ...],
    scans: tuple[Path, ...],
    full: bool,
    vectors: bool,
    bar: Bar,
    stop: Callable[[], bool],
) -> IndexAnswer:
    from pastwork.palace.embedder import make_embedder
    from pastwork.palace.scope import workspace_of
    from pastwork.sync.handover import borrow
    from pastwork.sync.run import Sync
    from pastwork.transcripts.base import Env
    from pastwork.transcripts.registry import READERS

    known = sorted({reader.agent for reader in READERS})
    for agent in agents:
        if agent not in known:
            raise BadUsage(f"there is no agent {agent!r}", f"Known agents: {', '.join(known)}.")
    env = Env(app.home, app.variables, (workspace_of(app.folder),), tuple(scan.absolute() for scan in scans))
    with borrow(app.data) as writer:
        sync = Sync(env, app.config, writer, READERS, app.now, make_embedder(app.config, app.data, spare=0), stop)
        return sync.run_once(full, vectors, agents, lambda told: bar.tell(told.phase, told.done, told.total))


def _print(out: Console, answer: IndexAnswer) -> None:
    from rich.text import Text

    from pastwork.cli.people import notes

    counts = answer.exchanges
    if not answer.files:
        out.print(Text("No transcripts were found. `pastwork doctor` shows where they were looked for."))
    else:
        changed = f"{counts.new} new, {counts.updated} updated, {counts.known} known exchanges"
        out.print(Text(f"{answer.files} transcripts: {changed} · {answer.took_ms / 1000:.1f} s"))
    if answer.skipped:
        out.print(Text(f"{answer.skipped} records were damaged or skipped; `pastwork status` lists them", style="dim"))
    if answer.vectors.pending:
        total = answer.vectors.ready + answer.vectors.pending
        out.print(Text(f"vectors: {answer.vectors.ready} of {total} exchanges ready", style="dim"))
    notes(out, answer.notes)
