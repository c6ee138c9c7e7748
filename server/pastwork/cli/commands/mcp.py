"""``pastwork mcp``: the same memory for agents."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import click

from pastwork.cli.app import App
from pastwork.errors import Unavailable


@click.command("mcp", epilog="Example: pastwork mcp")
def command() -> None:
    """An MCP server on stdio, for agents."""
    if find_spec("mcp") is None:
        raise Unavailable("the MCP server needs the extra [mcp]", "Run `pip install 'pastwork[mcp]'`.")
    import_module("pastwork.memory.mcp").main(App.of_process(as_json=False))
