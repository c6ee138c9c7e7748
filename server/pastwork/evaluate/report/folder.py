"""Writes a report: ``report.md``, ``report.html``, ``results.csv``, ``run.json``, and ``timings.csv`` apart.

The first four are the same bytes for the same run on the same machine and seed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pastwork.evaluate import statistics
from pastwork.evaluate.journal import Timed
from pastwork.evaluate.report import pages, table
from pastwork.evaluate.report.facts import Facts
from pastwork.evaluate.report.sections import sections


def write(folder: Path, facts: Facts, timed: Iterable[Timed] = ()) -> list[Path]:
    """The files, in the order one reads them; each is whole or not there."""
    said = list(sections(facts))
    run = msgspec.json.format(msgspec.json.encode(facts.run), indent=2).decode() + "\n"
    files = {
        "report.md": pages.markdown(facts.run.title, said),
        "report.html": pages.html(facts.run.title, said),
        "results.csv": table.results(facts.outcome),
        "run.json": run,
    }
    measured = list(timed)
    if measured:
        files["timings.csv"] = timings(measured)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return [_whole(folder / name, text) for name, text in files.items()]


def timings(timed: Iterable[Timed]) -> str:
    """Milliseconds of one search without embedding the query, a row a configuration, the fastest median first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["configuration", "searches", "p50_ms", "p95_ms", "mean_ms"])
    rows = [
        (
            t.name,
            len(t.milliseconds),
            quantile(t.milliseconds, 0.5),
            quantile(t.milliseconds, 0.95),
            statistics.mean(t.milliseconds),
        )
        for t in timed
    ]
    for name, count, *figures in sorted(rows, key=lambda row: (row[2], row[0])):
        writer.writerow([name, count, *(f"{figure:.2f}" for figure in figures)])
    return out.getvalue()


def quantile(values: list[float], share: float) -> float:
    """The value at that share of the sorted list (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _whole(path: Path, text: str) -> Path:
    part = path.with_name(path.name + ".part")
    part.write_text(text, "utf-8", newline="\n")
    part.replace(path)
    return path
