"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from pastwork.cli.app import App

F = TypeVar("F", bound=Callable[..., Any])


def with_app(function: F) -> F:
    """Adds ``--json`` and passes the ``App`` first."""

    @wraps(function)
    def enter(as_json: bool, **given: Any) -> Any:  # noqa: ANN401 - whatever options the command has
        return function(App.of_process(as_json), **given)

    decorated: Any = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(enter)
    return decorated  # type: ignore[no-any-return]


def workspace_option(function: F) -> F:
    return click.option(
        "--workspace",
        "workspaces",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="DIR",
        help="The project; default: the git root of the current folder, or the folder itself. May be given again.",
    )(function)


def alias_option(function: F) -> F:
    return click.option(
        "--alias",
        "aliases",
        multiple=True,
        metavar="OLD=NEW",
        callback=_aliases,
        help="A path prefix recorded in transcripts, and today's folder for it. May be given again.",
    )(function)


def _aliases(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in given]
    for old, sign, new in pairs:
        if not (old and sign and new):
            raise click.BadParameter(f"{old}{sign}{new} is not of the form OLD=NEW")
    return {old: new for old, _, new in pairs}
