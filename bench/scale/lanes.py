"""The lanes at growing sizes: what indexing and searching cost, beside other keyword indexes.

    python -m bench.scale.lanes --home HOME [--sizes 1700 14000 100000] [--rivals] [--plot FILE]

Exchanges are mixed from those of HOME (``material.py``), asked with the labelled queries. Times are of
the CPU, so that other work on the machine counts little; searches ask for 200 results.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from bench.quality import corpus, labelled, rivals
from bench.quantiles import quantiles
from bench.scale import material
from pastwork.config import Config, data_home
from pastwork.evaluate.documents import Document
from pastwork.index import weights
from pastwork.index.base import Fields
from pastwork.index.embed import OnnxEmbedder
from pastwork.index.okapi import OkapiLane
from pastwork.index.tokens import tokens
from pastwork.index.vectors import ExactLane, HnswLane, VectorLane
from pastwork.search.spelling import understand

K = 200
BATCH = 128
#: Sizes from which a graph is measured, too.
GRAPH_FROM = 10_000


class Taken(Struct, frozen=True):
    """Median and 95th percentile in CPU milliseconds."""

    median: float
    slow: float

    def __str__(self) -> str:
        return f"{self.median:.2f} / {self.slow:.2f}"


class Row(Struct):
    """One size's figures."""

    size: int
    add_ms: float
    megabytes: float
    okapi: Taken
    spelling: Taken
    exact: Taken
    hnsw: Taken | None
    recall: float | None
    resident: int


def taken(deed: Callable[[int], object], count: int) -> Taken:
    """The deed for each number below ``count``, after some unmeasured ones."""
    for number in range(min(20, count)):
        deed(number)
    times = []
    for number in range(count):
        started = time.process_time()
        deed(number)
        times.append((time.process_time() - started) * 1000)
    return Taken(*quantiles(times))


def filled(path: Path, texts: Iterable[Fields]) -> tuple[float, int]:
    """Writes the texts as a sync does, a transaction a batch; gives CPU seconds and the number of texts."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    lane = OkapiLane(database)
    lane.prepare()
    rows, spent, numbered = 0, 0.0, enumerate(texts)
    while batch := list(islice(numbered, BATCH)):
        started = time.process_time()
        database.execute("BEGIN")
        lane.add(batch)
        database.execute("COMMIT")
        spent += time.process_time() - started
        rows += len(batch)
    started = time.process_time()
    while lane.tidy():
        pass
    database.close()
    return spent + time.process_time() - started, rows


def measured(
    size: int,
    documents: Sequence[Document],
    real: NDArray[np.float32],
    asked: Sequence[str],
    queries: NDArray[np.float32],
    folder: Path,
) -> Row:
    """All figures of one size."""
    path = folder / f"{size}.db"
    spent, rows = filled(path, material.texts(documents, size))
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    lane = OkapiLane(database)
    okapi = taken(lambda n: lane.lookup(dict.fromkeys(tokens(asked[n]), 1.0), K), len(asked))
    spelling = taken(lambda n: understand(asked[n] + " conection", False, lane), len(asked))
    matrix = material.vectors(real, size)
    exact = _loaded(ExactLane(), matrix)
    graph = _loaded(HnswLane(), matrix) if size >= GRAPH_FROM else None
    del matrix
    row = Row(
        size,
        spent / rows * 1000,
        path.stat().st_size / 1e6,
        okapi,
        spelling,
        taken(lambda n: exact.search(queries[n], K), len(queries)),
        taken(lambda n: graph.search(queries[n], 10), len(queries)) if graph else None,
        _recall(exact, graph, queries) if graph else None,
        _resident(),
    )
    database.close()
    return row


def _loaded(lane: VectorLane, matrix: NDArray[np.float32]) -> VectorLane:
    lane.load(np.arange(len(matrix)), matrix)
    return lane


def _recall(exact: VectorLane, graph: VectorLane, queries: NDArray[np.float32]) -> float:
    """Share of the ten best that the graph finds."""
    shared = 0
    for query in queries:
        best = {hit.row for hit in exact.search(query, 10)}
        shared += len(best & {hit.row for hit in graph.search(query, 10)})
    return shared / (10 * len(queries))


def _resident() -> int:
    """Megabytes of this process now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def beside(size: int, documents: Sequence[Document], asked: Sequence[str]) -> None:
    """Other keyword indexes over the same texts."""
    texts = ["\n".join((f.prompt, f.prose, f.commands, f.errors)) for f in material.texts(documents, size)]
    for name, make in rivals.RIVALS.items():
        started = time.process_time()
        try:
            search = make(texts)
        except ImportError as error:
            print(f"| {name} | {size} | {error} | - |")
            continue
        built = time.process_time() - started
        asking = taken(partial(_ask, search, asked), len(asked))
        print(f"| {name} | {size} | {built:.1f} | {asking} |", flush=True)


def _ask(search: rivals.Search, asked: Sequence[str], number: int) -> list[int]:
    return search(asked[number], K)


def table(rows: Iterable[Row]) -> list[Row]:
    print(
        "| exchanges | add, ms each | MB | okapi p50 / p95 | a typo | exact | hnsw, 10 best | recall@10 | resident MB |"
    )
    print("|---|" + "---|" * 8)
    found = []
    for r in rows:
        graph = f"{r.hnsw} | {r.recall:.4f}" if r.hnsw is not None else "- | -"
        cells = (r.size, f"{r.add_ms:.2f}", f"{r.megabytes:.0f}", r.okapi, r.spelling, r.exact, graph, r.resident)
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        found.append(r)
    return found


def plot(rows: Sequence[Row], target: Path) -> None:
    """Cost of one more exchange and of one search, over the size of the history."""
    import matplotlib as library

    library.use("Agg")
    from matplotlib import pyplot

    sizes = [row.size for row in rows]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    left.plot(sizes, [row.add_ms for row in rows], "o-")
    left.set(
        xscale="log", ylim=(0, None), xlabel="exchanges", ylabel="CPU ms", title="indexing one exchange (keywords)"
    )
    right.plot(sizes, [row.okapi.median for row in rows], "o-", label="okapi")
    right.plot(sizes, [row.exact.median for row in rows], "s-", label="exact vectors")
    right.set(xscale="log", yscale="log", xlabel="exchanges", ylabel="CPU ms, median", title="one search, 200 results")
    right.legend()
    figure.tight_layout()
    figure.savefig(target, dpi=110)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = labelled.parser_of(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 3_000, 10_000, 30_000, 100_000])
    parser.add_argument("--rivals", action="store_true", help="also build FTS5, bm25s and tantivy at each size")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args(arguments)
    embedder = OnnxEmbedder(options.model or weights.find(Config(), data_home()))
    documents = corpus.documents(options.home)
    real = corpus.embedded(
        [f"{d.distilled['core']}\n{d.distilled['context']}" for d in documents], embedder, options.cache
    )
    asked = [question.query for question in corpus.questions(options.labels)]
    queries = material.vectors(real, 200, seed=2)
    embedder.release()
    with tempfile.TemporaryDirectory() as folder:
        rows = table(measured(size, documents, real, asked, queries, Path(folder)) for size in options.sizes)
    if options.plot:
        plot(rows, options.plot)
    if options.rivals:
        print("\n| keyword index | exchanges | build, CPU s | search p50 / p95 |\n|---|---|---|---|")
        for size in options.sizes:
            beside(size, documents, asked)


if __name__ == "__main__":
    main()
