"""``pastwork search``: ranked exchanges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.filtering import Asked, filter_options
from pastwork.cli.options import with_app

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.shapes import SearchAnswer


@click.command("search", epilog='Example: pastwork search "connection pool timeout" --fixes --since 3w')
@click.argument("query", nargs=-1, required=True)
@with_app
@filter_options
def command(app: App, query: tuple[str, ...], asked: Asked) -> None:
    """Find past exchanges by words or meaning.

    Words are taken literally. "Quoted phrases" and file: room: agent: branch: since: until: right
    before a value are understood.
    """
    with app.palace(asked.aliases) as palace:
        answer = palace.search(" ".join(query), asked.filters, asked.folders)
    app.answer(answer, lambda out: _print(out, app, answer))


def _print(out: Console, app: App, answer: SearchAnswer) -> None:
    from pastwork.cli.tables import search_table

    search_table(out, answer, app.now())
