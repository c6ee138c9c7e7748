"""``pastwork lsp``: the language server."""

from __future__ import annotations

import click


@click.command("lsp", epilog="Example: pastwork lsp --stdio")
@click.option("--stdio", is_flag=True, help="Accepted and ignored; the server always speaks on stdio.")
def command(stdio: bool) -> None:
    """The language server on stdio, for any editor."""
    from pastwork.lsp.server import main

    main()
