"""Runs a grid: every configuration asked every query, in several processes, into a journal.

Configurations that share a keyword lane go to one process together, so that a lane is made once and
asked a question once. Vectors are made first, by this process, and read by the others.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import msgspec
from msgspec import Struct

from pastwork.evaluate.documents import Document
from pastwork.evaluate.grid import Configuration
from pastwork.evaluate.journal import Journal, Timed
from pastwork.evaluate.labels import Query
from pastwork.evaluate.lanes import MemoryLanes, RememberingLanes, embedded
from pastwork.evaluate.ranked import Searcher
from pastwork.evaluate.vectors import VectorCache
from pastwork.index.embed import Embedder
from pastwork.search.filters import parse_query
from pastwork.search.modes import VectorsLane, parse

#: Told a phase, how much of it is done, and of how much.
Told = Callable[[str, int, int], None]


class Task(Struct, frozen=True):
    """All that a process needs: plain data, no open thing."""

    documents: list[Document]
    queries: list[Query]
    limit: int
    vectors: Path
    model: str
    dimension: int
    journal: Path
    timed: int


def run(
    configurations: Sequence[Configuration], task: Task, embedder: Embedder, processes: int, told: Told
) -> list[Configuration]:
    """Measures what the journal lacks and gives the configurations that were measured now. Raises ``ModelMissing``."""
    missing = set(Journal(task.journal).missing(c.name for c in configurations))
    todo = [c for c in configurations if c.name in missing]
    prepare(todo, task, embedder, told)
    chunks = list(shared(todo))
    done = len(configurations) - len(todo)
    steps = _here(chunks, task) if processes <= 1 or len(chunks) <= 1 else _beside(chunks, task, processes)
    for step in steps:
        told("searching", done, len(configurations))
        done += step
    return todo


def prepare(configurations: Iterable[Configuration], task: Task, embedder: Embedder, told: Told) -> None:
    """Every vector that the configurations need, into the cache; the queries' too."""
    lanes = dict.fromkeys(c.mode.vector for c in configurations if c.mode.vector is not None)
    texts = dict.fromkeys((lane.layer, lane.fields) for lane in lanes)
    if not texts:
        return
    wanted = [parse_query(query.query).words for query in task.queries]
    for layer, fields in texts:
        wanted += [embedded(document, VectorsLane(layer, "exact", fields)) for document in task.documents]
    cache = VectorCache(task.vectors, task.model, task.dimension)
    cache.prepare(wanted, embedder, lambda done, total: told("vectors", done, total))


def shared(configurations: Sequence[Configuration]) -> Iterator[list[Configuration]]:
    """Those with the same keyword lane together; without one, those with the same text. The largest first."""
    groups: dict[object, list[Configuration]] = defaultdict(list)
    for configuration in configurations:
        mode = configuration.mode
        key = (
            mode.keyword if mode.keyword is not None else (mode.vector.layer, mode.vector.fields) if mode.vector else ""
        )
        groups[key].append(configuration)
    yield from sorted(groups.values(), key=len, reverse=True)


def _here(chunks: Sequence[Sequence[Configuration]], task: Task) -> Iterator[int]:
    with tempfile.TemporaryDirectory(prefix="pastwork-eval-") as folder:
        worker = Worker(task, Path(folder))
        try:
            for chunk in chunks:
                for configuration in chunk:
                    worker.measure(configuration)
                    yield 1
        finally:
            worker.close()


def _beside(chunks: Sequence[Sequence[Configuration]], task: Task, processes: int) -> Iterator[int]:
    data = msgspec.msgpack.encode(task, enc_hook=str)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(_measured, data, [c.name for c in chunk]) for chunk in chunks]
        try:
            for ended in as_completed(waiting):
                yield ended.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _measured(data: bytes, names: list[str]) -> int:
    """Runs in a process of its own: these configurations, into the journal."""
    task = msgspec.msgpack.decode(data, type=Task, dec_hook=lambda kind, value: kind(value))
    chunk = [Configuration(name, parse(name)) for name in names]
    return sum(_here([chunk], task))


class Worker:
    """Searches in one process; ``folder`` is where its full-text indexes lie."""

    def __init__(self, task: Task, folder: Path) -> None:
        self._task, self._journal = task, Journal(task.journal)
        cache = VectorCache(task.vectors, task.model, task.dimension)
        self._lanes = MemoryLanes(task.documents, cache.matrix, folder)
        remembering = RememberingLanes(self._lanes, len(task.documents))
        self._searcher = Searcher(remembering, task.documents, task.limit)
        self._timing = Searcher(self._lanes, task.documents, task.limit)

    def measure(self, configuration: Configuration) -> None:
        """One configuration, into the journal."""
        ranked = self._searcher.rank(configuration.name, configuration.mode, self._task.queries)
        timed = self._timed(configuration) if self._task.timed else None
        self._journal.keep(ranked, timed)

    def close(self) -> None:
        self._lanes.close()

    def _timed(self, configuration: Configuration) -> Timed:
        """Single searches, nothing remembered; one before them warms the lanes."""
        asked = self._task.queries[: self._task.timed]
        taken = []
        self._timing.ask(asked[0], configuration.mode)
        for query in asked:
            begun = perf_counter()
            self._timing.ask(query, configuration.mode)
            taken.append((perf_counter() - begun) * 1000)
        return Timed(configuration.name, taken)
