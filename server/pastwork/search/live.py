"""The vectors of the distilled texts, held in memory and kept up with the store.

Few vectors are searched exactly. From ``MANY`` on a graph answers, which is made in the background and
kept as a derived file; while there is none, exact search answers.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Thread

from pastwork.index.base import RowSet
from pastwork.index.vectors import ExactLane, HnswLane, VectorLane
from pastwork.search.corpora import Source
from pastwork.search.modes import Near

#: Vectors from which on the graph answers unasked (docs/scale.md).
MANY = 120_000
#: A graph of so few is made on the spot.
QUICK = 2_000


class Following:
    """A lane and how much of the store's vectors is in it."""

    def __init__(self, lane: VectorLane, last: int = 0) -> None:
        self.lane, self.last = lane, last
        self._lacking = 0
        self._generation: int | None = None

    def follow(self, source: Source, recipe: str) -> None:
        """Takes up what was embedded, replaced and removed since; nothing is asked of a store that did not change."""
        generation = source.generation()
        if generation == self._generation:
            return
        whole = False
        while not whole:
            news = source.vectors_since(recipe, self.last)
            self.lane.load(news.rows, news.matrix)
            self.last, whole = news.last, news.whole
        if news.count - len(self.lane) != self._lacking:
            present = RowSet.of(source.vector_rows(recipe))
            held = self.lane.contents()[0]
            self.lane.remove(held[~present.has(held)].tolist())
            self._lacking = news.count - len(self.lane)
        self._generation = generation


class LiveVectors:
    """``recipe`` names the vectors in the store, ``origin`` the store, ``graph`` the derived file.

    ``patient``: whoever asks for a graph that has to be made first waits for it.
    """

    def __init__(
        self, source: Source, recipe: str, origin: str, graph: Path, dimension: int, patient: bool = False
    ) -> None:
        self._source, self._recipe, self._dimension = source, recipe, dimension
        self._origin, self._path, self._patient = f"{origin} {recipe}", graph, patient
        self._exact: Following | None = None
        self._graph: Following | None = None
        self._sought = False
        self._builder: Thread | None = None
        self._built: list[Following] = []

    def __len__(self) -> int:
        return max((len(each.lane) for each in (self._exact, self._graph) if each is not None), default=0)

    def lane(self, kind: Near, notes: list[str]) -> VectorLane:
        """A lane of that kind with everything in it that is committed."""
        if kind == "hnsw" or (kind == "auto" and len(self._current()) >= MANY):
            graph = self._walked()
            if graph is not None:
                return graph
            notes.append("hnsw: the graph is being built; exact search answered")
        return self._compared()

    def finish(self) -> None:
        """Waits for a graph that is being built."""
        if self._builder is not None:
            self._builder.join()

    def _current(self) -> VectorLane:
        """Whatever lane is in memory already, else the exact one."""
        return self._graph.lane if self._graph is not None else self._compared()

    def _compared(self) -> VectorLane:
        if self._exact is None:
            self._exact = Following(ExactLane(self._dimension))
        self._exact.follow(self._source, self._recipe)
        return self._exact.lane

    def _walked(self) -> VectorLane | None:
        """The graph, read from its file or just built; None while it is being built."""
        self._take_up()
        if self._graph is None and not self._sought:
            found = HnswLane.saved(self._path, self._origin, self._dimension)
            self._graph = Following(*found) if found is not None else None
            self._sought = True
        if self._graph is None:
            self._build(self._compared(), self._exact.last if self._exact else 0)
            self._take_up()
        if self._graph is None:
            return None
        self._graph.follow(self._source, self._recipe)
        if self._graph.lane.stale:
            self._build(self._graph.lane, self._graph.last)
        return self._graph.lane

    def _take_up(self) -> None:
        if self._built:
            self._graph, self._builder = self._built.pop(), None
            if len(self._graph.lane) >= MANY:
                self._exact = None

    def _build(self, lane: VectorLane, last: int) -> None:
        """Starts a new graph of the lane's vectors, unless one is on its way."""
        if self._builder is not None:
            return
        held = lane.contents()
        rows, vectors = held[0].copy(), held[1].copy()

        def build() -> None:
            fresh = HnswLane(self._dimension)
            fresh.load(rows, vectors)
            self._built.append(Following(fresh, last))
            with suppress(OSError):  # a folder that can't be written: the graph is built again next time
                if len(rows):
                    fresh.save(self._path, self._origin, last)

        self._builder = Thread(target=build, name="pastwork-graph", daemon=True)
        self._builder.start()
        if self._patient or len(rows) <= QUICK:
            self._builder.join()
