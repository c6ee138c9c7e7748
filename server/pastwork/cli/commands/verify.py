"""``pastwork verify``: is everything kept as it was put in?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.shapes import VerifyAnswer


@click.command("verify", epilog="Example: pastwork verify")
@with_app
def command(app: App) -> int:
    """Re-read every row and derived file; exit code 1 on any difference."""
    from pastwork.cli.progress import Bar
    from pastwork.store.reader import StoreReader
    from pastwork.store.verify import verify

    with StoreReader.open(app.data) as store, Bar(wanted=not app.as_json) as bar:
        answer = verify(store, lambda done, total: bar.tell("verifying", done, total))
    app.answer(answer, lambda out: _print(out, answer))
    return 0 if answer.ok else 1


def _print(out: Console, answer: VerifyAnswer) -> None:
    from pastwork.cli.people import text

    for fault in answer.faults:
        out.print(text(f"✗ {fault.what} ({fault.where})", "red"), soft_wrap=True)
        out.print("  ", text(fault.remedy), sep="", soft_wrap=True)
    checked = ", ".join(f"{count} {name}" for name, count in answer.checked.items())
    out.print(
        text(f"{'✓ all well' if answer.ok else '✗ faults found'}: {checked} checked", "green" if answer.ok else "red")
    )
