"""``pastwork eval own``: quality on one's own history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from pastwork.cli.app import App
from pastwork.cli.options import with_app
from pastwork.errors import BadUsage
from pastwork.evaluate.commands.options import Common, common, finish, history

if TYPE_CHECKING:
    from pastwork.evaluate.grid import Configuration
    from pastwork.evaluate.own import Held
    from pastwork.evaluate.session import Asked
    from pastwork.model import Exchange


@click.command("own", epilog="Example: pastwork eval own --n 200 --grid paper")
@click.option("--n", "count", type=click.IntRange(3, 100_000), default=200, show_default=True, help="Queries.")
@click.option("--writer", metavar="MODEL", help="An Ollama model on this machine that writes the queries.")
@with_app
@common
def command(app: App, common: Common, count: int, writer: str | None) -> None:
    """Measure retrieval on your own history; no text leaves the machine.

    From each drawn exchange one sentence is held out, and a query made of it asks for the exchange. The
    same seed draws the same queries. A run that was interrupted goes on where it was.
    """
    from pastwork.cli.progress import Bar
    from pastwork.evaluate.grid import chosen
    from pastwork.evaluate.session import Session
    from pastwork.palace.embedder import make_embedder

    grid = chosen(common.grid)
    with Bar(wanted=not app.as_json) as bar:
        found = history(app, common.scans, bar.tell)
        held = _held(app, found, count, common.seed, writer, bar.tell)
        asked = _asked(app, common, grid, found, held, writer)
    finish(app, Session(asked, make_embedder(app.config, app.data, 0)()), common)


def _held(
    app: App,
    found: Sequence[Exchange],
    count: int,
    seed: int,
    writer: str | None,
    told: Callable[[str, int, int], None],
) -> list[Held]:
    from pastwork.distill.redact import masked
    from pastwork.distill.text import prose
    from pastwork.evaluate.ollama import local
    from pastwork.evaluate.own import held_out
    from pastwork.evaluate.writer import written

    held = held_out(found, count, seed)
    if not held:
        raise BadUsage(
            f"none of {len(found)} exchanges says enough to make a query of",
            "Use the labelled sets, or come back later.",
        )
    if writer is None:
        return held
    texts = [prose(masked(one.exchange)) for one in held]
    return written(held, texts, writer, local(app.config.distill.url), lambda d, n: told("writing", d, n))


def _asked(
    app: App,
    common: Common,
    grid: list[Configuration],
    found: Sequence[Exchange],
    held: Sequence[Held],
    writer: str | None,
) -> Asked:
    from msgspec.structs import replace

    from pastwork.evaluate.documents import distilled
    from pastwork.evaluate.labels import Query
    from pastwork.evaluate.session import Asked

    changed = {one.exchange.id: one.exchange for one in held}
    documents = distilled(changed.get(exchange.id, exchange) for exchange in found)
    by = f"queries written by {writer}" if writer else "queries made of sentences that were held out"
    return Asked(
        title="Retrieval on one's own history",
        documents=[replace(document, key=document.id) for document in documents],
        queries=[Query(one.query, one.type, {one.exchange.id: 3}) for one in held],
        configurations=grid,
        folder=common.out or app.data / "evaluation" / "own",
        cache=app.data / "evaluation" / "vectors",
        limit=common.limit,
        seed=common.seed,
        processes=common.processes,
        timed=common.timed,
        notes=(f"{by}; one exchange answers each, so that figures are lower bounds",),
    )
