"""Retrieval figures on the labelled queries.

    python bench/quality/labelled.py --home HOME --objects extractive|reference [--mode MODE]...

By the protocol of the labelled set: the whole home is indexed, 200 hits are asked for, hits without a
key are dropped and what is left is ranked; ``all`` is MRR with those hits counted as wrong. With
``--objects reference`` the keyed exchanges carry the reference objects, the others their own.
``--folds N`` prints the spread of the figures over N disjoint parts of the queries.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]

from bench.quality import corpus  # noqa: E402 runs as a file too
from pastwork.config import Config, data_home  # noqa: E402
from pastwork.evaluate import metrics  # noqa: E402
from pastwork.index import weights  # noqa: E402
from pastwork.index.base import Fields  # noqa: E402
from pastwork.index.embed import Embedder, OnnxEmbedder  # noqa: E402
from pastwork.index.okapi import OkapiLane  # noqa: E402
from pastwork.index.vectors import ExactLane, HnswLane, VectorLane  # noqa: E402
from pastwork.search.engine import Engine  # noqa: E402
from pastwork.search.filters import parse_query  # noqa: E402
from pastwork.search.modes import KeywordLane, VectorsLane, parse  # noqa: E402

HITS = 200
TYPES = ("conceptual", "exact_term", "phrase")
MODES = ("verbatim-okapi", "distilled-okapi", "distilled-exact", "distilled-exact:core+context+rooms", "cross")


class MemoryLanes:
    """Lanes over documents in memory; the row of a document is its place."""

    def __init__(self, documents: Sequence[corpus.Document], embedder: Embedder, cache: Path) -> None:
        self._documents, self.embedder, self.cache = documents, embedder, cache
        self._words: dict[KeywordLane, OkapiLane] = {}
        self._near: dict[tuple[str, ...], VectorLane] = {}
        self.queries: dict[str, NDArray[np.float32]] = {}

    def words(self, lane: KeywordLane, notes: list[str]) -> OkapiLane:
        if lane not in self._words:
            made = OkapiLane(sqlite3.connect(":memory:", isolation_level=None))
            made.prepare()
            made.add((row, _fields(d, lane)) for row, d in enumerate(self._documents))
            self._words[lane] = made
        return self._words[lane]

    def vectors(self, lane: VectorsLane, notes: list[str]) -> VectorLane:
        key = (lane.kind, lane.layer, *lane.fields)
        if key not in self._near:
            texts = [_text(document, lane) for document in self._documents]
            made: VectorLane = HnswLane() if lane.kind == "hnsw" else ExactLane()
            made.load(np.arange(len(texts)), corpus.embedded(texts, self.embedder, self.cache))
            self._near[key] = made
        return self._near[key]

    def embed(self, text: str, notes: list[str]) -> NDArray[np.float32]:
        if text not in self.queries:
            self.queries[text] = self.embedder.embed([text])[0]
        return self.queries[text]


def _fields(document: corpus.Document, lane: KeywordLane) -> Fields:
    if lane.layer == "verbatim":
        return document.fields
    return Fields(prose="\n".join(document.distilled[field] for field in lane.fields))


def _text(document: corpus.Document, lane: VectorsLane) -> str:
    if lane.layer == "verbatim":
        return f"{document.fields.prompt}\n{document.fields.prose}"
    return "\n".join(document.distilled[field] for field in lane.fields)


def grades(
    question: corpus.Question, rows: Iterable[int], documents: Sequence[corpus.Document]
) -> tuple[list[int], list[int]]:
    """Grades of the keyed hits in order, and of all hits with those without a key counted as 0."""
    keys = [documents[row].key for row in rows]
    return (
        [question.relevant.get(key, 0) for key in keys if key],
        [question.relevant.get(key, 0) if key else 0 for key in keys],
    )


def figures(questions: Sequence[corpus.Question], ranked: Sequence[tuple[list[int], list[int]]]) -> dict[str, float]:
    """Means over the questions: the figures of the labelled set, MRR by type, MRR over all hits."""
    judged = [list(question.relevant.values()) for question in questions]
    out = {
        name: _mean([figure(keyed, of) for (keyed, _), of in zip(ranked, judged, strict=True)])
        for name, figure in metrics.FIGURES.items()
        if not name.startswith("mean")
    }
    for kind in TYPES:
        rr = [metrics.reciprocal_rank(g[0]) for q, g in zip(questions, ranked, strict=True) if q.type == kind]
        out[kind] = _mean(rr)
    out["all"] = _mean([metrics.reciprocal_rank(every) for _, every in ranked])
    return out


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def run(
    mode: str, questions: Sequence[corpus.Question], engine: Engine, documents: Sequence[corpus.Document]
) -> list[tuple[list[int], list[int]]]:
    parsed = parse(mode)
    rankings = [engine.search(parse_query(q.query), parsed, None, HITS) for q in questions]
    return [grades(q, (f.row for f in r.found), documents) for q, r in zip(questions, rankings, strict=True)]


def spread(
    questions: Sequence[corpus.Question], ranked: Sequence[tuple[list[int], list[int]]], folds: int
) -> list[float]:
    """MRR of each of ``folds`` disjoint random parts of the questions."""
    order = list(range(len(questions)))
    random.Random(1).shuffle(order)
    return [_mean([metrics.reciprocal_rank(ranked[i][0]) for i in order[fold::folds]]) for fold in range(folds)]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    embedder = OnnxEmbedder(options.model or weights.find(Config(), data_home()))
    started = time.monotonic()
    found = corpus.documents(options.home)
    documents, missing = corpus.labelled(found, options.labels, options.objects == "reference")
    questions = corpus.questions(options.labels)
    print(
        f"{len(documents)} exchanges, {len(missing)} keys without one, distilled in {time.monotonic() - started:.1f} s"
    )
    lanes = MemoryLanes(documents, embedder, options.cache)
    engine = Engine(lanes, lambda row: documents[row].fields.prose)
    names = list(figures(questions, run("verbatim-okapi", questions, engine, documents)))
    print(f"| {options.objects} objects | {' | '.join(names)} | ms |")
    print("|---|" + "---|" * (len(names) + 1))
    for mode in options.mode or MODES:
        run(mode, questions[:1], engine, documents)
        begun = time.perf_counter()
        ranked = run(mode, questions, engine, documents)
        took = (time.perf_counter() - begun) * 1000 / len(questions)
        row = [f"{value:.3f}" for value in figures(questions, ranked).values()]
        folds = "".join(f" {value:.3f}" for value in spread(questions, ranked, options.folds)) if options.folds else ""
        print(f"| {mode} | {' | '.join(row)} | {took:.1f} |{folds}", flush=True)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that every run on the labelled set takes."""
    shared = Path(os.environ.get("PASTWORK_SHARED", ROOT.parent / "shared"))
    parser.add_argument("--home", type=Path, required=True, help="a home folder with transcripts")
    parser.add_argument("--objects", choices=("extractive", "reference"), default="extractive")
    parser.add_argument("--labels", type=Path, default=shared / "eval", help="exchanges, queries and objects as .jsonl")
    parser.add_argument("--model", type=Path, help="folder of the embedding model")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "pastwork-bench-vectors")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--mode", action="append", help="a search mode; may be given again")
    parser.add_argument("--folds", type=int, default=0)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
