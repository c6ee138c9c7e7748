"""Measures pastwork on a home: ``python -m bench.speed.run --home HOME [--scan DIR] --model DIR``.

Writes ``bench/results/<date>-<machine>.md`` with every figure beside its budget. Nothing of the home
is written; the store goes to a scratch folder that is removed in the end.

How the figures are taken: index times are wall times of the whole command, from process start to end;
search times are round trips of ``pastwork/search`` through the language server, all included, after one
warm-up query; lens and hover times are round trips too, over all given files in turn. ``while
indexing`` runs ``pastwork.server.reindex`` with everything read anew at the same time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.environment import environment
from bench.quantiles import quantiles
from bench.speed.client import Client
from bench.speed.process import family

ROOT = Path(__file__).resolve().parent.parent.parent
PASTWORK = [sys.executable, "-m", "pastwork"]


@dataclass
class Figures:
    """Name -> value in the order taken; names carry their unit."""

    values: dict[str, float] = field(default_factory=dict)

    def take(self, group: str, name: str, value: float) -> None:
        self.values[f"{group}.{name}"] = value
        print(f"  {group}.{name} = {value:.2f}", flush=True)

    def quantiles(self, group: str, name: str, samples: list[float]) -> None:
        """p50 and p95 of round trips in milliseconds."""
        for figure, value in zip(("p50", "p95"), quantiles(samples), strict=True):
            self.take(group, f"{name}_{figure}_ms", value)


@dataclass(frozen=True)
class Place:
    """Where one run happens."""

    home: Path
    scans: tuple[Path, ...]
    environment: dict[str, str]
    data: Path


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--scan", type=Path, action="append", default=[])
    parser.add_argument("--model", type=Path, required=True, help="folder of the embedding model")
    parser.add_argument("--queries", type=Path, help="JSON lines with a `query` each; else words of the prompts")
    parser.add_argument("--label", default="", help="named in the results file")
    given = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="pastwork-bench-"))
    try:
        place = _place(given, scratch)
        figures = Figures()
        index_figures(place, given.model, figures)
        queries = list(_queries(place, given.queries))
        cold_search(place, queries[0], figures)
        editor_figures(place, queries, figures)
        report(figures, given.label)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _place(given: argparse.Namespace, scratch: Path) -> Place:
    data = scratch / "data"
    variables = environment(given.home, data, given.model, scratch / "config.toml")
    return Place(given.home.resolve(), tuple(given.scan), variables, data)


def index_figures(place: Place, model: Path, figures: Figures) -> None:
    """Cold index, vectors against plain batches, nothing new, peak memory."""
    scans = [word for folder in place.scans for word in ("--scan", str(folder.resolve()))]
    seconds, answer = _command(place, "index", "--no-vectors", *scans)
    figures.take("index", "exchanges", answer["exchanges"]["new"])
    figures.take("index", "keyword_searchable_s", seconds)
    seconds, _ = _command(place, "index", "--no-vectors")
    figures.take("index", "nothing_new_s", seconds)
    texts = _pending(place)
    seconds, answer = _command(place, "index")
    figures.take("index", "vectors_s", seconds)
    plain = _plain_batches(texts, model)
    figures.take("index", "plain_batches_s", plain)
    figures.take("index", "vectors_ratio", seconds / plain)
    figures.take("index", "peak_mb", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6)
    figures.take(
        "index", "store_mb", sum(file.stat().st_size for file in place.data.rglob("*") if file.is_file()) / 1e6
    )


def cold_search(place: Place, query: str, figures: Figures) -> None:
    """One search from a cold process, keyword lane alone and with everything."""
    figures.take(
        "cli",
        "cold_search_keyword_s",
        _command(place, "search", query, "--scope", "all", "--mode", "verbatim-okapi")[0],
    )
    figures.take("cli", "cold_search_cross_s", _command(place, "search", query, "--scope", "all")[0])


def editor_figures(place: Place, queries: list[str], figures: Figures) -> None:
    """The language server: start, lens and hover, searches, memory."""
    files = _edited_files(place)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        client = Client([*PASTWORK, "lsp"], place.environment, workspace)
        figures.take("editor", "initialize_ms", client.initialize([Path(root) for root in files]))
        documents = list(_open(client, files))
        _settle(client, documents[0])
        _lens_and_hover(client, documents, figures, "")
        figures.take("memory", "server_mb", family(client.process.pid)["server"])
        for mode in ("verbatim-okapi", "cross", "distilled-exact"):
            client.request("pastwork/search", {"query": queries[0], "mode": mode, "scope": "all"})
            samples = [client.timed("pastwork/search", {"query": q, "mode": mode, "scope": "all"})[0] for q in queries]
            figures.quantiles("search", mode.replace("-", "_"), samples)
        whole = family(client.process.pid)
        figures.take("memory", "with_model_mb", whole["server"] + whole.get("worker", 0.0))
        figures.take("memory", "sync_idle_mb", whole.get("sync", 0.0))
        pending = client.send("workspace/executeCommand", {"command": "pastwork.server.reindex", "arguments": [True]})
        _lens_and_hover(client, documents, figures, "_while_indexing", until=lambda: client.answered(pending))
        client.wait(pending, 600)
        client.close()


def _lens_and_hover(
    client: Client, documents: list[str], figures: Figures, suffix: str, until: Callable[[], bool] | None = None
) -> None:
    """A thousand of each; with ``until``, one of each every few milliseconds until it says so."""
    lenses: list[float] = []
    hovers: list[float] = []
    while not until() if until else len(lenses) < 1000:
        number = len(lenses)
        document = {"uri": documents[number % len(documents)]}
        lenses.append(client.timed("textDocument/codeLens", {"textDocument": document})[0])
        position = {"line": number % 40, "character": 4}
        hovers.append(client.timed("textDocument/hover", {"textDocument": document, "position": position})[0])
        time.sleep(0.005 if until else 0)
    figures.take("editor", f"samples{suffix}", len(lenses))
    figures.quantiles("editor", f"lens{suffix}", lenses)
    figures.quantiles("editor", f"hover{suffix}", hovers)


def _open(client: Client, files: dict[str, list[str]]) -> Iterator[str]:
    """Opens up to 200 documents that the home's exchanges edited; their text is invented where they are gone."""
    for root, names in files.items():
        for name in names:
            path = Path(root) / name
            text = (
                path.read_text(errors="replace")
                if path.is_file()
                else "".join(f"line {n} of {name}\n" for n in range(200))
            )
            uri = path.as_uri()
            item = {"uri": uri, "languageId": "plaintext", "version": 1, "text": text}
            client.notify("textDocument/didOpen", {"textDocument": item})
            yield uri


def _settle(client: Client, uri: str) -> None:
    """Waits until the file map is there and the children have started."""
    for _ in range(200):
        if client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}):
            break
        time.sleep(0.1)
    time.sleep(2)


def _edited_files(place: Place) -> dict[str, list[str]]:
    """Workspace -> relative paths edited in it, the most-edited workspaces first, 200 files in all."""
    from pastwork.model import WROTE
    from pastwork.store.reader import StoreReader

    out: dict[str, list[str]] = {}
    with StoreReader.open(place.data) as store:
        works = [work for work in store.all_file_work() if work.relative and work.action in WROTE]
        kept = store.kept({work.row for work in works})
    for work in works:
        names = out.setdefault(kept[work.row].workspace or "", [])
        if work.relative not in names:
            names.append(str(work.relative))
    ranked = sorted((root for root in out if root.startswith("/")), key=lambda root: -len(out[root]))[:5]
    return {root: out[root][:40] for root in ranked}


def _queries(place: Place, path: Path | None) -> Iterator[str]:
    if path is not None:
        for line in path.read_text(encoding="utf-8").splitlines():
            yield str(json.loads(line)["query"])
        return
    from pastwork.store.reader import StoreReader

    store = StoreReader.open(place.data)
    chance = random.Random(1)
    prompts = [each.prompt.split() for each in store.kept(range(1, 2000)).values() if len(each.prompt.split()) > 4]
    for words in chance.sample(prompts, min(150, len(prompts))):
        start = chance.randrange(len(words) - 3)
        yield " ".join(words[start : start + 4])


def _pending(place: Place) -> list[str]:
    from pastwork.index.embed import OnnxEmbedder
    from pastwork.store.vectors import recipe
    from pastwork.store.writer import StoreWriter

    with StoreWriter.open(place.data) as store:
        return [text for _, text in store.pending_vectors(recipe(OnnxEmbedder.name))]


def _plain_batches(texts: list[str], model: Path) -> float:
    """Seconds of onnxruntime alone over the same texts: batches of eight sorted by length, all cores."""
    from pastwork.index.embed import OnnxEmbedder

    embedder = OnnxEmbedder(model)
    embedder.embed(["warm up"])
    begun = time.perf_counter()
    embedder.embed(texts)
    return time.perf_counter() - begun


def _command(place: Place, *words: str) -> tuple[float, dict[str, Any]]:
    """Wall seconds of one command, and its JSON."""
    begun = time.perf_counter()
    done = subprocess.run(
        [*PASTWORK, *words, "--json"], env=place.environment, cwd=place.home, capture_output=True, check=True
    )
    return time.perf_counter() - begun, json.loads(done.stdout)


def report(figures: Figures, label: str) -> None:
    """Writes the table of figures and budgets; says which are over."""
    budgets = tomllib.loads((ROOT / "bench/speed/budgets.toml").read_text(encoding="utf-8"))
    now = datetime.now(UTC)
    machine = f"{os.cpu_count()}cores-{platform.machine()}"
    lines = [
        f"# Speed {now:%Y-%m-%d}, {machine}, Python {platform.python_version()} {label}".rstrip(),
        "",
        "`python -m bench.speed.run` (see its docstring for how each figure is taken).",
        f"Load average at the end: {os.getloadavg()[0]:.1f}.",
        "",
        "| figure | measured | budget | |",
        "|---|---|---|---|",
    ]
    for name, value in figures.values.items():
        group, _, key = name.partition(".")
        budget = budgets.get(group, {}).get(key)
        verdict = "" if budget is None else "ok" if value <= budget else "**over**"
        lines.append(f"| {name} | {value:.2f} | {'' if budget is None else budget} | {verdict} |")
    suffix = f"-{label}" if label else ""
    path = ROOT / "bench/results" / f"{now:%Y-%m-%d}-{machine}{suffix}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"written: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
