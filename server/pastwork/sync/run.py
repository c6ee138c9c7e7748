"""``Sync``: one pass over all transcripts, or a short one over those that a watcher names."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

import pastwork
from pastwork.config import Config
from pastwork.errors import ModelMissing
from pastwork.index.embed import Embedder, threads
from pastwork.index.okapi import OkapiLane
from pastwork.model import UNKNOWN
from pastwork.palace.status import embedder_name
from pastwork.shapes import IndexAnswer, IndexCounts
from pastwork.store.counts import vector_status
from pastwork.store.forget import scrub
from pastwork.store.records import SourceState
from pastwork.store.vectors import recipe
from pastwork.store.writer import StoreWriter
from pastwork.sync import digest, plan, refresh, retention, sources
from pastwork.sync.ahead import HelperLost
from pastwork.sync.batch import Batch, Stopped
from pastwork.sync.embedding import MakeEmbedder, embed_pending
from pastwork.sync.ingest import Ingest, Rules, Tally, Torn, iso
from pastwork.sync.sources import Found
from pastwork.sync.supply import Supply
from pastwork.transcripts.base import Env, Reader

#: Transcripts name projects that hold transcripts that name projects: looked for this often at the most.
ROUNDS = 3

Clock = Callable[[], datetime]


class Progress(Struct, frozen=True):
    """``phase`` is "reading" (transcripts), "distilling" (exchanges) or "vectors" (exchanges)."""

    phase: str
    done: int
    total: int


Told = Callable[[Progress], None]


class Sync:
    """Stages 1 to 4 for one store; ``found`` are the transcripts located last.

    ``stop`` is asked after each commit (every half second); then the pass ends early, and the next
    one goes on where it stopped. ``embedder`` None leaves vectors pending. ``helpers`` processes read
    and distil where there is much to do (None: one a core).
    """

    def __init__(
        self,
        env: Env,
        config: Config,
        writer: StoreWriter,
        readers: Sequence[Reader],
        clock: Clock,
        embedder: MakeEmbedder | None = None,
        stop: Callable[[], bool] = lambda: False,
        helpers: int | None = None,
    ) -> None:
        self.env = env
        self.config = config
        self.readers = readers
        self.found: list[Found] = []
        self.by_file: dict[Path, list[Found]] = {}
        self.roots: tuple[Path, ...] = ()
        self.projects: tuple[Path, ...] = ()
        #: Seconds of the processor that locating took last: a busy machine is no reason to look less often.
        self.looking = 0.0
        self._writer = writer
        self._clock = clock
        self._make_embedder = embedder
        self._embedder: Embedder | None = None
        self._stop = stop
        self._helpers = threads(spare=0) if helpers is None else helpers
        self._lane = OkapiLane(writer.connection)
        self._told: Told = _nobody
        #: A pass that was cut short, in whatever process, left its state behind; before the first there is none.
        self._running = json.loads(writer.fact("index") or '["running"]')[0] == "running"

    def run_once(
        self, full: bool = False, vectors: bool = True, agents: Collection[str] = (), progress: Told | None = None
    ) -> IndexAnswer:
        """One whole pass; ``full`` reads and distils everything again, ``agents`` restricts it to theirs.

        Raises what the store raises (a full disk); what was committed by then stays.
        """
        begun, self._told, tally = time.monotonic(), progress or _nobody, Tally()
        notes = sources.unusable_extras(self.readers, self.env, self.config.sources)
        try:
            self._read_all(tally, full, agents)
            self.derive(progress)
            notes += self.embed(progress=progress) if vectors else []
        except Stopped:
            notes.append("stopped before the end; the next run goes on from here")
        self.rest()
        return self._answer(tally, begun, notes)

    def read_all(self, full: bool = False, progress: Told | None = None) -> Tally:
        """Locates and reads every transcript that changed.

        Raises:
            Stopped: when asked to; the next pass goes on.
        """
        self._told, tally = progress or _nobody, Tally()
        self._read_all(tally, full, ())
        self.rest()
        return tally

    def run_paths(self, paths: Collection[Path]) -> Tally:
        """A short pass over the located transcripts that these files belong to.

        Raises:
            Stopped: when asked to; a later pass goes on.
        """
        tally = Tally()
        found = {found.source.path: found for path in paths for found in self.by_file.get(path, ())}
        states = [self._writer.source_state(each.source.agent, each.source.path) for each in found.values()]
        self._take(found.values(), _keyed(state for state in states if state), tally)
        self.rest()
        return tally

    def derive(self, progress: Told | None = None) -> None:
        """What needs all exchanges: rules that changed, and rooms."""
        self._told = progress or _nobody
        with self._batch() as batch:
            refresh.digests(self._writer, batch, self._rules(), partial(self._tell, "distilling"))
        refresh.settle(self._writer)
        self.rest()

    def embed(self, stop: Callable[[], bool] | None = None, progress: Told | None = None) -> list[str]:
        """Embeds what is pending until ``stop`` says so; a note where that can't be done."""
        if self._make_embedder is None:
            return []
        self._told = progress or _nobody
        try:
            self._embedder = self._embedder or self._make_embedder()
            embed_pending(self._writer, self._embedder, stop or self._stop, partial(self._tell, "vectors"))
        except ModelMissing as missing:
            return [f"vectors wait for the model: {missing.message}; {missing.remedy}"]
        finally:
            self.rest()
        return []

    def release(self) -> None:
        """Gives the model's memory back until there is something to embed again."""
        if self._embedder is not None:
            self._embedder.release()

    def rest(self) -> None:
        """Says that nothing is being done, where something was."""
        if self._running:
            self._running = False
            self._state("idle", len(self.found), len(self.found))

    def tidy(self) -> bool:
        """A step of housekeeping, for idle moments; True while there is more to do."""
        scrub(self._writer)
        with self._writer.transaction():
            more = self._lane.tidy()
        if not more:
            self._writer.forget_pages()
        return more

    def _read_all(self, tally: Tally, full: bool, agents: Collection[str]) -> None:
        self._prepare(full)
        searched: Env | None = None
        for _ in range(ROUNDS):
            env = self._widened()
            if env == searched:
                return
            searched, begun = env, time.thread_time()
            self._locate(env, agents)
            self.looking = time.thread_time() - begun
            self._take(self.found, _keyed(self._writer.sources()), tally)

    def _prepare(self, full: bool) -> None:
        """Remembers scans and makes the keyword lane."""
        scans = json.loads(self._writer.fact("scans") or "[]")
        self._writer.set_fact("scans", json.dumps([*scans, *(str(s) for s in self.env.scans if str(s) not in scans)]))
        if full:
            self._writer.mark_stale()
        refresh.keyword_lane(self._writer, self._lane, self._rules())

    def _widened(self) -> Env:
        scans = json.loads(self._writer.fact("scans") or "[]")
        return sources.widened(self.env, self._writer.folders(), scans, self.config.sources)

    def _locate(self, env: Env, agents: Collection[str]) -> None:
        """Finds the transcripts, notes which came and went, and tells ``status`` what was looked at."""
        readers = sources.enabled(self.readers, self.config.sources, agents)
        roots = {reader.agent: reader.roots(env) for reader in readers}
        with self._writer.transaction():
            for reader in readers:
                shown = [str(root) for root in roots[reader.agent]]
                self._writer.set_agent(reader.agent, shown, reader.proof, retention.keep_days(reader.agent, env))
        self.roots = tuple(root for each in roots.values() for root in each)
        self.projects = env.projects
        self.found = sources.locate(readers, env, self.config.sources)
        self.by_file = {}
        for found in self.found:
            for path in (found.source.path, *found.source.parts):
                self.by_file.setdefault(path, []).append(found)
        known = _keyed(self._writer.sources())
        self._writer.mark_gone(plan.gone(self.found, known), iso(self._clock()))
        self._writer.mark_gone(plan.back(self.found, known), None)

    def _take(self, found: Iterable[Found], known: plan.Known, tally: Tally) -> None:
        rules = self._rules()
        todo = plan.jobs(found, known, rules.reader)
        with self._batch() as batch, Supply(todo, rules, self._helpers) as supply:
            ingest = Ingest(self._writer, batch, rules, self._clock, tally)
            for done, job in enumerate(todo):
                batch.begin()
                self._tell("reading", done, len(todo))
                try:
                    ingest.take(job, supply.steps(done))
                except (HelperLost, Torn):
                    ingest.take(replace(job, since=None), supply.here(replace(job, since=None)))
                batch.commit_if_due()

    def _batch(self) -> Batch:
        return Batch(self._writer, self._lane, self._stop)

    def _rules(self) -> Rules:
        masking = self.config.redact.enabled
        return Rules(
            distil=partial(digest.distil, masking=masking),
            recipe=digest.recipe(masking),
            tool_output_bytes=self.config.store.tool_output_bytes,
            masking=masking,
            reader=pastwork.__version__,
        )

    def _tell(self, phase: str, done: int, total: int) -> None:
        self._running = True
        self._state("running", done, total)
        self._told(Progress(phase, done, total))

    def _state(self, state: str, done: int, total: int) -> None:
        """For ``status``, in whatever process."""
        finished = iso(self._clock()) if state == "idle" else None
        self._writer.set_fact("index", json.dumps([state, done, total, finished]))

    def _answer(self, tally: Tally, begun: float, notes: Sequence[str]) -> IndexAnswer:
        count = self._writer.connection.execute
        total = count("SELECT count(*) FROM exchange").fetchone()[0]
        skipped = count("SELECT count(*) FROM problem WHERE reason NOT LIKE ?", (f"{UNKNOWN}%",)).fetchone()[0]
        name = self._embedder.name if self._embedder else embedder_name(self.config)
        return IndexAnswer(
            len(self.found),
            IndexCounts(tally.new, tally.updated, total - tally.new - tally.updated),
            skipped,
            round((time.monotonic() - begun) * 1000, 1),
            vector_status(self._writer.connection, recipe(name)),
            tuple(notes),
        )


def _keyed(states: Iterable[SourceState]) -> plan.Known:
    return {(state.agent, state.path): state for state in states}


def _nobody(progress: Progress) -> None:
    """Nobody wants to be told."""
