"""The command line's entry: finds the command, turns every error into one sentence and an exit code.

Exit codes: 0 done, 1 a check failed or nothing is known by the id asked for, 2 wrong usage, 3 the
store is unusable, 130 interrupted. With ``--json`` an error is a JSON document on stdout.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Sequence
from itertools import pairwise

import click

from pastwork import __version__
from pastwork.cli.app import print_json
from pastwork.cli.lazy import LazyGroup
from pastwork.errors import BadUsage, PastworkError, StoreUnusable, Unavailable
from pastwork.shapes import ErrorAnswer, ErrorBody

INTERRUPTED = 130
EXTRAS = "Parts need an extra: `pip install 'pastwork[eval]'`, `[mcp]` or `[torch]`."
DEBUG = "Run it again with PASTWORK_DEBUG=1 and report what it prints."

COMMANDS: dict[str, str] = {
    "index": "Read new and changed transcripts, distil and index them.",
    "search": "Find past exchanges by words or meaning.",
    "history": "Past work on a file or a line.",
    "blame": "Which exchange wrote which line of a file.",
    "show": "The verbatim of one exchange.",
    "rooms": "Rooms with counts, or the exchanges of one.",
    "context": "Past work packed into a token budget, for an agent's prompt.",
    "distill": "Distil exchanges again, with or without a local LLM.",
    "eval": "Retrieval quality on a labelled set or on your own history.",
    "status": "What is indexed, skipped, pending, and about to be deleted.",
    "doctor": "Check folders, model, Ollama and store; say what to do.",
    "verify": "Re-read every row and derived file.",
    "forget": "Remove exchanges for good.",
    "model": "Get the embedding model, or say where it is.",
    "lsp": "The language server, on stdio.",
    "mcp": "An MCP server, on stdio.",
}


def cli() -> click.Group:
    """The whole command tree; the modules of the commands are not imported yet."""
    group = LazyGroup(
        "pastwork",
        "pastwork.cli.commands",
        COMMANDS,
        help="Memory of past coding-agent work.",
        epilog='Example: pastwork index, then pastwork search "connection pool timeout"',
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    group.params.append(click.Option(["--version"], is_flag=True, expose_value=False, is_eager=True, callback=_version))
    return group


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and ends the process with its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        code = run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing may be written to the closed pipe at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def run(words: Sequence[str]) -> int:
    """The exit code of one command line."""
    as_json = wants_json(words)
    try:
        outcome = cli().main(list(words), prog_name="pastwork", standalone_mode=False)
    except click.UsageError as error:
        usage = error.ctx.command_path if error.ctx else "pastwork"
        return _failed(BadUsage(error.format_message(), f"`{usage} --help` shows the usage."), as_json)
    except click.ClickException as error:
        return _failed(BadUsage(error.format_message()), as_json)
    except PastworkError as error:
        return _failed(error, as_json)
    except sqlite3.Error as error:
        return _failed(StoreUnusable(f"the store can't be used: {error}", "Run `pastwork doctor`."), as_json)
    except ModuleNotFoundError as error:
        return _failed(Unavailable(f"this installation lacks the module {error.name}", EXTRAS), as_json)
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("\ninterrupted; what was finished is kept\n")
        return INTERRUPTED
    except Exception as error:
        # The request boundary: a fault of ours is told in a sentence too.
        if os.environ.get("PASTWORK_DEBUG"):
            raise
        return _failed(PastworkError(f"this is a fault of pastwork: {type(error).__name__}: {error}", DEBUG), as_json)
    return outcome if isinstance(outcome, int) else 0


def wants_json(words: Sequence[str]) -> bool:
    """Known before the arguments are understood, because errors in them are JSON too."""
    own = list(words)[: words.index("--")] if "--" in words else list(words)
    return "--json" in own or "--format=json" in own or ("--format", "json") in pairwise(own)


def _failed(error: PastworkError, as_json: bool) -> int:
    if as_json:
        print_json(ErrorAnswer(ErrorBody(error.code, error.message, error.remedy)))
    else:
        from pastwork.marks import one_line

        remedy = f"\n  {one_line(error.remedy)}" if error.remedy else ""
        sys.stderr.write(f"pastwork: {one_line(error.message)}{remedy}\n")
    return error.exit_code


def _version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"pastwork {__version__}")
        context.exit()
