"""What agents get of past work, measured on a home: writes ``bench/results/<date>-memory.md``.

    python -m bench.memory.run --home HOME --model DIR [--data DIR] [--labels DIR]

The home is indexed into a scratch folder that is removed in the end, unless ``--data`` names one that is
indexed already. Nothing of the home is written, and nothing of it gets into the results but counts.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.environment import environment
from bench.memory import packing, server, usefulness
from bench.quality import corpus
from bench.quantiles import quantiles
from pastwork.config import Config, Embedding
from pastwork.evaluate import labels
from pastwork.model import WROTE
from pastwork.palace import Palace
from pastwork.store.reader import StoreReader

ROOT = Path(__file__).resolve().parents[2]
EXCHANGES = 1_000
FILES, QUERIES = 40, 60
#: Requirements: tokens, milliseconds, share, seconds, megabytes.
PIECES, PAIRS, PACK_MS = 54_000, 45_000, 50.0
USEFUL_AT, USEFUL = 8_000, 0.9
CALL_MS, FIRST_S, RESIDENT_MB, ANSWER = 30.0, 1.5, 120.0, 1_500


def main() -> None:
    """Command line entry."""
    given = _options()
    scratch = Path(tempfile.mkdtemp(prefix="pastwork-memory-"))
    try:
        variables = _variables(given, scratch)
        if given.data is None:
            _index(given.home, variables)
        lines = list(_report(given, Path(variables["PASTWORK_HOME"]), variables))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    path = ROOT / "bench/results" / f"{datetime.now(UTC):%Y-%m-%d}-memory.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="folder of the embedding model")
    parser.add_argument("--data", type=Path, help="a data folder that is indexed already")
    parser.add_argument("--labels", type=Path, default=corpus.shared() / "eval", help="exchanges and queries as .jsonl")
    return parser.parse_args()


def _variables(given: argparse.Namespace, scratch: Path) -> dict[str, str]:
    data = given.data.resolve() if given.data else scratch / "data"
    return environment(given.home, data, given.model, scratch / "config.toml")


def _index(home: Path, variables: dict[str, str]) -> None:
    scan = ["--scan", str((home / "code").resolve())] if (home / "code").is_dir() else []
    subprocess.run([sys.executable, "-m", "pastwork", "index", *scan], env=variables, cwd=home, check=True)


def _report(given: argparse.Namespace, data: Path, variables: dict[str, str]) -> Iterator[str]:
    config = Config(embedding=Embedding(model=str(given.model.resolve())))
    counts = packing.Counts(given.model)
    queries = [line.query for line in labels.read_queries(given.labels / "queries.jsonl")]
    with Palace(data, config, given.home, lambda: datetime.now(UTC)) as palace, StoreReader.open(data) as store:
        yield from _head(store)
        yield from _packing(palace, store, counts, queries[0])
        workspace, files = _busiest(store)
        served = asyncio.run(server.measured(variables, workspace, queries[:QUERIES], files))
        yield from _served(served, counts)
        yield from _usefulness(usefulness.measured(palace, store, given.labels), len(queries))


def _head(store: StoreReader) -> Iterator[str]:
    yield f"# Memory for agents, {datetime.now(UTC):%Y-%m-%d}"
    yield ""
    load, exchanges = os.getloadavg()[0], sum(store.workspaces().values())
    yield (
        f"`python -m bench.memory.run --home HOME --model DIR` on {os.cpu_count()} cores ({platform.machine()}), "
        f"Python {platform.python_version()}, load {load:.1f} at the begin; {exchanges} exchanges. "
        "docs/agents-memory.md says what is packed and served."
    )


def _packing(palace: Palace, store: StoreReader, counts: packing.Counts, query: str) -> Iterator[str]:
    found = [*packing.packed(palace, counts, EXCHANGES, query), packing.whole_objects(store, counts, EXCHANGES)]
    yield from _table(
        f"{EXCHANGES} exchanges in tokens",
        ("pack", "exchanges", "of them folded", "MiniLM word pieces", f"byte pairs ({counts.pairs_by})"),
        [(each.what, each.exchanges, each.folded, each.pieces, each.pairs) for each in found],
    )
    times = packing.timed(palace, store, EXCHANGES)
    yield from _figures(
        "Packing against what is asked",
        [
            ("word pieces of the newest", found[0].pieces, PIECES, found[0].pieces <= PIECES),
            ("byte pairs of the newest", found[0].pairs, PAIRS, found[0].pairs <= PAIRS),
            ("packing them, median, ms", f"{times.packing:.1f}", PACK_MS, times.packing <= PACK_MS),
            ("the same in processor time, median, ms", f"{times.processor:.1f}", "", None),
            ("the first pack of a process, ms", f"{times.first:.1f}", "", None),
            ("with finding and reading them, median, ms", f"{times.whole:.1f}", "", None),
        ],
    )


def _served(served: server.Served, counts: packing.Counts) -> Iterator[str]:
    middle, _ = quantiles([sample for each in served.calls.values() if len(each) > 1 for sample in each])
    first = max(served.first_s)
    longest = max(counts.of(text)[0] for text in served.answers.values())
    yield from _figures(
        "The server against what is asked",
        [
            ("any tool call, median, ms", f"{middle:.1f}", CALL_MS, middle <= CALL_MS),
            ("start to first answer, slowest of 3, s", f"{first:.2f}", FIRST_S, first <= FIRST_S),
            *_resident(served),
            ("longest answer, word pieces", longest, ANSWER, longest <= ANSWER),
            ("what describes the tools, schemas included, word pieces", counts.of(served.described)[0], "", None),
        ],
    )
    yield from _table(
        "Round trips of tool calls",
        ("tool", "calls", "p50, ms", "p95, ms"),
        [(name, len(each), *(f"{figure:.1f}" for figure in quantiles(each))) for name, each in served.calls.items()],
    )


def _resident(served: server.Served) -> Iterator[tuple[str, object, object, bool | None]]:
    yield "resident after the first answer, MB", f"{served.resident_first_mb:.0f}", "", None
    before = served.resident_keyword_mb
    yield "resident before the first semantic search, MB", f"{before:.0f}", f"{RESIDENT_MB:.0f}", before <= RESIDENT_MB
    yield "resident after it, MB", f"{served.resident_semantic_mb:.0f}", "", None


def _usefulness(curve: usefulness.Curve, queries: int) -> Iterator[str]:
    rows = zip(usefulness.BUDGETS, curve.packs, curve.lines, curve.objects, curve.verbatim, strict=True)
    head = ("budget", "pack as users get it", "its lines, mean", "objects, core and context alone", "verbatim")
    yield from _table(
        f"Queries whose answer is in the budget, of {queries}",
        head,
        [
            (f"{b:,}", f"{pack:.3f}", f"{n:.0f}", f"{objects:.3f}", f"{whole:.3f}")
            for b, pack, n, objects, whole in rows
        ],
    )
    reached = curve.packs[usefulness.BUDGETS.index(USEFUL_AT)]
    yield from _figures(
        "Usefulness against what is asked", [(f"at {USEFUL_AT:,} tokens", f"{reached:.3f}", USEFUL, reached >= USEFUL)]
    )


def _busiest(store: StoreReader) -> tuple[Path, list[str]]:
    """The existing workspace with the most exchanges, and the files changed in it most often, by path in it."""
    workspace = next(
        folder
        for folder in sorted(store.workspaces(), key=lambda name: -store.workspaces()[name])
        if folder and Path(folder).is_dir()
    )
    times: dict[str, int] = {}
    works = [work for work in store.all_file_work() if work.relative and work.action in WROTE]
    kept = store.kept({work.row for work in works})
    for work in works:
        if kept[work.row].workspace == workspace:
            times[work.relative or ""] = times.get(work.relative or "", 0) + 1
    return Path(workspace), sorted(times, key=lambda name: -times[name])[:FILES]


def _figures(title: str, rows: Sequence[tuple[str, object, object, bool | None]]) -> Iterator[str]:
    verdicts = {True: "met", False: "**missed**", None: ""}
    yield from _table(title, ("what", "measured", "asked", ""), [(*row[:3], verdicts[row[3]]) for row in rows])


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    yield from ("", f"## {title}", "", f"| {' | '.join(head)} |", "|---" * len(head) + "|")
    for row in rows:
        yield f"| {' | '.join(str(cell) for cell in row)} |"


if __name__ == "__main__":
    main()
