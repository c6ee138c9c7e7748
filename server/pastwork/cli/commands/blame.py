"""``pastwork blame``: line -> exchange."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import alias_option, with_app, workspace_option

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.shapes import BlameAnswer


@click.command("blame", epilog="Example: pastwork blame src/auth.py")
@click.argument("file", type=click.Path(path_type=Path))
@workspace_option
@alias_option
@with_app
def command(app: App, file: Path, workspaces: tuple[Path, ...], aliases: dict[str, str]) -> None:
    """Which exchange wrote which line; lines that nobody is known to have written stay blank."""
    whole = app.folder / file.expanduser()
    with app.palace(aliases) as palace:
        answer = palace.blame(whole, folders=workspaces)
    app.answer(answer, lambda out: _print(out, answer, whole))


def _print(out: Console, answer: BlameAnswer, file: Path) -> None:
    from pastwork.cli.tables import blame_table

    blame_table(out, answer, file.read_text(encoding="utf-8", errors="replace") if file.is_file() else "")
