"""The lanes of all configurations over documents in memory; a document's place is its row.

The product's own lane classes over the same texts. Each lane is made once for all configurations that
use it, and ``remembered`` ones answer a question once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pastwork.evaluate.documents import Document
from pastwork.evaluate.remembered import RememberedNear, RememberedWords
from pastwork.index.base import Fields, Matches
from pastwork.index.okapi import OkapiLane
from pastwork.search.modes import KeywordLane, VectorsLane
from pastwork.search.ranking import Near, Words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pastwork.index.fulltext import FulltextLane

#: Texts -> (n, dimension).
Embed = Callable[[Sequence[str]], "NDArray[np.float32]"]


class MemoryLanes:
    """The ``Lanes`` of an engine over ``documents``; ``folder`` is where full-text indexes are written.

    ``embed`` gives vectors of documents' texts and of queries. These lanes are asked every time;
    ``RememberingLanes`` are the ones to run a grid on.
    """

    def __init__(self, documents: Sequence[Document], embed: Embed, folder: Path) -> None:
        self._documents, self._embed, self._folder = documents, embed, folder
        self._okapi: dict[KeywordLane, OkapiLane] = {}
        self._words: dict[KeywordLane, Words] = {}
        self._near: dict[VectorsLane, Near] = {}
        self._matrices: dict[tuple[str, ...], NDArray[np.float32]] = {}
        self._asked: dict[str, NDArray[np.float32]] = {}
        self._open: list[FulltextLane] = []

    def words(self, lane: KeywordLane, notes: list[str]) -> Words:
        if lane not in self._words:
            self._words[lane] = self._okapi_lane(lane) if lane.kind == "okapi" else self._fulltext(lane)
        return self._words[lane]

    def vectors(self, lane: VectorsLane, notes: list[str]) -> Near:
        if lane not in self._near:
            self._near[lane] = self._vector_lane(lane)
        return self._near[lane]

    def embed(self, text: str, notes: list[str]) -> NDArray[np.float32]:
        if text not in self._asked:
            self._asked[text] = self._embed([text])[0]
        return self._asked[text]

    def close(self) -> None:
        """Closes what lies in the folder."""
        for lane in self._open:
            lane.close()
        self._open.clear()

    def _okapi_lane(self, lane: KeywordLane) -> OkapiLane:
        if lane not in self._okapi:
            made = OkapiLane(sqlite3.connect(":memory:", isolation_level=None))
            made.prepare()
            made.add((row, searched(document, lane)) for row, document in enumerate(self._documents))
            self._okapi[lane] = made
        return self._okapi[lane]

    def _fulltext(self, lane: KeywordLane) -> FulltextWords:
        from pastwork.index.fulltext import FulltextLane

        made = FulltextLane(self._folder / "-".join((lane.layer, *lane.fields)), "evaluation")
        made.add((row, searched(document, lane)) for row, document in enumerate(self._documents))
        self._open.append(made)
        # Its vocabulary is the live keyword lane's, as in the product.
        return FulltextWords(made, self._okapi_lane(KeywordLane("verbatim", "okapi")))

    def _vector_lane(self, lane: VectorsLane) -> Near:
        import numpy as np

        from pastwork.index.vectors import ExactLane, HnswLane

        key = (lane.layer, *lane.fields)
        if key not in self._matrices:
            self._matrices[key] = self._embed([embedded(document, lane) for document in self._documents])
        matrix = self._matrices[key]
        made = HnswLane(matrix.shape[1]) if lane.kind == "hnsw" else ExactLane(matrix.shape[1])
        made.load(np.arange(len(matrix)), matrix)
        return made


class RememberingLanes:
    """The same lanes, each asked a question once."""

    def __init__(self, lanes: MemoryLanes, size: int) -> None:
        self._lanes, self._size = lanes, size
        self._words: dict[KeywordLane, RememberedWords] = {}
        self._near: dict[VectorsLane, RememberedNear] = {}
        self.embed = lanes.embed

    def words(self, lane: KeywordLane, notes: list[str]) -> Words:
        if lane not in self._words:
            self._words[lane] = RememberedWords(self._lanes.words(lane, notes), self._size)
        return self._words[lane]

    def vectors(self, lane: VectorsLane, notes: list[str]) -> Near:
        if lane not in self._near:
            self._near[lane] = RememberedNear(self._lanes.vectors(lane, notes))
        return self._near[lane]


class FulltextWords:
    """The full-text lane with the vocabulary of the live keyword lane."""

    def __init__(self, lane: FulltextLane, vocabulary: OkapiLane) -> None:
        self._lane = lane
        self.holding, self.known = vocabulary.holding, vocabulary.known
        self.matched, self.holders, self.beginning = vocabulary.matched, vocabulary.holders, vocabulary.beginning

    def lookup(
        self, terms: Mapping[str, float], k: int, allowed: Collection[int] | None = None, also: Collection[int] = ()
    ) -> Matches:
        return self._lane.lookup(terms, k, allowed, also)


def searched(document: Document, lane: KeywordLane) -> Fields:
    """What a keyword lane takes of a document."""
    return document.fields if lane.layer == "verbatim" else Fields(prose=document.text(lane.fields))


def embedded(document: Document, lane: VectorsLane) -> str:
    """What a vector lane takes of a document."""
    return document.verbatim if lane.layer == "verbatim" else document.text(lane.fields)
