"""The whole of pastwork at growing sizes: what a person waits for, and what the machine gives for it.

    python -m bench.scale.whole --home HOME --work DIR [--sizes 1700 14000 100000] [--report FILE.md]

For each size a home of mixed exchanges is written (``bench/homes.py``), indexed by ``pastwork index
--no-vectors``, and given vectors that are mixtures of real ones (``material.py``). Then the labelled
queries are asked: of a palace in this process, all included (taking the query apart, embedding it, both
lanes, fusion, passages, JSON), and of a language server, whose memory is read with everything loaded.
``typing`` asks every beginning of a query as a palette does, letter by letter. Searches, after some
unmeasured ones, and indexing are timed by the wall and by the CPU.

``--agentsview URL`` asks a running ``agentsview serve`` over the home of the last size the same queries,
beside the language server.

WORK keeps homes, stores and figures: what is there is not made again (``--again`` measures searches anew).
It holds pieces of HOME: keep it private.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from bench import homes
from bench.environment import environment
from bench.quality import corpus, labelled, rivals
from bench.quantiles import quantiles
from bench.scale import material, told
from bench.scale.told import ASKED, Figures, Indexed, Took
from bench.speed.client import Client
from bench.speed.process import family
from pastwork.config import Config, Embedding, data_home
from pastwork.index import weights
from pastwork.index.embed import OnnxEmbedder
from pastwork.index.vectors import ExactLane, HnswLane
from pastwork.palace import Palace
from pastwork.search.filters import Filters
from pastwork.store.records import RowFilter
from pastwork.store.vectors import recipe
from pastwork.store.writer import StoreWriter

#: Searches before any is timed.
WARM = 20
#: Queries that are typed letter by letter.
TYPED = 16


def took(deed: Callable[[str], object], asked: Sequence[str]) -> Took:
    """The deed for each, after some unmeasured ones."""
    for query in asked[:WARM]:
        deed(f"{query} again")
    wall, cpu = [], []
    for query in asked:
        started, spent = time.perf_counter(), time.process_time()
        deed(query)
        wall.append((time.perf_counter() - started) * 1000)
        cpu.append((time.process_time() - spent) * 1000)
    return Took(*quantiles(wall), quantiles(cpu))


class Place:
    """Where one size's home and store lie."""

    def __init__(self, work: Path, size: int, model: Path) -> None:
        self.size, self.model = size, model
        self.folder = work / str(size)
        self.home, self.data = (self.folder / "home").resolve(), self.folder / "data"

    def environment(self) -> dict[str, str]:
        return environment(self.home, self.data, self.model, self.folder / "config.toml")


def made(place: Place, learn: Callable[[], homes.Material]) -> None:
    """The home, once."""
    if not place.home.exists():
        part = place.folder / "home.part"
        part.mkdir(parents=True, exist_ok=True)
        homes.write(learn(), part, place.size, seed=1)
        part.rename(place.folder / "home")


def indexed(place: Place) -> Indexed:
    """The store without vectors, once; what it took is kept beside it."""
    kept = place.folder / "indexed.json"
    if not kept.exists():
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-m", "pastwork", "index", "--no-vectors", "--json"]
        subprocess.run(command, env=place.environment(), cwd=place.home, check=True, stdout=subprocess.DEVNULL)
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        with StoreWriter.open(place.data) as store:
            count = store.count(RowFilter())
        size = sum(file.stat().st_size for file in place.data.rglob("*") if file.is_file()) / 1e6
        kept.write_bytes(msgspec.json.encode(Indexed(count, wall, cpu, size)))
    return msgspec.json.decode(kept.read_bytes(), type=Indexed)


def embedded(place: Place, real: NDArray[np.float32]) -> None:
    """Mixtures of real vectors for every row that has none."""
    name = recipe(OnnxEmbedder.name)
    with StoreWriter.open(place.data) as store:
        have = set(store.vector_rows(name))
        rows = [row for row in store.recent(RowFilter(), -1) if row not in have]
        matrix = material.vectors(real, len(rows))
        for start in range(0, len(rows), 2_000):
            with store.transaction():
                store.put_vectors(name, rows[start : start + 2_000], matrix[start : start + 2_000])


def searched(place: Place, asked: Sequence[str]) -> tuple[dict[str, Took], Took]:
    """Of a palace in this process: by kind of search, and letter by letter."""
    config = replace(Config(), embedding=Embedding(model=str(place.model)))
    encode = msgspec.json.Encoder().encode
    with Palace(place.data, config, place.home, lambda: datetime.now(UTC)) as palace:

        def ask(filters: Filters) -> Callable[[str], object]:
            return lambda query: encode(palace.search(query, filters))

        found = {name: took(ask(filters), asked) for name, filters in ASKED.items()}
        typed = list(typing(asked[:: max(1, len(asked) // TYPED)]))
        return found, took(ask(Filters(scope="all", limit=20)), typed)


def typing(asked: Sequence[str]) -> Iterator[str]:
    """Every beginning of each query."""
    return (query[:length] for query in asked for length in range(1, len(query) + 1))


def served(place: Place, asked: Sequence[str], mode: str = "cross") -> tuple[Took, dict[str, float]]:
    """Of a language server, the way an editor asks; and what its processes hold in the end."""
    client = Client([sys.executable, "-m", "pastwork", "lsp"], place.environment(), place.home)
    client.initialize([place.home])
    given = {"mode": mode, "scope": "all", "limit": 10}
    times = took(lambda query: client.request("pastwork/search", {"query": query, **given}), asked)
    resident = family(client.process.pid)
    client.close()
    return times, resident


def walked(place: Place, real: NDArray[np.float32]) -> tuple[float, Took]:
    """The graph over the store's vectors: recall of the ten best against exact search, and its time."""
    with StoreWriter.open(place.data) as store:
        rows, matrix = store.vectors(recipe(OnnxEmbedder.name))
    exact, graph = ExactLane(), HnswLane()
    exact.load(rows, matrix)
    graph.load(rows, matrix)
    queries = material.vectors(real, 200, seed=2)
    shared = 0
    for query in queries:
        best = {hit.row for hit in exact.search(query, 10)}
        shared += len(best & {hit.row for hit in graph.search(query, 10)})
    wall, cpu = [], []
    for query in queries:
        started, spent = time.perf_counter(), time.process_time()
        graph.search(query, 10)
        wall.append((time.perf_counter() - started) * 1000)
        cpu.append((time.process_time() - spent) * 1000)
    return shared / (10 * len(queries)), Took(*quantiles(wall), quantiles(cpu))


def walked_once(place: Place, real: NDArray[np.float32]) -> tuple[float, Took]:
    """``walked``, kept: a graph of a hundred thousand vectors takes a minute or two to make."""
    kept = place.folder / "walked.json"
    if not kept.exists():
        kept.write_bytes(msgspec.json.encode(walked(place, real)))
    return msgspec.json.decode(kept.read_bytes(), type=tuple[float, Took])


def figures(place: Place, real: NDArray[np.float32], asked: Sequence[str], again: bool) -> Figures:
    """All of one size, from the work folder where they are there."""
    kept = place.folder / "figures.json"
    if again or not kept.exists():
        parts = indexed(place), searched(place, asked), served(place, asked)
        found = Figures(parts[0], *parts[1], *parts[2], *walked_once(place, real), os.getloadavg()[0])
        kept.write_bytes(msgspec.json.encode(found))
    return msgspec.json.decode(kept.read_bytes(), type=Figures)


def beside(place: Place, asked: Sequence[str], url: str) -> Iterator[str]:
    """The same queries to both servers in turn, ten hits each, all included."""
    other = rivals.agentsview(url)
    yield f"| at {place.size:,} exchanges, ms | median / 95th percentile |"
    yield "|---|---|"
    yield f"| agentsview | {took(lambda query: other(query, 10), asked)} |"
    yield f"| pastwork, through its language server | {served(place, asked)[0]} |"
    yield f"| pastwork, keywords alone | {served(place, asked, 'verbatim-okapi')[0]} |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = labelled.parser_of(__doc__)
    parser.add_argument("--work", type=Path, required=True, help="keeps homes, stores and figures")
    parser.add_argument("--sizes", type=int, nargs="+", default=sorted(told.BUDGETS))
    parser.add_argument("--again", action="store_true", help="measure searches anew")
    parser.add_argument("--agentsview", metavar="URL", help="of one that has read the home of the last size")
    parser.add_argument("--report", type=Path, help="Markdown file for the tables; the plot lies beside it as .png")
    options = parser.parse_args(arguments)
    model = options.model or weights.find(Config(), data_home())
    asked = [question.query for question in corpus.questions(options.labels)]
    found = {}
    code = options.home / "code"
    for size in options.sizes:
        place = Place(options.work.resolve(), size, model)
        made(place, lambda: homes.learn(options.home, (code,) if code.is_dir() else ()))
        indexed(place)
        real = vectors(options, model)
        embedded(place, real)
        found[size] = figures(place, real, asked, options.again)
        print("\n".join(told.report({size: found[size]})), flush=True)
    found = dict(sorted(found.items()))
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    lines = [f"{machine}, {datetime.now(UTC):%Y-%m-%d}", "", *told.report(found), "", *told.verdicts(found)]
    if options.agentsview:
        lines += ["", *beside(Place(options.work.resolve(), options.sizes[-1], model), asked, options.agentsview)]
    print("\n".join(lines))
    if options.report:
        options.report.write_text("\n".join(lines) + "\n", encoding="utf-8")
        told.plot(found, options.report.with_suffix(".png"))


def vectors(options: argparse.Namespace, model: Path) -> NDArray[np.float32]:
    """Of the real home's distilled texts, from the cache where they are there."""
    embedder = OnnxEmbedder(model)
    texts = [f"{d.distilled['core']}\n{d.distilled['context']}" for d in corpus.documents(options.home)]
    try:
        return corpus.embedded(texts, embedder, options.cache)
    finally:
        embedder.release()


if __name__ == "__main__":
    main()
