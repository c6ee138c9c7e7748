"""Vectors of texts that the store does not keep vectors of: for comparing, not for every day.

The verbatim, or other fields of the palace objects. They are computed when a mode asks for them, a few
at a time or all, and kept as a derived file.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pastwork.index import derived
from pastwork.index.embed import Embedder
from pastwork.index.vectors import ExactLane, HnswLane, VectorLane
from pastwork.search.corpora import MARK, Corpus, Marks, difference
from pastwork.search.modes import Near

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

#: Texts that are embedded in one search when nobody said that they would wait.
FEW = 64
#: Texts between two savings.
SAVED = 2_048


class ComputedVectors:
    """``origin`` names store and model; ``most`` is how many texts one call may embed."""

    def __init__(self, corpus: Corpus, embedder: Embedder, origin: str, path: Path, most: int = FEW) -> None:
        self._corpus, self._embedder, self._path, self._most = corpus, embedder, path, most
        self._origin = f"{origin} {embedder.name} {corpus.name}"
        self._marks: Marks = {}
        self._fresh: Marks = {}
        self._lanes: dict[str, VectorLane] = {}
        self._vectors: dict[int, NDArray[float32]] = {}
        self._content: int | None = None
        self._waiting: list[int] = []

    def lane(self, kind: Near, content: int, notes: list[str]) -> VectorLane:
        """A lane of that kind with as many of the present texts as there was time for."""
        if content != self._content:
            self._look(content)
        self._embed(self._waiting[: self._most])
        if self._waiting:
            ready, more = len(self._vectors), min(self._most, len(self._waiting))
            every = f"{self._corpus.name} vectors: {ready} of {ready + len(self._waiting)} exchanges ready"
            notes.append(f"{every}; they are kept for comparing only, and each search embeds {more} more")
        wanted = "hnsw" if kind == "hnsw" else "exact"
        if wanted not in self._lanes or self._lanes[wanted].stale:
            made: VectorLane = (
                HnswLane(self._embedder.dimension) if wanted == "hnsw" else ExactLane(self._embedder.dimension)
            )
            made.add(self._vectors.items())
            self._lanes[wanted] = made
        return self._lanes[wanted]

    def _look(self, content: int) -> None:
        """What of the corpus is new, changed or gone."""
        if self._content is None:
            self._open()
        fresh = self._corpus.marks()
        wanted, gone = difference(self._marks, fresh)
        for row in gone:
            self._vectors.pop(row, None)
        for lane in self._lanes.values():
            lane.remove(gone)
        self._marks = {row: mark for row, mark in self._marks.items() if fresh.get(row) == mark}
        self._waiting = sorted(wanted, reverse=True)
        self._fresh, self._content = fresh, content

    def _embed(self, rows: list[int]) -> None:
        for start in range(0, len(rows), SAVED):
            part = rows[start : start + SAVED]
            texts = [self._corpus.fields(row) for row in part]
            vectors = self._embedder.embed([f"{text.prompt}\n{text.prose}".strip() for text in texts])
            added = dict(zip(part, vectors, strict=True))
            self._vectors |= added
            self._marks |= {row: self._fresh[row] for row in part}
            for lane in self._lanes.values():
                lane.add(added.items())
            self._waiting = self._waiting[len(part) :]
            self._save()

    def _open(self) -> None:
        """What an earlier process computed."""
        import numpy as np

        if derived.read(self._path, self._origin) is None:
            return
        with np.load(self._path) as stored:
            rows = stored["rows"].tolist()
            self._vectors = dict(zip(rows, stored["vectors"].astype(np.float32), strict=True))
            self._marks = dict(zip(rows, (mark.tobytes() for mark in stored["marks"]), strict=True))

    def _save(self) -> None:
        import numpy as np

        rows = list(self._marks)
        marks = np.frombuffer(b"".join(self._marks[row] for row in rows), np.uint8).reshape(len(rows), MARK)
        vectors = np.stack([self._vectors[row] for row in rows]).astype(np.float16)

        def fill(part: Path) -> None:
            with part.open("wb") as file:
                np.savez(file, rows=np.array(rows, np.int64), marks=marks, vectors=vectors)

        with suppress(OSError):  # a folder that can't be written: they are computed again next time
            derived.write(self._path, self._origin, self._content or 0, len(rows), fill)
