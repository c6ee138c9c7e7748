"""``pastwork show``: the drill-down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App, print_json
from pastwork.cli.options import with_app

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.shapes import ShowAnswer


@click.command("show", epilog="Example: pastwork show 9f2c0a1b44d07e35 --format markdown")
@click.argument("exchange_id", metavar="ID")
@click.option(
    "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", help="How it is printed."
)
@with_app
def command(app: App, exchange_id: str, form: str) -> None:
    """The verbatim of one exchange, with tool calls and diffs. The beginning of its ID will do."""
    with app.palace() as palace:
        answer = palace.show(exchange_id)
    if form == "markdown" and not app.as_json:
        from pastwork.markdown import exchange_document

        click.echo(exchange_document(answer, str(app.home)), nl=False)
    elif form == "json":
        print_json(answer)
    else:
        app.answer(answer, lambda out: _print(out, app, answer))


def _print(out: Console, app: App, answer: ShowAnswer) -> None:
    from pastwork.cli.verbatim import print_verbatim

    print_verbatim(out, answer, app.now())
