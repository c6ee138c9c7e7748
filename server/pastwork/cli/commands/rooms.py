"""``pastwork rooms``: where related exchanges meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from pastwork.cli.app import App
from pastwork.cli.filtering import Asked, filter_options
from pastwork.cli.options import with_app

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.shapes import RoomAnswer, RoomsAnswer

#: Rooms listed unless a limit is given: they are one line each.
MANY = 40


@click.command("rooms", epilog="Example: pastwork rooms concept:connection_pool")
@click.argument("name", metavar="[ROOM]", required=False)
@with_app
@filter_options
def command(app: App, name: str | None, asked: Asked) -> None:
    """Rooms with counts, or the exchanges of one: file:NAME, concept:KEY or workflow:KEY."""
    with app.palace(asked.aliases) as palace:
        if name is None:
            filters = asked.filters if asked.filters.limit else replace(asked.filters, limit=MANY)
            listed = palace.rooms(filters, asked.folders)
            app.answer(listed, lambda out: _print_all(out, app, listed))
        else:
            inside = palace.room(name, asked.filters, asked.folders)
            app.answer(inside, lambda out: _print_one(out, app, inside))


def _print_all(out: Console, app: App, answer: RoomsAnswer) -> None:
    from pastwork.cli.tables import rooms_table

    rooms_table(out, answer, app.now())


def _print_one(out: Console, app: App, answer: RoomAnswer) -> None:
    from pastwork.cli.tables import room_table

    room_table(out, answer, app.now())
