"""``pastwork forget``: the only way anything is removed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app
from pastwork.errors import BadUsage
from pastwork.shapes import ForgetAnswer

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.store.forget import Forgetting


@click.command("forget", epilog="Example: pastwork forget 9f2c0a1b44d07e35")
@click.argument("exchange_id", metavar="[ID]", required=False)
@click.option("--session", metavar="S", help="Every exchange of this session.")
@click.option("--before", metavar="DATE", help="Every exchange older than this: 2026-01-24, 2026-01, 90d, 1y.")
@click.option(
    "--workspace", type=click.Path(path_type=Path), metavar="DIR", help="Every exchange of this folder and below it."
)
@click.option("--yes", is_flag=True, help="Do not ask on a terminal.")
@with_app
def command(
    app: App, exchange_id: str | None, session: str | None, before: str | None, workspace: Path | None, yes: bool
) -> None:
    """Remove exchanges for good and keep them removed. Agents' own transcripts are never touched."""
    from pastwork.sync.forget import forget

    what = _what(app, exchange_id, session, before, workspace)
    agreed = yes or app.as_json or not sys.stdin.isatty() or _agreed(app, what)
    answer = forget(app.data, what) if agreed else ForgetAnswer(0)
    app.answer(answer, lambda out: _print(out, answer))


def _what(
    app: App, exchange_id: str | None, session: str | None, before: str | None, workspace: Path | None
) -> Forgetting:
    """Raises BadUsage unless exactly one thing is named."""
    from pastwork.search.filters import checked_moment
    from pastwork.store.forget import Forgetting

    if sum(each is not None for each in (exchange_id, session, before, workspace)) != 1:
        raise BadUsage("name one thing to forget", "Give an ID, or --session, --before or --workspace.")
    return Forgetting(
        exchange_id=exchange_id and exchange_id.strip().lower(),
        session=session,
        before=before and checked_moment("before", before, app.now()),
        workspaces=() if workspace is None else (str(app.folder / workspace.expanduser()),),
    )


def _agreed(app: App, what: Forgetting) -> bool:
    """Says how much it is, and asks. Raises NotFound."""
    from pastwork.store.forget import rows
    from pastwork.store.reader import StoreReader

    with StoreReader.open(app.data) as store:
        count = len(rows(store, what))
    return count > 0 and click.confirm(f"Forget {count} exchange{'s' * (count != 1)} for good?", err=True)


def _print(out: Console, answer: ForgetAnswer) -> None:
    from rich.text import Text

    count = answer.forgotten
    out.print(Text(f"{count} exchange{'s' * (count != 1)} forgotten" if count else "Nothing was forgotten."))
