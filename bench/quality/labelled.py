"""Retrieval figures on the labelled queries.

    python bench/quality/labelled.py --home HOME --objects extractive|reference [--mode MODE]...

By the protocol of the labelled set: the whole home is indexed, 200 hits are asked for, hits without a
key are dropped and what is left is ranked; ``all`` is MRR with those hits counted as wrong. With
``--objects reference`` the keyed exchanges carry the reference objects, the others their own.
``--folds N`` prints the spread of the figures over N disjoint parts of the queries.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]

from bench.quality import corpus  # noqa: E402 runs as a file too
from pastwork.config import Config, data_home  # noqa: E402
from pastwork.evaluate import metrics  # noqa: E402
from pastwork.evaluate.documents import Document  # noqa: E402
from pastwork.evaluate.figures import keys_of, values  # noqa: E402
from pastwork.evaluate.labels import Query  # noqa: E402
from pastwork.evaluate.lanes import MemoryLanes  # noqa: E402
from pastwork.evaluate.ranked import Searcher  # noqa: E402
from pastwork.evaluate.statistics import mean  # noqa: E402
from pastwork.index import weights  # noqa: E402
from pastwork.index.embed import Embedder, OnnxEmbedder  # noqa: E402
from pastwork.search.modes import parse  # noqa: E402

HITS = 200
TYPES = ("conceptual", "exact_term", "phrase")
MODES = ("verbatim-okapi", "distilled-okapi", "distilled-exact", "distilled-exact:core+context+rooms", "cross")


#: By figure one value a query.
Values = Mapping[str, Sequence[float]]


class Lanes(MemoryLanes):
    """Lanes over documents: their vectors come from a cache, a query's is made anew, as in a search."""

    def __init__(self, documents: Sequence[Document], embedder: Embedder, cache: Path) -> None:
        full_text = Path(tempfile.mkdtemp(prefix="pastwork-bench-"))
        weakref.finalize(self, shutil.rmtree, full_text, ignore_errors=True)
        super().__init__(documents, lambda texts: corpus.embedded(texts, embedder, cache), full_text)
        self.embedder, self.cache = embedder, cache
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def embed(self, text: str, notes: list[str]) -> NDArray[np.float32]:
        if text not in self._vectors:
            self._vectors[text] = self.embedder.embed([text])[0]
        return self._vectors[text]


def run(mode: str, questions: Sequence[Query], lanes: MemoryLanes, documents: Sequence[Document]) -> Values:
    """Every question under a mode."""
    rankings = Searcher(lanes, documents, HITS).rank(mode, parse(mode), questions).rankings
    return values(rankings, questions, keys_of(documents))


def figures(questions: Sequence[Query], found: Values) -> dict[str, float]:
    """Means over the questions: the figures of the labelled set, MRR by type, MRR over all hits."""
    out = {name: mean(found[name]) for name in metrics.FIGURES if not name.startswith("mean")}
    for kind in TYPES:
        out[kind] = mean([rr for question, rr in zip(questions, found["mrr"], strict=True) if question.type == kind])
    out["all"] = mean(found["mrr_all"])
    return out


def spread(found: Values, folds: int) -> list[float]:
    """MRR of each of ``folds`` disjoint random parts of the questions."""
    order = list(range(len(found["mrr"])))
    random.Random(1).shuffle(order)
    return [mean([found["mrr"][i] for i in order[fold::folds]]) for fold in range(folds)]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    embedder = OnnxEmbedder(options.model or weights.find(Config(), data_home()))
    started = time.monotonic()
    found = corpus.documents(options.home)
    documents = corpus.labelled(found, options.labels, options.objects == "reference")
    questions = corpus.questions(options.labels)
    print(f"{len(documents)} exchanges, distilled in {time.monotonic() - started:.1f} s")
    lanes = Lanes(documents, embedder, options.cache)
    names = list(figures(questions, run("verbatim-okapi", questions, lanes, documents)))
    print(f"| {options.objects} objects | {' | '.join(names)} | ms |")
    print("|---|" + "---|" * (len(names) + 1))
    for mode in options.mode or MODES:
        run(mode, questions[:1], lanes, documents)
        begun = time.perf_counter()
        reached = run(mode, questions, lanes, documents)
        took = (time.perf_counter() - begun) * 1000 / len(questions)
        row = [f"{value:.3f}" for value in figures(questions, reached).values()]
        folds = "".join(f" {value:.3f}" for value in spread(reached, options.folds)) if options.folds else ""
        print(f"| {mode} | {' | '.join(row)} | {took:.1f} |{folds}", flush=True)


def parser_of(about: str | None) -> argparse.ArgumentParser:
    """The options that every run on the labelled set takes; ``about`` is the module's docstring."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="a home folder with transcripts")
    parser.add_argument("--objects", choices=("extractive", "reference"), default="extractive")
    parser.add_argument(
        "--labels", type=Path, default=corpus.shared() / "eval", help="exchanges, queries, objects: .jsonl"
    )
    parser.add_argument("--model", type=Path, help="folder of the embedding model")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "pastwork-bench-vectors")
    return parser


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--mode", action="append", help="a search mode; may be given again")
    parser.add_argument("--folds", type=int, default=0)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
