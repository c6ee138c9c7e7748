"""A command group whose commands are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

#: Commands whose name can't be a module's.
MODULES = {"eval": "evaluate"}


class LazyGroup(click.Group):
    """``summaries`` names the commands in the order of the help; each is ``command`` of its module in ``package``."""

    def __init__(self, name: str, package: str, summaries: Mapping[str, str], **settings: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(name, **settings)
        self.package = package
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.summaries:
            return None
        module = import_module(f"{self.package}.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The group's help needs no command's module."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Says what was probably meant when a command is unknown."""
        from difflib import get_close_matches

        wanted = args[0] if args else ""
        if wanted and not wanted.startswith("-") and wanted not in self.summaries:
            near = get_close_matches(wanted, self.summaries, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"There is no command {wanted}.{hint}", ctx)
        return super().resolve_command(ctx, args)
