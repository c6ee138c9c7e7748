"""The child's two pipes: commands as JSON lines in, events as JSON lines out."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

#: Seconds that the main thread has to end by itself once stdin is closed.
GRACE = 0.5


class Settings(Struct, frozen=True, tag_field="do", tag="settings"):
    """The client's settings: a tree, or dotted keys."""

    settings: dict[str, object] = {}


class Projects(Struct, frozen=True, tag_field="do", tag="projects"):
    """The client's workspace folders."""

    paths: tuple[str, ...] = ()


class Reindex(Struct, frozen=True, tag_field="do", tag="reindex"):
    """A pass over all transcripts now; ``full`` reads and distils everything again."""

    full: bool = False


class Touched(Struct, frozen=True):
    """Files that changed, from a watcher."""

    paths: frozenset[Path]


class Watching(Struct, frozen=True):
    """From here on a watcher tells changes; what happened just before has to be looked for."""


class Ended(Struct, frozen=True):
    """stdin was closed: the parent is done with us, or gone."""


Command = Settings | Projects | Reindex
News = Command | Touched | Watching | Ended


class Inbox:
    """What waits for the child's one working thread; any thread may put."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._urgent = threading.Event()

    def put(self, news: News) -> None:
        if not isinstance(news, Touched | Watching):
            self._urgent.set()
        self._waiting.put(news)

    def get(self, timeout: float) -> News | None:
        """The next, waited for at most so long (seconds)."""
        try:
            news = self._waiting.get(timeout=timeout)
        except queue.Empty:
            return None
        if not isinstance(news, Touched | Watching):
            self._urgent.clear()
        return news

    @property
    def empty(self) -> bool:
        return self._waiting.empty()

    @property
    def urgent(self) -> bool:
        """Whether a command, or the end, waits."""
        return self._urgent.is_set()


class Wire:
    """Speaks on ``out``; ``listen`` has a thread put what comes in into the inbox."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._last: dict[str, bytes] = {}

    def say(self, event: str, *, again: bool = False, **fields: str | int) -> None:
        """One event; the same as the last of its kind is not repeated, unless ``again``."""
        line = msgspec.json.encode({"event": event, **fields}) + b"\n"
        if line == self._last.get(event) and not again:
            return
        self._last[event] = line
        self._out.write(line)
        self._out.flush()


def listen(stream: BinaryIO, inbox: Inbox, leave: Callable[[], None] = lambda: os._exit(0)) -> threading.Thread:
    """Starts the thread; at the end of the stream it says so, and calls ``leave`` if we are still here after a moment.

    A line that is no command is ignored: a newer parent may know more of them.
    """

    def run() -> None:
        decoder = msgspec.json.Decoder(Command)
        for line in stream:
            try:
                inbox.put(decoder.decode(line))
            except (msgspec.DecodeError, RecursionError):
                continue
        inbox.put(Ended())
        time.sleep(GRACE)
        leave()  # killed in the midst of a transaction loses nothing that was acknowledged

    thread = threading.Thread(target=run, name="stdin", daemon=True)
    thread.start()
    return thread
