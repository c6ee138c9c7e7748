"""``pastwork``: hands over to the command line, and ``pastwork lsp`` straight to the language server.

The server answers its editor before anything is imported that it does not need for the answer, the
command line's own requirements included.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Ends the process with the command's exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words in (["lsp"], ["lsp", "--stdio"]):
        from pastwork.lsp.server import main as serve

        serve()
    else:
        from pastwork.cli.main import main as command_line

        command_line(words)
