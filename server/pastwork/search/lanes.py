"""The lanes of one store, each made when a mode first asks for it, and kept up with what is committed.

Derived files lie in one folder and may be deleted at any time. Nothing here raises for what is missing:
it is said in the notes, and another lane answers.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pastwork.errors import ModelMissing
from pastwork.index.base import Fields, Matches
from pastwork.index.okapi import OkapiLane
from pastwork.search.corpora import Corpus, Marks, Objects, Source, Verbatim, difference
from pastwork.search.modes import CORE, KeywordLane, VectorsLane
from pastwork.search.ranking import Near, Words

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from pastwork.index.embed import Embedder
    from pastwork.index.fulltext import FulltextLane
    from pastwork.search.computed import ComputedVectors
    from pastwork.search.live import LiveVectors

#: Query vectors kept: one types and deletes.
ASKED = 64


class StoreLanes:
    """The ``Lanes`` of an engine.

    ``embedder`` makes the embedder, loading nothing, and raises ``ModelMissing``; ``recipe`` gives the
    store's name for its vectors by a model; ``fields_of`` reads one row's masked searchable text;
    ``derived`` is the folder of derived files. ``patient``: whatever has to be computed first is waited for.
    """

    def __init__(
        self,
        source: Source,
        embedder: Callable[[], Embedder],
        recipe: Callable[[str], str],
        fields_of: Callable[[int], Fields],
        derived: Path,
        patient: bool = False,
    ) -> None:
        self._source, self._make, self._recipe = source, embedder, recipe
        self._fields_of, self._derived, self._patient = fields_of, derived, patient
        self._okapi = OkapiLane(source.connection)
        self._objects: dict[KeywordLane, ObjectWords] = {}
        self._fulltext: dict[KeywordLane, FulltextWords] = {}
        self._live: LiveVectors | None = None
        self._computed: dict[tuple[str, ...], ComputedVectors] = {}
        self._embedder: Embedder | None = None
        self._asked: OrderedDict[str, NDArray[float32]] = OrderedDict()
        self._total: tuple[int, int] = (-1, 0)

    def words(self, lane: KeywordLane, notes: list[str]) -> Words:
        """The keyword lane, up to date; okapi with a note where the full text can't be written."""
        if lane.kind == "fts":
            try:
                return self._written(lane)
            except OSError as error:
                notes.append(f"full text: {self._derived} can't be written ({error.strerror}); okapi answered")
                return self.words(replace(lane, kind="okapi"), notes)
        if lane.layer == "verbatim":
            return self._okapi
        if lane not in self._objects:
            self._objects[lane] = ObjectWords(Objects(self._source, lane.fields))
        return self._objects[lane].updated(self._source.content())

    def vectors(self, lane: VectorsLane, notes: list[str]) -> Near | None:
        """The vector lane, up to date; None with a note where there is no model or nothing is embedded yet."""
        embedder = self._ready(notes)
        if embedder is None:
            return None
        if lane.layer == "verbatim" or lane.fields != CORE:
            found = self._others(lane, embedder, notes)
        else:
            found = self._current(embedder).lane(lane.kind, notes)
            total = self._exchanges()
            if len(found) < total:
                notes.append(f"vectors: {len(found)} of {total} exchanges ready")
        return found if len(found) else None

    def embed(self, text: str, notes: list[str]) -> NDArray[float32] | None:
        """The query's vector; the last ones are remembered."""
        if text in self._asked:
            self._asked.move_to_end(text)
            return self._asked[text]
        embedder = self._ready(notes)
        try:
            vector = None if embedder is None else embedder.embed([text])[0]
        except ModelMissing as error:
            notes.append(_said(error))
            return None
        if vector is not None:
            self._asked[text] = vector
            while len(self._asked) > ASKED:
                self._asked.popitem(last=False)
        return vector

    def release(self) -> None:
        """Gives the model's memory back; the next query loads it again."""
        if self._embedder is not None:
            self._embedder.release()

    def close(self) -> None:
        for words in self._fulltext.values():
            words.close()
        self._fulltext.clear()
        self.release()

    # --- inside

    def _ready(self, notes: list[str]) -> Embedder | None:
        if self._embedder is None:
            try:
                self._embedder = self._make()
            except ModelMissing as error:
                notes.append(_said(error))
        return self._embedder

    def _current(self, embedder: Embedder) -> LiveVectors:
        if self._live is None:
            from pastwork.search.live import LiveVectors

            graph = self._derived / "vectors.hnsw"
            self._live = LiveVectors(
                self._source, self._recipe(embedder.name), self._origin(), graph, embedder.dimension, self._patient
            )
        return self._live

    def _others(self, lane: VectorsLane, embedder: Embedder, notes: list[str]) -> Near:
        from pastwork.search.computed import FEW, ComputedVectors

        key = (lane.layer, *lane.fields)
        if key not in self._computed:
            corpus = self._corpus(lane)
            path = self._derived / f"{corpus.name}.npz"
            most = FEW if not self._patient else 1 << 40
            self._computed[key] = ComputedVectors(corpus, embedder, self._origin(), path, most)
        return self._computed[key].lane(lane.kind, self._source.content(), notes)

    def _written(self, lane: KeywordLane) -> FulltextWords:
        from pastwork.index.fulltext import FulltextLane

        if lane not in self._fulltext:
            corpus = self._corpus(lane)
            made = FulltextLane(self._derived / f"{corpus.name}.whoosh", self._origin())
            self._fulltext[lane] = FulltextWords(corpus, made, self._okapi)
        return self._fulltext[lane].updated(self._source.content())

    def _corpus(self, lane: KeywordLane | VectorsLane) -> Corpus:
        if lane.layer == "verbatim":
            return Verbatim(self._source, self._fields_of)
        return Objects(self._source, lane.fields)

    def _origin(self) -> str:
        """Tells this store's derived files from another's."""
        return f"store {self._okapi.birth()}"

    def _exchanges(self) -> int:
        content = self._source.content()
        if self._total[0] != content:
            (count,) = self._source.connection.execute("SELECT count(*) FROM exchange").fetchone()
            self._total = content, int(count)
        return self._total[1]


class ObjectWords:
    """BM25-Okapi over the palace objects, which are short enough to index in memory when asked for."""

    def __init__(self, corpus: Objects) -> None:
        self._corpus = corpus
        self._lane = OkapiLane(sqlite3.connect(":memory:", isolation_level=None))
        self._marks: Marks = {}
        self._content: int | None = None

    def updated(self, content: int) -> OkapiLane:
        if content != self._content:
            self._lane.prepare()
            fresh = self._corpus.marks()
            changed, gone = difference(self._marks, fresh)
            self._lane.remove(gone)
            self._lane.add((row, self._corpus.fields(row)) for row in changed)
            self._marks, self._content = fresh, content
        return self._lane


class FulltextWords:
    """The full-text lane of a corpus; its vocabulary is the live keyword lane's."""

    def __init__(self, corpus: Corpus, lane: FulltextLane, vocabulary: OkapiLane) -> None:
        self._corpus, self._lane, self._vocabulary = corpus, lane, vocabulary
        self._content: int | None = None
        self.holding, self.known = vocabulary.holding, vocabulary.known
        self.matched, self.holders, self.beginning = vocabulary.matched, vocabulary.holders, vocabulary.beginning
        self.close = lane.close

    def updated(self, content: int) -> FulltextWords:
        if content != self._content:
            self._lane.update(self._corpus.marks(), self._corpus.fields, content)
            self._content = content
        return self

    def lookup(
        self, terms: Mapping[str, float], k: int, allowed: Collection[int] | None = None, also: Collection[int] = ()
    ) -> Matches:
        return self._lane.lookup(terms, k, allowed, also)


def _said(error: ModelMissing) -> str:
    return f"{error.message}; {error.remedy}" if error.remedy else error.message
