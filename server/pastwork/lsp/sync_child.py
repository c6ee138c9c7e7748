"""The server's end of the sync child's pipes: what it says of the indexing, and what it is told.

The child (``python -m pastwork.sync --watch``) is the store's writer while it holds the lock; another
editor's may be it instead, then this one stands by and still says when the store has changed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from pastwork.lsp.children import Child, module
from pastwork.lsp.settings import Tree

log = logging.getLogger("pastwork.lsp")


class State(Struct, frozen=True, tag_field="event", tag="status"):
    """``state``: standby, indexing, idle or paused; ``note`` is one sentence where something is wrong."""

    state: str
    writer: int | None = None
    note: str = ""


class Progress(Struct, frozen=True, tag_field="event", tag="progress"):
    phase: str
    done: int
    total: int


class Changed(Struct, frozen=True, tag_field="event", tag="changed"):
    """The store has a new commit, whoever made it."""

    generation: int = 0
    content: int = 0


Event = State | Progress | Changed


class SyncChild:
    """``heard`` gets every event. ``tell`` repeats settings and folders after each start."""

    def __init__(self, heard: Callable[[Event], None], variables: Mapping[str, str] | None = None) -> None:
        self._heard = heard
        self._child = Child(module("pastwork.sync", "--watch"), self._line, self._started, self._lost, variables)
        self._decoder = msgspec.json.Decoder(Event)
        self._settings: Tree = {}
        self._projects: Sequence[str] = ()

    @property
    def pid(self) -> int | None:
        return self._child.pid

    def start(self) -> None:
        self._child.start()

    async def stop(self) -> None:
        await self._child.stop()

    def tell(self, settings: Tree, projects: Sequence[Path]) -> None:
        """The client's settings, and the folders that may hold transcripts of their own."""
        self._settings, self._projects = settings, [str(folder) for folder in projects]
        self._started()

    def reindex(self, full: bool = False) -> bool:
        """Looks at every transcript anew; False when no child is there to do it."""
        return self._send({"do": "reindex", "full": full})

    def _started(self) -> None:
        self._send({"do": "settings", "settings": self._settings})
        self._send({"do": "projects", "paths": self._projects})

    def _send(self, command: Mapping[str, object]) -> bool:
        return self._child.write(msgspec.json.encode(command))

    def _line(self, line: bytes) -> None:
        try:
            event = self._decoder.decode(line)
        except (msgspec.DecodeError, RecursionError):
            log.debug("the sync child said something unknown")
            return
        self._heard(event)

    def _lost(self) -> None:
        self._heard(State("paused", None, "the indexing process ended unexpectedly; it is started again"))
