"""``pastwork model``: the embedding model's weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app
from pastwork.errors import ModelMissing

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.shapes import ModelAnswer


@click.group("model", epilog="Example: pastwork model install")
def command() -> None:
    """The embedding model: get it, or say where it is."""


@command.command("install", epilog="Example: pastwork model install")
@with_app
def install(app: App) -> None:
    """Get the embedding model (90 MB), pinned by its sha256: the one command that contacts the network."""
    from pastwork.cli.progress import Bar
    from pastwork.index import weights

    with Bar(wanted=not app.as_json) as bar:
        weights.install(app.config, app.data, progress=lambda done, of: bar.tell("model", done, of))
    answer = _found(app)
    app.answer(answer, lambda out: _print(out, answer))


@command.command("path", epilog="Example: pastwork model path")
@with_app
def path(app: App) -> int:
    """Where the model is, or would be; exit code 1 while it is missing."""
    answer = _found(app)
    app.answer(answer, lambda out: _print(out, answer))
    return 0 if answer.ready else 1


def _found(app: App) -> ModelAnswer:
    from pastwork.index import weights
    from pastwork.shapes import ModelAnswer

    try:
        return ModelAnswer(str(weights.find(app.config, app.data)), weights.SHA256, ready=True)
    except ModelMissing:
        return ModelAnswer(str(weights.folder(app.config, app.data)), weights.SHA256, ready=False)


def _print(out: Console, answer: ModelAnswer) -> None:
    from pastwork.cli.people import text, warn

    out.print(text(answer.path), soft_wrap=True)
    if not answer.ready:
        warn("the model is not there; run `pastwork model install`")
