"""``docs/cli.md`` from the commands' own help: ``python -m pastwork.cli.manual docs/cli.md`` writes it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from pastwork.cli.lazy import LazyGroup
from pastwork.cli.main import COMMANDS, cli

_HEAD = """# Command line

Every command answers in a table for people and, with `--json`, in one JSON document on stdout and nothing else there
(the shapes are those of the language server's requests). Colour is used on a terminal only; progress and notes go to
stderr.

Exit codes: 0 done; 1 a check failed, or nothing is known by the id or room that was asked for; 2 wrong usage;
3 the store is unusable; 130 interrupted. With `--json` an error is `{"error": {"code", "message", "remedy"}}`.

This page is written from `pastwork --help`; `python -m pastwork.cli.manual docs/cli.md` writes it anew.
"""


def manual() -> str:
    """The whole page."""
    group = cli()
    context = click.Context(group, info_name="pastwork")
    sections = [_HEAD]
    for name in COMMANDS:
        command = group.get_command(context, name)
        if command is not None:
            sections += _command(command, f"pastwork {name}")
    return "\n".join(sections)


def _command(command: click.Command, path: str) -> Iterator[str]:
    own = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    words = " ".join([path, *(argument.make_metavar(click.Context(command)) for argument in own)])
    yield f"## `{words}`\n"
    yield _paragraphs(command.help or "") + "\n"
    rows = [_option(option) for option in command.params if isinstance(option, click.Option) and not option.hidden]
    if rows:
        yield "\n".join(["| option | meaning |", "|---|---|", *rows]) + "\n"
    if command.epilog:
        yield f"Example: `{command.epilog.removeprefix('Example: ')}`\n"
    if isinstance(command, LazyGroup):
        yield "\n".join(f"- `{path} {name}`: {summary}" for name, summary in command.summaries.items()) + "\n"
    elif isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from _command(child, f"{path} {name}")


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _option(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in option.opts)
    value = "" if option.is_flag else f" `{_value(option)}`"
    return f"| {names}{value} | {' '.join((option.help or '').split())}{_default(option)} |".replace("| |", "|")


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "\\|".join(str(choice) for choice in option.type.choices)
    return option.metavar or option.type.name.upper()


def _default(option: click.Option) -> str:
    return f" [default: {option.default}]" if option.show_default else ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(manual(), encoding="utf-8")
