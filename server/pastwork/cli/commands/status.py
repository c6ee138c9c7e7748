"""``pastwork status``: is everything captured?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.shapes import StatusAnswer


@click.command("status", epilog="Example: pastwork status")
@with_app
def command(app: App) -> None:
    """What is indexed, skipped and pending, and which transcripts their agent will delete soon."""
    with app.palace() as palace:
        answer = palace.status()
    app.answer(answer, lambda out: _print(out, app, answer))


def _print(out: Console, app: App, answer: StatusAnswer) -> None:
    from pastwork.cli.status_table import status_table

    status_table(out, answer, app.now())
