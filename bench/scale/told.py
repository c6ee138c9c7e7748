"""What ``bench/scale/whole.py`` found, as tables against what must be reached, and as a plot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from pastwork.search.filters import Filters

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
SERVING = ("server", "worker")


class Took(Struct, frozen=True):
    """Milliseconds at the median and at the 95th percentile, by the wall; ``cpu`` the same of this process's CPU.

    On a busy machine the wall counts the others' work. The CPU counts both threads that embed a query, so
    that it is more than what an idle machine takes.
    """

    median: float
    slow: float
    cpu: tuple[float, float] = (0.0, 0.0)

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


def report(found: dict[int, Figures]) -> Iterator[str]:
    """Tables of all sizes."""
    sizes = list(found)
    yield f"| median / 95th percentile, ms; in brackets of the CPU | {' | '.join(f'{size:,}' for size in sizes)} |"
    yield "|---|" + "---|" * len(sizes)
    for name in ASKED:
        yield f"| search, {name} | {' | '.join(_both(found[size].searches[name]) for size in sizes)} |"
    yield f"| while typing, 20 hits | {' | '.join(_both(found[size].typing) for size in sizes)} |"
    yield f"| through the language server, 10 hits | {' | '.join(str(found[size].served) for size in sizes)} |"
    yield f"| graph, 10 best | {' | '.join(_both(of.graph_ms, 2) for of in found.values())} |"
    yield f"| recall@10 of the graph | {' | '.join(f'{of.recall:.4f}' for of in found.values())} |"
    yield f"| load of the machine | {' | '.join(f'{of.load:.1f}' for of in found.values())} |"
    yield ""
    yield "| exchanges | indexing, wall s | CPU s | CPU ms an exchange | store, MB | server MB | worker MB | sync MB |"
    yield "|---|" + "---|" * 7
    for f in found.values():
        held = " | ".join(f"{f.resident.get(name, 0):.0f}" for name in ("server", "worker", "sync"))
        at = f.indexed
        each = at.cpu_s / at.exchanges * 1000
        yield f"| {at.exchanges:,} | {at.wall_s:.0f} | {at.cpu_s:.0f} | {each:.2f} | {at.store_mb:.0f} | {held} |"


def _both(took: Took, digits: int = 1) -> str:
    wall, cpu = ("{:.{d}f} / {:.{d}f}".format(*pair, d=digits) for pair in ((took.median, took.slow), took.cpu))
    return f"{wall} [{cpu}]"


def verdicts(found: dict[int, Figures]) -> Iterator[str]:
    """What must be reached, and whether it was."""
    yield "| what | asked | CPU | wall | |"
    yield "|---|---|---|---|---|"
    for size, (middle, slow, memory) in BUDGETS.items():
        if size not in found:
            continue
        of = found[size]
        search = of.searches["10 hits"]
        yield _verdict(f"search at {size:,}, median ms", middle, search.cpu[0], search.median)
        yield _verdict(f"search at {size:,}, 95th percentile ms", slow, search.cpu[1], search.slow)
        yield _verdict(f"each letter at {size:,}, 95th percentile ms", KEYSTROKE_MS, of.typing.cpu[1], of.typing.slow)
        if memory is not None:
            yield _verdict(f"server and worker at {size:,}, MB", memory, sum(of.resident.get(n, 0) for n in SERVING))
    first, last = found[min(found)], found[max(found)]
    yield _verdict("indexing an exchange, last size : first", 1.3, _each(last) / _each(first))
    grown = last.indexed.exchanges / first.indexed.exchanges
    slower = last.searches["10 hits"].cpu[0] / first.searches["10 hits"].cpu[0]
    yield _verdict(f"search, {grown:.0f} times the exchanges", grown, slower)
    yield _verdict("1 - recall@10 of the graph", 0.01, 1 - last.recall)
    yield _verdict("graph, 10 best, median ms", 1.0, last.graph_ms.cpu[0], last.graph_ms.median)


def _each(of: Figures) -> float:
    return of.indexed.cpu_s / of.indexed.exchanges


def _verdict(what: str, asked: float, reached: float, wall: float | None = None) -> str:
    beside = "" if wall is None else f"{wall:.4g}"
    return f"| {what} | <= {asked:g} | {reached:.4g} | {beside} | {'ok' if reached <= asked else '**over**'} |"


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
        middle.plot(sizes, [of.searches[name].cpu[0] for of in found.values()], "o-", label=name)
    middle.plot(sizes, [of.typing.cpu[0] for of in found.values()], "s--", label="while typing, 20 hits")
    middle.set(
        xscale="log", ylim=(0, None), xlabel="exchanges", ylabel="CPU ms, median", title="one search, all included"
    )
    middle.legend(fontsize=8)
    right.plot(sizes, [sum(of.resident.get(n, 0) for n in SERVING) for of in found.values()], "o-")
    right.set(xscale="log", ylim=(0, None), xlabel="exchanges", ylabel="MB", title="server and worker, model loaded")
    figure.tight_layout()
    figure.savefig(target, dpi=110)
