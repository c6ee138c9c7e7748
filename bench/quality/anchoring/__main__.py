"""Measures line attribution on the transcripts of a home folder and tells it as Markdown.

    python -m bench.quality.anchoring HOME [--repositories 40] [--out bench/quality/results]

Ends with 1 where a figure misses what is required of it.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.quality.anchoring import measure, speed
from bench.quality.anchoring.labelled import Counts, Labelled, across_sessions, labelled
from bench.quality.anchoring.score import Score

SEEDS = 3


@dataclass
class Demand:
    """One required figure."""

    what: str
    value: float
    bound: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        return f"| {self.what} | {self.value:.4f} | {sign} {self.bound:g} | {'yes' if self.met else '**no**'} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("--repositories", type=int, default=40)
    parser.add_argument("--out", type=Path, help="folder for <date>-anchoring.md; default: print only")
    given = parser.parse_args(arguments)
    counts = Counts()
    cases = list(labelled(given.home, counts))
    if not cases:
        sys.stderr.write(f"no transcript below {given.home} has a file that can be replayed\n")
        return 1
    demands, text = report(cases, list(across_sessions(given.home, Counts())), counts, given.repositories)
    print(text)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / f"{datetime.now(UTC):%Y-%m-%d}-anchoring.md").write_text(text + "\n", encoding="utf-8")
    return 0 if all(demand.met for demand in demands) else 1


def report(
    cases: Sequence[Labelled], across: Sequence[Labelled], counts: Counts, repositories: int
) -> tuple[list[Demand], str]:
    """All measurements, and the page that tells them."""
    replayed = measure.replayed(cases)
    total = sum(replayed.values(), Score())
    changed = sum((measure.changed(cases, seed=1000 * seed) for seed in range(SEEDS)), Score())
    elsewhere = measure.elsewhere(cases)
    committed = measure.committed(cases, repositories)
    costs = [speed.cost(20_000, 500, True), speed.cost(20_000, 500, False), speed.cost(5_000, 125, True)]
    demands = list(_demands(total, changed, committed, costs))
    rows = [*replayed.items(), ("all replayed", total), *measure.replayed(across, "all sessions of a file").items()]
    rows += [(f"after {measure.ALTERATIONS} alterations", changed)]
    rows += [
        ("in repositories, git as a witness", committed.with_git),
        ("the same, without git", committed.without_git),
    ]
    rows += [("asked about another file's text", elsewhere)]
    page = [
        f"# Line attribution, {datetime.now(UTC):%Y-%m-%d}",
        f"{platform.machine()}, Python {platform.python_version()}, {_git_version()}. {METHOD}",
        f"Files with edits: {counts.files}; replayed exactly: {len(cases)}; left out because the transcripts do not"
        f" tell the whole text: {counts.unplaced}, because they are shorter than 5 lines: {counts.short}. Changes by"
        f" others between two edits, known from the transcripts: {counts.outside_changes}.",
        "\n".join(["| required | measured | bound | met |", "|---|---|---|---|", *map(str, demands)]),
        "\n".join([HEAD, *(_row(name, scored) for name, scored in rows)]),
        "\n".join([COST_HEAD, *map(_cost, costs)]),
        ELSEWHERE,
        f"Git bore witness in {statistics.median(committed.seconds) * 1000:.0f} ms a file (median of"
        f" {len(committed.seconds)}, at most {max(committed.seconds) * 1000:.0f} ms).",
    ]
    return demands, "\n\n".join(page)


def _demands(
    total: Score, changed: Score, committed: measure.Committed, costs: Sequence[speed.Cost]
) -> Iterator[Demand]:
    yield Demand("replayed: precision on informative lines that occur once", total.unique_precision, 1)
    yield Demand("replayed: precision on all attributed lines", total.precision, 0.97)
    yield Demand("replayed: coverage of the lines the sessions wrote", total.coverage, 0.95)
    yield Demand("replayed: untouched lines attributed", total.false_untouched, 0, at_least=False)
    yield Demand("altered: precision", changed.precision, 0.97)
    yield Demand("altered: coverage of the lines that stand", changed.coverage, 0.85)
    yield Demand("with git: precision", committed.with_git.precision, 0.99)
    yield Demand("with git: others' lines attributed, share", committed.with_git.false_rate, 0.01, at_least=False)
    yield Demand("with git: coverage", committed.with_git.coverage, 0.75)
    yield Demand("without git: others' lines attributed, share", committed.without_git.false_rate, 0.05, at_least=False)
    for cost in costs[:2]:
        kind = "made by an exchange" if cost.created else "there before"
        both = cost.remember[0] + cost.attribute[0]
        yield Demand(f"20,000 lines, 500 edits, {kind}, all at once: ms", both, 100, at_least=False)
    size = (costs[-1].remembered_kb + costs[-1].attribution_kb) / 1000
    yield Demand("5,000 lines, 125 edits: MB an open file", size, 1, at_least=False)


def _row(name: str, scored: Score) -> str:
    return (
        f"| {name} | {scored.texts} | {scored.written} | {scored.others} | {scored.precision:.4f} |"
        f" {scored.unique_precision:.4f} | {scored.coverage:.4f} | {scored.false_others} ({scored.false_rate:.5f}) |"
        f" {scored.false_untouched} | {scored.false_alike} of {scored.alike} |"
    )


def _cost(cost: speed.Cost) -> str:
    kind = "made by an exchange" if cost.created else "there before"
    return (
        f"| {cost.lines:,}, {kind} | {cost.edits} | {cost.remember[0]:.0f} / {cost.remember[1]:.0f} |"
        f" {cost.attribute[0]:.0f} / {cost.attribute[1]:.0f} | {cost.remembered_kb:.0f} | {cost.attribution_kb:.0f} |"
    )


def _git_version() -> str:
    return subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()


METHOD = (
    "`python -m bench.quality.anchoring HOME` on the transcript corpus. The true writer of each line comes from a plain"
    " replay (`bench/quality/anchoring/truth.py`) that shares no code with the product; where Claude Code recorded the"
    " whole file before an edit, the replay takes it from there, the product never sees it. Alterations: insertions,"
    f" deletions, moves of blocks, re-indentation, renamed identifiers, {measure.ALTERATIONS} a text, {SEEDS} seeds."
    " Repositories: `repository.py` tells what others commit around a session's work."
)
HEAD = (
    "| situation | texts | lines written | other lines | precision | on unique informative | coverage |"
    " others' attributed | untouched attributed | read alike, attributed |\n|---|---|---|---|---|---|---|---|---|---|"
)
COST_HEAD = (
    "Processor time in ms, least / median of 9. `remember` runs once per store generation, `attribute` for each"
    " version of the text.\n\n| lines | edits | remember | attribute | remembered, kB | attribution, kB |\n"
    "|---|---|---|---|---|---|"
)

ELSEWHERE = (
    "The last row asks a wrong question on purpose: each file's edits about the next file of its kind. Many of these"
    " are copies or later versions of each other under another name; paths keep such questions from being asked."
)

if __name__ == "__main__":
    sys.exit(main())
