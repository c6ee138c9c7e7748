"""``python -m pastwork.sync --watch``: the sync child of a language server."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pastwork import config as settings
from pastwork.lifeline import tie_to_parent
from pastwork.shelter import note

if TYPE_CHECKING:
    from pastwork.sync.child import World

#: How much less than others we want the processor, as ``nice`` counts.
NICE = 10


def main(arguments: list[str] | None = None) -> int:
    """Runs until stdin is closed."""
    parser = argparse.ArgumentParser(prog="python -m pastwork.sync", description=__doc__)
    parser.add_argument("--watch", action="store_true", required=True, help="follow the transcripts until stdin ends")
    parser.add_argument("--data", type=Path, default=settings.session_home(), help="the data folder")
    chosen = parser.parse_args(arguments)
    tie_to_parent()
    _be_nice()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    from pastwork.sync.child import Child
    from pastwork.sync.wire import Inbox, Wire, listen

    inbox = Inbox()
    listen(sys.stdin.buffer, inbox)
    try:
        Child(_world(chosen.data), inbox, Wire(sys.stdout.buffer)).run()
    except (BrokenPipeError, KeyboardInterrupt):  # nobody listens any more
        os._exit(0)  # no flush of a pipe that is gone
    return 0


def _world(data: Path) -> World:
    from pastwork.palace.embedder import make_embedder
    from pastwork.sync.child import World
    from pastwork.transcripts.base import Env
    from pastwork.transcripts.registry import READERS

    return World(
        data=data,
        env=Env(Path.home(), dict(os.environ)),
        readers=READERS,
        clock=lambda: datetime.now(UTC),
        configure=lambda client: settings.load(settings.config_path(), client).config,
        embedder=lambda config: make_embedder(config, data, spare=1),
        note=note(data, settings.data_home()) if data == settings.session_home() else "",
    )


def _be_nice() -> None:
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), 0x4000)  # BELOW_NORMAL_PRIORITY_CLASS
    else:
        os.nice(NICE)


if __name__ == "__main__":
    sys.exit(main())
