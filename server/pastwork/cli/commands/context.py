"""``pastwork context``: memory for an agent's prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App, print_json
from pastwork.cli.filtering import Asked, filter_options
from pastwork.cli.options import with_app

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.palace.context import Form
    from pastwork.shapes import ContextAnswer


@click.command("context", epilog='Example: pastwork context --query "connection pool" --budget 2000')
@click.option("--budget", type=int, default=4000, show_default=True, metavar="TOKENS", help="What the text may take.")
@click.option("--query", metavar="Q", help="The best matches first; without it the newest work first.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", help="How it is printed."
)
@with_app
@filter_options
def command(app: App, budget: int, query: str | None, form: str, asked: Asked) -> None:
    """Past work packed into a token budget, for an agent's prompt: one line an exchange, the most useful first.

    Best matches of --query; with --file who wrote it before who read it; with --room what is most about it;
    else the newest.
    """
    with app.palace(asked.aliases) as palace:
        shape: Form = "markdown" if form == "markdown" else "text"
        answer = palace.context(asked.filters, budget, query, asked.folders, form=shape)
    if form == "json":
        print_json(answer)
    else:
        app.answer(answer, lambda out: _print(out, answer))


def _print(_out: Console, answer: ContextAnswer) -> None:
    from pastwork.cli.people import warn

    if answer.text:
        click.echo(answer.text)
    else:
        warn("nothing to hand over")
    counted = f"{answer.used} of {answer.budget} tokens ({answer.tokenizer})" if answer.text else "no tokens"
    folded = f" ({answer.folded} of them alike)" if answer.folded else ""
    warn(f"{counted}, {answer.exchanges} exchanges{folded}, {answer.left_out} left out")
    for note in answer.notes:
        warn(note)
