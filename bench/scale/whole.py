"""The whole of pastwork at growing sizes: what a person waits for, and what the machine gives for it.

    python -m bench.scale.whole --home HOME --work DIR [--sizes 1700 14000 100000] [--report FILE.md]

For each size a home of mixed exchanges is written (``bench/homes.py``), indexed by ``pastwork index
--no-vectors``, and given vectors that are mixtures of real ones (``material.py``). Then the labelled
queries are asked: of a palace in this process, all included (taking the query apart, embedding it, both
lanes, fusion, passages, JSON), and of a language server, whose memory is read with everything loaded.
``typing`` asks every beginning of a query as a palette does, letter by letter. Searches are timed by the
wall, after some unmeasured ones; indexing by the wall and by the CPU of all its processes.

WORK keeps homes, stores and figures: what is there is not made again (``--again`` measures searches anew).
It holds pieces of HOME: keep it private.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from bench import homes
from bench.quality import corpus, labelled
from bench.scale import material
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
TYPED = 40
#: What is asked: the name of a row, and the filters.
ASKED = {
    "10 hits": Filters(scope="all", limit=10),
    "50 hits": Filters(scope="all", limit=50),
    "10 hits, keywords alone": Filters(scope="all", limit=10, mode="verbatim-okapi"),
    "10 hits, one agent": Filters(scope="all", limit=10, agent="codex"),
}
#: What must be reached, ms at the median and at the 95th percentile, and resident MB.
BUDGETS = {1_700: (15, 50, None), 14_000: (20, 60, 350), 100_000: (40, 100, 600)}
KEYSTROKE_MS = 25


class Took(Struct, frozen=True):
    """Milliseconds at the median and at the 95th percentile."""

    median: float
    slow: float

    def __str__(self) -> str:
        return f"{self.median:.1f} / {self.slow:.1f}"


class Indexed(Struct, frozen=True):
    """What indexing one size took."""

    exchanges: int
    wall_s: float
    cpu_s: float
    store_mb: float


class Figures(Struct, frozen=True):
    """One size's figures; ``resident`` by process, in MB."""

    indexed: Indexed
    searches: dict[str, Took]
    typing: Took
    served: Took
    resident: dict[str, float]
    recall: float
    graph_ms: Took
    load: float


def took(deed: Callable[[str], object], asked: Sequence[str]) -> Took:
    """The deed for each, after some unmeasured ones."""
    for query in asked[:WARM]:
        deed(f"{query} again")
    times = []
    for query in asked:
        started = time.perf_counter()
        deed(query)
        times.append((time.perf_counter() - started) * 1000)
    return quantiles(times)


def quantiles(times: list[float]) -> Took:
    times.sort()
    return Took(median(times), times[min(len(times) - 1, int(len(times) * 0.95))])


class Place:
    """Where one size's home and store lie."""

    def __init__(self, work: Path, size: int, model: Path) -> None:
        self.size, self.model = size, model
        self.folder = work / str(size)
        self.home, self.data = (self.folder / "home").resolve(), self.folder / "data"

    def environment(self) -> dict[str, str]:
        config = self.folder / "config.toml"
        config.write_text(f"[embedding]\nmodel = {json.dumps(str(self.model.resolve()))}\n", encoding="utf-8")
        own = {"HOME": str(self.home), "PASTWORK_HOME": str(self.data), "PASTWORK_CONFIG": str(config)}
        agents = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
        return {name: value for name, value in os.environ.items() if name not in agents} | own


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


def served(place: Place, asked: Sequence[str]) -> tuple[Took, dict[str, float]]:
    """Of a language server, the way an editor asks; and what its processes hold in the end."""
    client = Client([sys.executable, "-m", "pastwork", "lsp"], place.environment(), place.home)
    client.initialize([place.home])
    times = took(lambda query: client.request("pastwork/search", {"query": query, "scope": "all", "limit": 10}), asked)
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
    times = []
    for query in queries:
        started = time.perf_counter()
        graph.search(query, 10)
        times.append((time.perf_counter() - started) * 1000)
    return shared / (10 * len(queries)), quantiles(times)


def figures(place: Place, real: NDArray[np.float32], asked: Sequence[str], again: bool) -> Figures:
    """All of one size, from the work folder where they are there."""
    kept = place.folder / "figures.json"
    if again or not kept.exists():
        parts = indexed(place), searched(place, asked), served(place, asked)
        load = os.getloadavg()[0]
        recall, graph = walked(place, real)
        found = Figures(parts[0], *parts[1], *parts[2], recall, graph, load)
        kept.write_bytes(msgspec.json.encode(found))
    return msgspec.json.decode(kept.read_bytes(), type=Figures)


def report(found: dict[int, Figures]) -> Iterator[str]:
    """Tables of all sizes."""
    sizes = list(found)
    yield f"| median / 95th percentile, ms | {' | '.join(f'{size:,}' for size in sizes)} |"
    yield "|---|" + "---|" * len(sizes)
    for name in ASKED:
        yield f"| search, {name} | {' | '.join(str(found[size].searches[name]) for size in sizes)} |"
    yield f"| while typing, 20 hits | {' | '.join(str(found[size].typing) for size in sizes)} |"
    yield f"| through the language server, 10 hits | {' | '.join(str(found[size].served) for size in sizes)} |"
    walks = (f"{f.graph_ms.median:.2f} / {f.graph_ms.slow:.2f}" for f in found.values())
    yield f"| graph, 10 best | {' | '.join(walks)} |"
    yield f"| recall@10 of the graph | {' | '.join(f'{f.recall:.4f}' for f in found.values())} |"
    yield f"| load of the machine | {' | '.join(f'{f.load:.1f}' for f in found.values())} |"
    yield ""
    yield "| exchanges | indexing, wall s | CPU s | CPU ms an exchange | store, MB | server MB | worker MB | sync MB |"
    yield "|---|" + "---|" * 7
    for f in found.values():
        held = " | ".join(f"{f.resident.get(name, 0):.0f}" for name in ("server", "worker", "sync"))
        at = f.indexed
        each = at.cpu_s / at.exchanges * 1000
        yield f"| {at.exchanges:,} | {at.wall_s:.0f} | {at.cpu_s:.0f} | {each:.2f} | {at.store_mb:.0f} | {held} |"


def verdicts(found: dict[int, Figures]) -> Iterator[str]:
    """What must be reached, and whether it was."""
    yield "| what | asked | reached | |"
    yield "|---|---|---|---|"
    for size, (middle, slow, memory) in BUDGETS.items():
        if size not in found:
            continue
        of = found[size]
        search = of.searches["10 hits"]
        yield _verdict(f"search at {size:,}, median ms", middle, search.median)
        yield _verdict(f"search at {size:,}, 95th percentile ms", slow, search.slow)
        yield _verdict(f"each letter typed at {size:,}, 95th percentile ms", KEYSTROKE_MS, of.typing.slow)
        if memory is not None:
            yield _verdict(f"server and worker at {size:,}, MB", memory, sum(of.resident.get(n, 0) for n in SERVING))
    first, last = found[min(found)], found[max(found)]
    yield _verdict("indexing an exchange, last size : first", 1.3, _each(last) / _each(first))
    grown = last.indexed.exchanges / first.indexed.exchanges
    slower = last.searches["10 hits"].median / first.searches["10 hits"].median
    yield _verdict(f"search, {grown:.0f} times the exchanges", grown, slower)
    yield _verdict("1 - recall@10 of the graph", 0.01, 1 - last.recall)
    yield _verdict("graph, 10 best, median ms", 1.0, last.graph_ms.median)


SERVING = ("server", "worker")


def _each(of: Figures) -> float:
    return of.indexed.cpu_s / of.indexed.exchanges


def _verdict(what: str, asked: float, reached: float) -> str:
    return f"| {what} | <= {asked:g} | {reached:.4g} | {'ok' if reached <= asked else '**over**'} |"


def plot(found: dict[int, Figures], target: Path) -> None:
    """Indexing one more exchange, one search, and memory, over the size of the history."""
    import matplotlib as library

    library.use("Agg")
    from matplotlib import pyplot

    sizes = [of.indexed.exchanges for of in found.values()]
    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(14, 4))
    left.plot(sizes, [_each(of) * 1000 for of in found.values()], "o-")
    left.set(xscale="log", ylim=(0, None), xlabel="exchanges", ylabel="CPU ms", title="indexing one exchange")
    for name in ASKED:
        middle.plot(sizes, [of.searches[name].median for of in found.values()], "o-", label=name)
    middle.plot(sizes, [of.typing.median for of in found.values()], "s--", label="while typing, 20 hits")
    middle.set(xscale="log", ylim=(0, None), xlabel="exchanges", ylabel="ms, median", title="one search, all included")
    middle.legend(fontsize=8)
    right.plot(sizes, [sum(of.resident.get(n, 0) for n in SERVING) for of in found.values()], "o-")
    right.set(xscale="log", ylim=(0, None), xlabel="exchanges", ylabel="MB", title="server and worker, model loaded")
    figure.tight_layout()
    figure.savefig(target, dpi=110)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    labelled.add_options(parser)
    parser.add_argument("--work", type=Path, required=True, help="keeps homes, stores and figures")
    parser.add_argument("--sizes", type=int, nargs="+", default=sorted(BUDGETS))
    parser.add_argument("--again", action="store_true", help="measure searches anew")
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
        print("\n".join(report({size: found[size]})), flush=True)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    lines = [f"{machine}, {datetime.now(UTC):%Y-%m-%d}", "", *report(found), "", *verdicts(found)]
    print("\n".join(lines))
    if options.report:
        options.report.write_text("\n".join(lines) + "\n", encoding="utf-8")
        plot(found, options.report.with_suffix(".png"))


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
