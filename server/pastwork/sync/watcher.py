"""Tells which files changed, by the system's events; says so when events can't be had.

Agents' own folders are watched with everything below; folders that hold transcripts themselves
(project folders do) are watched alone, so that a project's own files cost nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from pathlib import Path

from msgspec import Struct

from pastwork.store.places import on_network
from pastwork.sync.wire import Inbox, Touched, Watching

#: Changes are told after this much quiet, or after the second at the latest (milliseconds).
STEP, DEBOUNCE = 40, 200
#: How soon a watcher is known to run, whether something changes or not (milliseconds).
TICK = 250
#: Ends of file names that no transcript has; readers of SQLite files touch ``-shm`` themselves.
_NOISE = ("-shm", "-journal", ".lock", ".tmp", ".log")


class Folders(Struct, frozen=True):
    """``deep`` are watched with everything below, ``flat`` alone; ``silent`` lie where events don't come."""

    deep: frozenset[Path] = frozenset()
    flat: frozenset[Path] = frozenset()
    silent: frozenset[Path] = frozenset()


def folders(roots: Iterable[Path], files: Collection[Path], projects: Iterable[Path]) -> Folders:
    """What to watch, of what exists."""
    parents = {file.parent for file in files}
    present = {root for root in roots if root.is_dir()}
    silent = frozenset(folder for folder in present | parents if on_network(folder))
    deep = present - parents - silent
    flat = (parents | {project for project in projects if project.is_dir()}) - silent
    return Folders(_topmost(deep), frozenset(f for f in flat if not any(f.is_relative_to(d) for d in deep)), silent)


class Watcher:
    """Threads that put ``Watching`` once and then ``Touched`` into the inbox until stopped."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self.watched = Folders()
        self.fault = ""

    def watch(self, wanted: Folders) -> None:
        """Watches these folders instead of those before; ``fault`` says why where it can't."""
        if wanted == self.watched:
            return
        self.stop()
        self.watched, self.fault = wanted, ""
        self._start(sorted(wanted.deep), recursive=True)
        self._start(sorted(wanted.flat), recursive=False)

    @property
    def blind(self) -> bool:
        """Whether changes have to be looked for, somewhere at least."""
        return bool(self.fault or self.watched.silent)

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=2.0)
        self._threads, self._stop = [], threading.Event()
        self.watched = Folders()

    def _start(self, paths: list[Path], *, recursive: bool) -> None:
        if paths:
            thread = threading.Thread(
                target=self._run, args=(paths, self._stop, recursive), name="watcher", daemon=True
            )
            thread.start()
            self._threads.append(thread)

    def _run(self, paths: list[Path], stop: threading.Event, recursive: bool) -> None:
        from watchfiles import watch

        try:
            changes = watch(
                *paths,
                watch_filter=lambda _, path: not path.endswith(_NOISE),
                debounce=DEBOUNCE,
                step=STEP,
                stop_event=stop,
                rust_timeout=TICK,
                yield_on_timeout=True,
                raise_interrupt=False,
                recursive=recursive,
                ignore_permission_denied=True,
            )
            running = False
            for change in changes:
                if not running:
                    running = True
                    self._inbox.put(Watching())
                if change:
                    self._inbox.put(Touched(frozenset(Path(path) for _, path in change)))
        except (OSError, RuntimeError) as error:  # no watches left, or a folder that went away meanwhile
            self.fault = str(error)


def _topmost(found: Collection[Path]) -> frozenset[Path]:
    return frozenset(each for each in found if not any(each != other and each.is_relative_to(other) for other in found))
