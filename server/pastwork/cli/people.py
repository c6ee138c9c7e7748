"""Printing for people: colour only on a terminal, transcripts' text always with its hidden characters shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from pastwork.marks import one_line, visible

#: Columns where the output is no terminal and nothing says how wide it is: a pipe should not be cut.
PIPE_WIDTH = 160


def console(error: bool = False) -> Console:
    """A console on stdout or stderr; rich itself heeds NO_COLOR, TERM and COLUMNS."""
    stream = sys.stderr if error else sys.stdout
    plain = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False)
    if plain.is_terminal or "COLUMNS" in os.environ:
        return plain
    return Console(file=stream, highlight=False, markup=False, emoji=False, width=PIPE_WIDTH)


def warn(sentence: str) -> None:
    """One sentence on stderr."""
    console(error=True).print(Text(f"note: {one_line(sentence)}", style="yellow"), soft_wrap=True)


def text(value: str, style: str = "") -> Text:
    """Transcript text of one line for a cell."""
    return Text(one_line(value), style=style)


def passage(value: str, style: str = "") -> Text:
    """Transcript text of several lines."""
    return Text(visible(value), style=style)


def notes(out: Console, sentences: Iterable[str]) -> None:
    """What makes the answer weaker than usual, below it."""
    for sentence in sentences:
        out.print(Text(f"note: {one_line(sentence)}", style="yellow"), soft_wrap=True)
