"""Vector lanes on FAISS: exact search and HNSW, both over inner products of unit vectors (cosine).

In: rows and their vectors. Out: rows by cosine. FAISS numbers vectors by place; which row lies at a
place, and whether it still counts, is kept beside it. A replaced or removed row is dead until the lane
is ``rebuilt`` (HNSW of Y. Malkov and D. Yashunin, 2016, can't take nodes out; the exact lane can, and does by
itself). A graph can be kept in a derived file.

Vectors are held in half precision, as the store keeps them: half the memory, less than half the time
of single precision, and the same results (docs/scale.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pastwork.index import derived
from pastwork.index.base import RowSet, Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

#: FAISS's objects, whose types it does not tell.
Faiss = Any
#: Neighbours a node, candidates while building, candidates while searching.
M, EF_BUILD, EF_SEARCH = 32, 200, 256
#: Share of dead places from which a rebuild is worth its time.
STALE = 0.2
#: An allowed set below this share of the places is compared one by one: a walk would mostly meet others
#: (recall of the 200 best at 100k: .93 at a half, .77 at a fifth).
NARROW = 0.6


def library() -> Faiss:
    """FAISS, loaded at first use and kept to one thread: a query has no work for more."""
    import faiss

    faiss.omp_set_num_threads(1)
    return faiss


class VectorLane:
    """What both kinds share: places, rows, death, and search within an allowed set.

    Confined to one thread; a rebuild runs beside it, on a lane of its own.
    """

    def __init__(self, dimension: int = 384) -> None:
        self.dimension = dimension
        self._index: Faiss = None
        self._places: dict[int, int] = {}
        self._parts: list[NDArray[np.int64]] = []
        self._dead: list[int] = []
        self._living: tuple[NDArray[np.int64], NDArray[np.bool_]] | None = None

    def __len__(self) -> int:
        return len(self._places)

    @property
    def stale(self) -> bool:
        """Whether so many places are dead that the lane should be rebuilt."""
        return len(self._dead) > STALE * (len(self._dead) + len(self))

    def add(self, rows: Iterable[tuple[int, Vector]]) -> None:
        """Adds or replaces rows one by one; ``load`` is for many."""
        import numpy as np

        pairs = list(rows)
        if pairs:
            self.load(np.array([row for row, _ in pairs], np.int64), np.stack([vector for _, vector in pairs]))

    def load(self, rows: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Adds or replaces rows: (n,), (n, dimension); a row counts once, the last one."""
        import numpy as np

        if not len(rows):
            return
        numbers = rows.tolist()
        self.remove(numbers)
        start = len(self._dead) + len(self._places)
        for place, row in enumerate(numbers, start):
            if row in self._places:
                self._dead.append(self._places[row])
            self._places[row] = place
        self._index = self._index if self._index is not None else self._empty()
        self._index.add(np.ascontiguousarray(vectors, np.float32))
        self._parts.append(np.asarray(rows, np.int64))
        self._living = None

    def remove(self, rows: Collection[int]) -> None:
        """Rows out; unknown ones are ignored."""
        gone = [self._places.pop(row) for row in rows if row in self._places]
        if gone:
            self._dead += gone
            self._living = None

    def search(self, query: Vector, k: int, allowed: Collection[int] | None = None) -> list[Scored]:
        """The ``k`` rows of greatest cosine to the unit vector ``query`` (dimension,)."""
        rows, mask = self._selection(allowed)
        count = min(k, int(mask.sum()))
        if count <= 0:
            return []
        if count == len(rows):
            found, places = self._near(query, count, None)
        elif self._worth_walking(int(mask.sum()), len(rows)):
            found, places = self._near(query, count, mask)
        else:
            found, places = self._compared(query, count, mask)
        real = places >= 0
        if int(real.sum()) < count:
            found, places = self._compared(query, count, mask)
            real = places >= 0
        return [
            Scored(row, score) for row, score in zip(rows[places[real]].tolist(), found[real].tolist(), strict=True)
        ]

    def similar(self, query: Vector, rows: Collection[int]) -> dict[int, float]:
        """The cosine of each of the rows that the lane holds."""
        known = [row for row in rows if row in self._places]
        if not known:
            return {}
        scores = self._data()[[self._places[row] for row in known]].astype("f4") @ query
        return dict(zip(known, scores.tolist(), strict=True))

    def contents(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The living rows and their vectors, in order of place."""
        import numpy as np

        rows, alive = self._state()
        data = self._data()[alive] if len(rows) else np.empty((0, self.dimension))
        return rows[alive], data.astype(np.float32)

    def rebuilt(self) -> VectorLane:
        """A new lane of the living rows alone; this one goes on answering meanwhile."""
        fresh = type(self)(self.dimension)
        fresh.load(*self.contents())
        return fresh

    # --- inside

    def _empty(self) -> Faiss:
        """A FAISS index without vectors."""
        raise NotImplementedError

    def _parameters(self, selector: Faiss, k: int) -> Faiss:
        """FAISS search parameters around a selector or None."""
        return _plain(selector, k)

    def _worth_walking(self, chosen: int, of: int) -> bool:
        """Whether the index should look for the chosen share of places, rather than a plain comparison."""
        return chosen >= NARROW * of

    def _storage(self) -> Faiss:
        """The FAISS index that holds the plain vectors."""
        return self._index

    def _data(self) -> NDArray[np.float16]:
        """A view of all vectors by place; valid until the next ``load``."""
        codes = self._storage().codes
        view: NDArray[np.uint8] = library().rev_swig_ptr(codes.data(), codes.size())
        return view.view("<f2").reshape(-1, self.dimension)

    def _state(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Row and life of each place."""
        import numpy as np

        if self._living is None:
            rows = np.concatenate(self._parts) if self._parts else np.empty(0, np.int64)
            self._parts = [rows]
            alive = np.ones(len(rows), np.bool_)
            alive[self._dead] = False
            self._living = rows, alive
        return self._living

    def _selection(self, allowed: Collection[int] | None) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        rows, alive = self._state()
        return rows, alive if allowed is None else alive & RowSet.of(allowed).has(rows)

    def _near(
        self, query: Vector, k: int, mask: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The index's own answer: scores and places, -1 where it found nothing more."""
        return _asked(self._index, query, k, mask, self._parameters)

    def _compared(
        self, query: Vector, k: int, mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The same by comparing each chosen vector."""
        return _asked(self._storage(), query, k, mask, _plain)


class ExactLane(VectorLane):
    """Every vector is compared: the standard that HNSW is measured by, fast enough to about 100k rows."""

    def load(self, rows: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Dead places are taken out before they are many: an exchange at work is embedded again and again."""
        super().load(rows, vectors)
        if self.stale:
            self._compact()

    def _compact(self) -> None:
        """In place; the order of the living stays."""
        import numpy as np

        rows, alive = self._state()
        self._index.remove_ids(np.flatnonzero(~alive))
        self._parts, self._dead, self._living = [rows[alive]], [], None
        self._places = {row: place for place, row in enumerate(self._parts[0].tolist())}

    def _empty(self) -> Faiss:
        faiss = library()
        return faiss.IndexScalarQuantizer(self.dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)

    def _worth_walking(self, chosen: int, of: int) -> bool:
        return True


class HnswLane(VectorLane):
    """A navigable graph: about a millisecond at 100k rows, for more than 99 % of the exact ten best."""

    def save(self, path: Path, origin: str, generation: int) -> None:
        """Writes the graph and its rows as derived files; ``generation`` is of the vectors that are in it."""
        import numpy as np

        rows, alive = self._state()
        marked = np.where(alive, rows, -1)
        derived.write(path, origin, generation, len(rows), lambda part: library().write_index(self._index, str(part)))
        derived.write(_rows_of(path), origin, generation, len(rows), lambda part: _write(part, marked.tobytes()))

    @classmethod
    def saved(cls, path: Path, origin: str, dimension: int = 384) -> tuple[HnswLane, int] | None:
        """A lane as it was saved, and its generation; None where the files are not whole, or not of this origin."""
        import numpy as np

        graph, listed = derived.read(path, origin), derived.read(_rows_of(path), origin)
        if graph is None or listed is None or graph.generation != listed.generation:
            return None
        rows = np.frombuffer(_rows_of(path).read_bytes(), np.int64)
        index = library().read_index(str(path))
        if not index.ntotal == len(rows) == graph.count or index.d != dimension:
            return None
        lane = cls(dimension)
        lane._index, lane._parts = index, [rows]
        lane._places = {row: place for place, row in enumerate(rows.tolist()) if row >= 0}
        lane._dead = np.flatnonzero(rows < 0).tolist()
        return lane, graph.generation

    def _empty(self) -> Faiss:
        faiss = library()
        half = faiss.ScalarQuantizer.QT_fp16
        index = faiss.IndexHNSWSQ(self.dimension, half, M, faiss.METRIC_INNER_PRODUCT)
        index.is_trained = True  # half precision has nothing to learn
        index.hnsw.efConstruction = EF_BUILD
        return index

    def _parameters(self, selector: Faiss, k: int) -> Faiss:
        return library().SearchParametersHNSW(efSearch=max(EF_SEARCH, 2 * k), sel=selector)

    def _storage(self) -> Faiss:
        return library().downcast_index(self._index.storage)


def _plain(selector: Faiss, k: int) -> Faiss:
    """Parameters of a search that compares everything selected."""
    return library().SearchParameters(sel=selector)


def _asked(
    index: Faiss, query: Vector, k: int, mask: NDArray[np.bool_] | None, parameters: Callable[[Faiss, int], Faiss]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """One query to a FAISS index, over the places that the mask chooses."""
    import numpy as np

    bits = None if mask is None else np.packbits(mask, bitorder="little")
    selector = None if bits is None else library().IDSelectorBitmap(bits)
    scores, places = index.search(query.reshape(1, -1), k, params=parameters(selector, k))
    return scores[0], places[0]


def _rows_of(path: Path) -> Path:
    """The file that tells which row lies at each place of the graph (-1: dead)."""
    return path.with_name(path.name + ".rows")


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
