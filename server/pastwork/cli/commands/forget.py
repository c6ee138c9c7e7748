"""``pastwork forget``: the only way anything is removed."""

from __future__ import annotations

from pathlib import Path

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app


@click.command("forget", epilog="Example: pastwork forget --session 5f3c… --yes")
@click.argument("exchange_id", metavar="ID", required=False)
@click.option("--session", metavar="S", help="Every exchange of this session.")
@click.option("--before", metavar="DATE", help="Every exchange older than this date.")
@click.option("--workspace", type=click.Path(path_type=Path), metavar="DIR", help="Every exchange of this project.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_app
def command(
    app: App, exchange_id: str | None, session: str | None, before: str | None, workspace: Path | None, yes: bool
) -> int:
    """Remove exchanges for good and keep them removed; agents' own transcripts are never touched."""
    raise NotImplementedError
