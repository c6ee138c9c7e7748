"""Options that both evaluations take, and how a session is run and told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct

from pastwork.cli.app import App
from pastwork.errors import BadUsage

if TYPE_CHECKING:
    from rich.console import Console

    from pastwork.evaluate.report.facts import Facts
    from pastwork.evaluate.session import Session
    from pastwork.model import Exchange

F = TypeVar("F", bound=Callable[..., Any])


class Common(Struct, frozen=True):
    """The options of every evaluation."""

    grid: tuple[str, ...]
    limit: int
    seed: int
    out: Path | None
    processes: int
    timed: int
    scans: tuple[Path, ...]
    graders: tuple[str, ...]
    tie_breaker: str | None


class Summary(Struct, frozen=True):
    """What the command answers: where the report is, and its figures in short."""

    report: str
    queries: int
    exchanges: int
    resumed: int
    baseline: str | None
    configurations: dict[str, dict[str, float]]
    findings: list[dict[str, str]]
    notes: list[str]


def common(function: F) -> F:
    """Adds the options as one ``Common``."""

    def enter(*given: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever else the command has
        names = Common.__struct_fields__
        chosen = Common(**{name: options.pop(name) for name in names})
        return function(*given, common=chosen, **options)

    for option in reversed(_OPTIONS):
        enter = option(enter)
    return enter  # type: ignore[return-value]


_FOLDER = click.Path(file_okay=False, path_type=Path)
_OPTIONS = (
    click.option("--grid", multiple=True, default=("default",), show_default=True, metavar="paper|default|MODE",
                 help="What to compare: the full grid, a short one, or search modes. May be given again."),
    click.option("--limit", type=click.IntRange(1, 10_000), default=200, show_default=True, help="Hits asked for."),
    click.option("--seed", type=int, default=1, show_default=True, help="Of everything that is drawn by chance."),
    click.option("--out", type=_FOLDER, metavar="DIR", help="The report's folder; default: one in the data folder."),
    click.option("--processes", type=click.IntRange(1, 64), default=2, show_default=True, help="That search."),
    click.option("--timed", type=click.IntRange(0, 10_000), default=20, show_default=True,
                 help="Queries whose searches are timed for each configuration."),
    click.option("--scan", "scans", multiple=True, type=click.Path(exists=True, file_okay=False, path_type=Path),
                 metavar="DIR", help="Also look below DIR for transcripts in projects. May be given again."),
    click.option("--grader", "graders", multiple=True, metavar="MODEL",
                 help="An Ollama model that grades hits 0 to 3; up to five, the majority counts."),
    click.option("--tie-breaker", metavar="MODEL", help="The Ollama model that decides where graders are split."),
)  # fmt: skip


def history(app: App, scans: tuple[Path, ...], told: Callable[[str, int, int], None]) -> list[Exchange]:
    """The home's exchanges; folders that ``index --scan`` remembered are looked at too. Raises ``BadUsage``."""
    from pastwork.evaluate.history import exchanges
    from pastwork.transcripts.base import Env

    env = Env(app.home, app.variables)
    found = exchanges(env, app.config.sources, (*scans, *_remembered(app)), lambda d, n: told("reading", d, n))
    if not found:
        raise BadUsage(f"no agent's transcripts were found in {app.home}", "Set HOME, or use --scan DIR.")
    return found


def finish(app: App, session: Session, common: Common) -> None:
    """Searches, grades where asked to, writes the report and answers."""
    from pastwork.cli.progress import Bar

    with Bar(wanted=not app.as_json) as bar:
        resumed = session.search(bar.tell)
        facts = _facts(app, session, common, bar.tell)
    paths = session.report(facts)
    if resumed and not app.as_json:
        sys.stderr.write(f"note: {resumed} configurations had been measured before\n")
    answer = summary(facts, str(paths[0].parent), resumed)
    app.answer(answer, lambda out: _shown(out, answer))


def summary(facts: Facts, folder: str, resumed: int) -> Summary:
    """The answer's shape."""
    shown = ("mrr", "mrr_all", "ndcg@10", "p@1", "hit@5", "recall@10", "mean_grade@10")
    return Summary(
        report=folder,
        queries=facts.run.queries,
        exchanges=facts.run.exchanges,
        resumed=resumed,
        baseline=facts.outcome.baseline,
        configurations={m.name: {f: round(m.mean(f), 6) for f in shown} for m in facts.outcome.measured},
        findings=[{"claim": f.claim, "verdict": f.verdict, "seen": f.seen} for f in facts.findings],
        notes=facts.run.notes,
    )


def _facts(app: App, session: Session, common: Common, told: Callable[[str, int, int], None]) -> Facts:
    if not common.graders:
        return session.facts()
    from pastwork.evaluate import grading
    from pastwork.evaluate.figures import keys_of
    from pastwork.evaluate.ollama import local

    asked, folder = session.asked, session.asked.folder / "grades"
    graders = grading.Graders(common.graders, common.tie_breaker, local(app.config.distill.url), folder)
    keys = keys_of(asked.documents)
    pairs = grading.pool(list(session.rankings().values()), keys)
    grades, ratings = graders.grade(pairs, asked.queries, asked.documents, told)
    queries = grading.with_grades(asked.queries, grades, keys)
    return session.facts(queries, grading.agreements(ratings, common.graders))


def _remembered(app: App) -> tuple[Path, ...]:
    """The folders of earlier ``index --scan``, where there is a store."""
    import json

    from pastwork.errors import StoreUnusable
    from pastwork.store.reader import StoreReader

    try:
        store = StoreReader.open(app.data)
    except StoreUnusable:
        return ()
    try:
        return tuple(Path(folder) for folder in json.loads(store.fact("scans") or "[]"))
    finally:
        store.close()


def _shown(out: Console, answer: Summary) -> None:
    from rich.table import Table

    table = Table("configuration", "MRR", "MRR, all", "nDCG@10", "P@1", "hit@5", box=None, header_style="bold")
    for name, figures in list(answer.configurations.items())[:25]:
        table.add_row(name, *(f"{figures[f]:.3f}" for f in ("mrr", "mrr_all", "ndcg@10", "p@1", "hit@5")))
    out.print(table)
    for finding in answer.findings:
        out.print(f"{finding['verdict']}: {finding['claim']} ({finding['seen']})", soft_wrap=True)
    for note in answer.notes:
        out.print(f"note: {note}", soft_wrap=True)
    out.print(f"report: {answer.report}", soft_wrap=True)
