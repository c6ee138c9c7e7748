"""What a report says, section by section, as plain data that Markdown and HTML pages render alike. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf

from msgspec import Struct

from pastwork.evaluate.budget import Curve
from pastwork.evaluate.figures import Measured, Outcome, by_type
from pastwork.evaluate.grid import PARTS
from pastwork.evaluate.report import plots
from pastwork.evaluate.report.facts import Facts

#: Rows of the first table; results.csv has all.
SHOWN = 25


class Table(Struct, frozen=True):
    """Cells as text; all columns but the first are figures."""

    head: list[str]
    rows: list[list[str]]


class Section(Struct, frozen=True):
    """A heading, sentences, at most one table, SVG figures for pages that can show them."""

    title: str
    text: list[str] = []
    table: Table | None = None
    figures: list[str] = []


def sections(facts: Facts) -> Iterator[Section]:
    """In the order a reader wants them."""
    yield _setting(facts)
    yield _configurations(facts.outcome)
    if facts.findings:
        yield _findings(facts)
    yield _types(facts.outcome)
    if facts.outcome.compared:
        yield _comparisons(facts.outcome)
    yield _tokens(facts)
    if facts.budget is not None:
        yield _budget(facts.budget, facts.budget_mode)
    if facts.agreement:
        yield _agreement(facts)
    yield _method(facts)


def _setting(facts: Facts) -> Section:
    run = facts.run
    types = ", ".join(f"{name} {count}" for name, count in run.types.items())
    text = [
        f"{run.queries} queries ({types}) over {run.exchanges} exchanges, {run.keyed} of them labelled; "
        f"{len(run.configurations)} configurations; objects: {run.objects}; scope {run.scope}, "
        f"{run.limit} hits asked for.",
        f"Corpus {run.corpus}, code {run.code}, model {run.model}, seed {run.seed}.",
    ]
    return Section("What was measured", text + run.notes)


def _configurations(outcome: Outcome) -> Section:
    head = ["configuration", "MRR", "95 %", "MRR, all hits", "nDCG@10", "P@1", "hit@5", "mean grade@10"]
    rows = [_row(m, outcome) for m in outcome.measured[:SHOWN]]
    text = [
        "MRR: the mean of 1 / rank of the first hit of grade 2 or 3 (0 below rank 50). Hits without a label are "
        "dropped before ranks are counted; in MRR, all hits they count as wrong.",
    ]
    left = len(outcome.measured) - len(rows)
    if left:
        text.append(f"The best {len(rows)}; results.csv has the other {left}.")
    return Section("Configurations", text, Table(head, rows), [plots.configurations(outcome)])


def _row(m: Measured, outcome: Outcome) -> list[str]:
    interval = outcome.intervals[m.name]
    figures = [m.mean(name) for name in ("mrr_all", "ndcg@10", "p@1", "hit@5", "mean_grade@10")]
    return [m.name, f"{m.mean():.3f}", f"{interval.low:.3f} to {interval.high:.3f}", *(f"{f:.3f}" for f in figures)]


def _findings(facts: Facts) -> Section:
    rows = [[f.claim, f.verdict, f.seen, f.rule] for f in facts.findings]
    return Section(
        "The paper's findings, tested here",
        ["Claims of arXiv 2603.13017. Another corpus, other queries and graders: no exact reproduction."],
        Table(["claim", "here", "seen", "judged by"], rows),
    )


def _types(outcome: Outcome) -> Section:
    kinds = (
        ("pure", "verbatim"),
        ("pure", "distilled"),
        ("hybrid", "verbatim"),
        ("hybrid", "distilled"),
        ("cross", "both"),
    )
    best = [found for kind, layer in kinds if (found := outcome.best(kind, layer)) is not None]
    rows = [[m.name, *(f"{value:.3f}" for value in by_type(m, outcome.types).values())] for m in best]
    return Section(
        "By type of query",
        ["MRR of the best configuration of each kind."],
        Table(["configuration", *(f"{kind} ({len(places)})" for kind, places in outcome.types.items())], rows),
        [plots.types(best, outcome)],
    )


def _comparisons(outcome: Outcome) -> Section:
    head = [
        "configuration",
        "difference",
        "95 %",
        "Cohen's d",
        "t, Bonferroni",
        "t, Holm",
        "Wilcoxon, Bonferroni",
        "Wilcoxon, Holm",
    ]
    rows = []
    for m in outcome.measured[:SHOWN]:
        if (c := outcome.compared.get(m.name)) is not None:
            d = c.comparison.difference
            size = c.comparison.cohens_d
            rows.append(
                [
                    m.name,
                    f"{d.mean:+.3f}",
                    f"{d.low:+.3f} to {d.high:+.3f}",
                    "unbounded" if isinf(size) else f"{size:+.2f}",
                ]
                + [f"{p:.3g}" for p in (c.bonferroni_t, c.holm_t, c.bonferroni_wilcoxon, c.holm_wilcoxon)]
            )
    text = [
        f"MRR against {outcome.baseline}, the best single lane of the verbatim: paired t test and Wilcoxon signed-rank "
        f"test, corrected for all {len(outcome.compared)} comparisons."
    ]
    return Section("Against the best verbatim lane", text, Table(head, rows), [plots.effects(outcome)])


def _tokens(facts: Facts) -> Section:
    c = facts.compression
    text = [
        f"{c.exchanges} exchanges with text in both layers: {c.verbatim} tokens verbatim, {c.distilled} of core and "
        f"context: {c.total:.1f} to 1 in total, {c.per_item:.1f} to 1 as the mean of each exchange's own ratio.",
        "Of an exchange's 15 terms with the highest IDF, its distilled text holds on average "
        + ", ".join(f"{share:.1%} ({name.replace('+', ', ')})" for name, share in facts.survival.items())
        + ".",
    ]
    if facts.preservation is not None:
        text.append(
            f"The best single distilled lane keeps {facts.preservation:.1%} of the best single verbatim lane's MRR."
        )
    return Section("What distilling costs and keeps", text, None, [plots.quality(facts)])


def _budget(curve: Curve, mode: str | None) -> Section:
    rows = [
        [f"{budget:,}", f"{a:.3f}", f"{b:.3f}"]
        for budget, a, b in zip(curve.budgets, curve.distilled, curve.verbatim, strict=True)
    ]
    text = [
        f"Share of queries with an answer (grade 2 or 3) among the exchanges that fit, packed in the order of "
        f"{mode}. 39,000 tokens are what the paper packs 1,000 exchanges into."
    ]
    return Section(
        "Into a context of N tokens", text, Table(["tokens", "distilled", "verbatim"], rows), [plots.budget(curve)]
    )


def _agreement(facts: Facts) -> Section:
    rows = [[name, f"{value:.3f}"] for name, value in facts.agreement.items()]
    return Section("Agreement of the graders", ["1 is perfect, 0 is chance."], Table(["measure", "value"], rows))


def _method(facts: Facts) -> Section:
    parts = "; ".join(f"{title} ({len(names)})" for title, names in PARTS)
    text = [
        f"The full grid: {parts}. The paper's own list of 107 is not public.",
        "Every configuration is a search mode (`pastwork search --mode`), asked through the product's own engine. "
        f"Intervals: percentile bootstrap of the mean, 2,000 rounds, seed {facts.run.seed}.",
        "Timings are in timings.csv, apart: they are never the same twice, everything else is.",
    ]
    return Section("How", text)
