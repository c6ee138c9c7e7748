"""What a command gets from outside: the environment, the settings, the clock, and where to print."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from pastwork.config import Config, config_path, data_home, load
from pastwork.marks import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.palace import Palace

#: How an answer is shown to a person.
Shown = Callable[["Console"], None]


class App(Struct, frozen=True):
    """``as_json`` asks for one JSON document on stdout and nothing else there."""

    variables: Mapping[str, str]
    home: Path
    data: Path
    folder: Path
    config: Config
    notes: tuple[str, ...] = ()
    as_json: bool = False

    @classmethod
    def of_process(cls, as_json: bool) -> App:
        """Reads the settings file; what is wrong in it becomes a note."""
        loaded = load(config_path())
        return cls(dict(os.environ), Path.home(), data_home(), Path.cwd(), loaded.config, loaded.notes, as_json)

    def now(self) -> datetime:
        return datetime.now(UTC)

    def palace(self, aliases: Mapping[str, str] | None = None) -> Palace:
        """``aliases`` are those of the command line, beside the settings' own."""
        from pastwork.palace import Palace

        return Palace(self.data, self.config, self.home, self.now, aliases)

    def answer(self, shape: Struct, shown: Shown) -> None:
        """Prints one answer: as JSON, or as a person reads it, with the settings' notes on stderr."""
        for note in self.notes:
            sys.stderr.write(f"note: {one_line(note)}\n")
        if self.as_json:
            print_json(shape)
            return
        from pastwork.cli.people import console

        shown(console())


def print_json(shape: Struct) -> None:
    """One document and a newline, always UTF-8."""
    document = msgspec.json.encode(shape) + b"\n"
    sys.stdout.flush()
    sys.stdout.buffer.write(document)
    sys.stdout.buffer.flush()
