"""``pastwork history``: past work on a file or a line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import alias_option, with_app, workspace_option
from pastwork.there import is_there

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.shapes import HistoryAnswer


@click.command("history", epilog="Example: pastwork history src/auth.py:41")
@click.argument("place", metavar="FILE[:LINE]")
@workspace_option
@alias_option
@with_app
def command(app: App, place: str, workspaces: tuple[Path, ...], aliases: dict[str, str]) -> None:
    """Past work on a file or one of its lines: what wrote it first, newest first within each tier."""
    file, line = split_place(place, app.folder)
    with app.palace(aliases) as palace:
        answer = palace.history(file, line, folders=workspaces)
    app.answer(answer, lambda out: _print(out, app, answer))


def split_place(place: str, folder: Path) -> tuple[Path, int | None]:
    """``src/a.py:41`` -> the file and 41; a file whose own name ends so is taken by its name."""
    found = re.fullmatch(r"(.+?):(\d{1,9})(?::\d+)?", place)
    whole = folder / Path(place).expanduser()
    if found is None or is_there(whole):
        return whole, None
    return folder / Path(found[1]).expanduser(), int(found[2])


def _print(out: Console, app: App, answer: HistoryAnswer) -> None:
    from pastwork.cli.tables import history_table

    history_table(out, answer, app.now())
