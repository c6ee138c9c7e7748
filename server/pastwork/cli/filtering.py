"""The filters of ``search``, ``rooms`` and ``context``: the same options, understood once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct

from pastwork.cli.app import App
from pastwork.cli.options import alias_option, workspace_option
from pastwork.search.filters import Filters

F = TypeVar("F", bound=Callable[..., Any])


class Asked(Struct, frozen=True):
    """``folders`` are the workspace, as the user named it or as the current folder tells."""

    filters: Filters
    folders: tuple[Path, ...]
    aliases: dict[str, str]


_LIMIT = "How many at the most.  [default: 10 exchanges, 40 rooms; context takes what fits]"
_OPTIONS = (
    click.option("--scope", type=click.Choice(["workspace", "all"]), help="This workspace only, or all work."),
    click.option("--fixes", is_flag=True, help="Only exchanges that repaired a fault."),
    click.option("--agent", metavar="A", help="Only this agent's work, for example claude-code."),
    click.option("--file", metavar="F", help="Only exchanges that had to do with this file."),
    click.option("--room", metavar="R", help="Only exchanges of this room, for example concept:retry_timeout."),
    click.option("--since", metavar="DATE", help="Not older than this: 2026-01-24, 2026-01, 3d, 2w, yesterday."),
    click.option("--until", metavar="DATE", help="Not newer than this."),
    click.option("--branch", metavar="B", help="Only work on this git branch."),
    click.option("--limit", type=click.IntRange(1, 10_000), metavar="N", help=_LIMIT),
    click.option(
        "--mode", metavar="M", help="How to search: cross, verbatim-okapi, distilled-exact, …  [default: cross]"
    ),
)


def filter_options(function: F) -> F:
    """Passes what the filter options say as ``asked``."""

    @wraps(function)
    def enter(app: App, workspaces: tuple[Path, ...], aliases: dict[str, str], **given: Any) -> Any:  # noqa: ANN401 - click's own
        fields = {name: given.pop(name) for name in Filters.__struct_fields__}
        folders = tuple(app.folder / folder.expanduser() for folder in workspaces) or (_current(app),)
        return function(app, asked=Asked(Filters(**fields), folders, aliases), **given)

    decorated: Any = enter
    for option in reversed((workspace_option, *_OPTIONS, alias_option)):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _current(app: App) -> Path:
    from pastwork.palace.scope import workspace_of

    return workspace_of(app.folder)
