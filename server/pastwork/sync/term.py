"""One term of the sync child as the writer: a whole pass, then whatever the moment asks for.

Work is taken up in this order: what an agent just wrote; a pass over everything, at first and
whenever transcripts came or went, or an event may have been lost; rooms, once there is quiet;
vectors; housekeeping. Each is cut short when something before it comes up. What costs is repeated
no sooner than a multiple of its cost later, so that neither a busy agent nor a huge home makes us busy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from pastwork.store.writer import StoreWriter
from pastwork.sync.batch import Stopped
from pastwork.sync.run import Progress, Sync
from pastwork.sync.watcher import Watcher, folders
from pastwork.sync.wire import Command, Ended, Inbox, Projects, Reindex, Settings, Touched, Watching, Wire

#: Seconds of quiet after which rooms are settled, and seconds after which they are without it.
QUIET, AT_LATEST = 1.0, 15.0
#: Seconds between passes over everything: where events come, and where they don't.
LOOK, LOOK_BLIND = 30.0, 1.0
#: Seconds between looks for agents' folders that were not there.
ROOTS = 1.0
#: Seconds before a missing model is looked for again, and after which an idle one is released.
MODEL = 60.0
#: A pass over changed transcripts, a look that was called for, and one that was not are followed by
#: rest of so many times their duration: at most a third, a twentieth and a two-hundredth of a core goes into each.
RESPITE, SOON, RARELY = 2.0, 20.0, 200.0
#: Seconds that a long pass goes on before it makes way for what an agent just wrote; twice as many
#: each time it did, so that it ends however busy the agent is.
GIVE_WAY = 2.0
#: Seconds between progress events, and between looks for a hand-over.
TELL, NAP = 0.2, 0.5

#: Makes the ``Sync`` that asks this function after each commit whether to stop.
MakeSync = Callable[[Callable[[], bool], StoreWriter], Sync]


class Term:
    """``must_yield`` says that the store is wanted by somebody else; ``standing`` is a note on every state."""

    def __init__(
        self,
        make: MakeSync,
        writer: StoreWriter,
        inbox: Inbox,
        wire: Wire,
        must_yield: Callable[[], bool],
        standing: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._writer = writer
        self._inbox = inbox
        self._wire = wire
        self._must_yield = must_yield
        self._now = clock
        self._sync = make(self._stop, writer)
        self._watcher = Watcher(inbox)
        self._full = False
        self._dirty: set[Path] = set()
        self._strange = True
        self._changed_at = self._settled_at = clock()
        self._looked_at = -LOOK
        self._unsettled = self._pending = self._untidy = True
        self._due: dict[str, float] = {}
        self._begun: float | None = None
        self._give_way = GIVE_WAY
        self._roots: frozenset[Path] = frozenset()
        self._standing, self._note = standing, ""

    def run(self, full: bool = False) -> Command | Ended | None:
        """Until a command comes (given back), or None: somebody else wants the store."""
        self._full = full
        try:
            while not self._must_yield():
                news = self._inbox.get(0.0 if self._work() else NAP)
                match news:
                    case Touched(paths=paths):
                        self._touched(paths)
                    case Watching():
                        self._strange = True
                    case Settings() | Projects() | Reindex() | Ended():
                        return news
            return None
        finally:
            self._watcher.stop()

    def _work(self) -> bool:
        """One step of what is most urgent; False when there is nothing to do."""
        for step in (self._read, self._look, self._settle, self._embed, self._tidy):
            try:
                did = step()
            except Stopped:
                did = True
            if did:
                self._tell_changes()
                return True
        self._say("idle")
        return False

    def _read(self) -> bool:
        """What an agent just wrote."""
        if not self._dirty or not self._is_due("read"):
            return False
        paths, self._dirty = self._dirty, set()
        begun = self._now()
        try:
            tally = self._sync.run_paths(paths)
        except Stopped:
            self._dirty |= paths
            raise
        self._rest("read", RESPITE * (self._now() - begun))
        self._changes(bool(tally.new or tally.updated))
        return True

    def _look(self) -> bool:
        """Everything: at first, when something unknown appeared or a root did, and now and then."""
        if self._is_due("roots"):
            self._rest("roots", ROOTS)
            self._strange = self._strange or self._present() != self._roots
        if self._now() - self._looked_at < self._patience():
            return False
        self._begun = self._now()
        full, self._full = self._full, False
        try:
            tally = self._sync.read_all(full, progress=self._progress)
        except Stopped:
            self._give_way *= 2
            raise
        finally:
            self._begun = None
        self._strange, self._give_way = False, GIVE_WAY
        self._looked_at = self._now()
        self._changes(bool(tally.new or tally.updated))
        self._watch()
        return True

    def _patience(self) -> float:
        """Seconds from one look to the next."""
        cost = self._sync.looking
        if self._strange:
            return SOON * cost
        return max(RARELY * cost, LOOK_BLIND if self._watcher.blind else LOOK)

    def _settle(self) -> bool:
        """Rooms, and whatever other rules distilled."""
        now = self._now()
        if not self._unsettled or (now - self._changed_at < QUIET and now - self._settled_at < AT_LATEST):
            return False
        self._sync.derive(self._progress)
        self._unsettled, self._settled_at = False, self._now()
        return True

    def _embed(self) -> bool:
        """Vectors, until something more urgent comes; a missing model is looked for again later."""
        if self._is_due("release"):
            self._sync.release()
            self._due["release"] = float("inf")
        if not self._pending or not self._is_due("model"):
            return False
        notes = self._sync.embed(self._is_disturbed, self._progress)
        self._note = notes[0] if notes else ""
        self._pending = bool(notes) or self._is_disturbed()
        self._rest("release", MODEL)
        self._rest("model", MODEL if notes else 0.0)
        return True

    def _tidy(self) -> bool:
        self._untidy = self._untidy and self._sync.tidy()
        return self._untidy

    def _touched(self, paths: frozenset[Path]) -> None:
        known = {path for path in paths if path in self._sync.by_file}
        self._dirty |= known
        vanished = any(not path.exists() for path in known)
        self._strange = self._strange or vanished or any(self._interesting(path) for path in paths - known)

    def _interesting(self, path: Path) -> bool:
        """Whether an unknown file could be a transcript: a project's own files are not looked at."""
        below = any(path.is_relative_to(folder) for folder in self._watcher.watched.deep)
        return below or path.name.startswith(".") or path.parent.name.startswith(".")

    def _changes(self, changed: bool) -> None:
        if changed:
            self._changed_at = self._now()
            self._unsettled = self._pending = self._untidy = True

    def _watch(self) -> None:
        self._roots = self._present()
        files = self._sync.by_file.keys()
        self._watcher.watch(folders(self._sync.roots, files, self._sync.projects))

    def _present(self) -> frozenset[Path]:
        return frozenset(root for root in self._sync.roots if root.is_dir())

    def _stop(self) -> bool:
        """What ``Sync`` asks after each commit of a pass."""
        self._tell_changes()
        if self._inbox.urgent or self._must_yield():
            return True
        return self._begun is not None and not self._inbox.empty and self._now() - self._begun > self._give_way

    def _is_disturbed(self) -> bool:
        return not self._inbox.empty or self._must_yield()

    def _progress(self, progress: Progress) -> None:
        if self._is_due("progress"):
            self._rest("progress", TELL)
            self._say("indexing")
            self._wire.say("progress", phase=progress.phase, done=progress.done, total=progress.total)

    def _tell_changes(self) -> None:
        self._wire.say("changed", generation=self._writer.generation(), content=self._writer.content())

    def _say(self, state: str) -> None:
        notes = (
            self._standing,
            self._note,
            self._watcher.fault and f"no file events ({self._watcher.fault}); looking every second",
        )
        self._wire.say("status", state=state, writer=self._writer.pid, note="; ".join(note for note in notes if note))

    def _is_due(self, what: str) -> bool:
        return self._now() >= self._due.get(what, 0.0)

    def _rest(self, what: str, seconds: float) -> None:
        self._due[what] = self._now() + seconds
