"""Which figures a report draws. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pastwork.evaluate.budget import Curve
from pastwork.evaluate.figures import Measured, Outcome, by_type
from pastwork.evaluate.report import charts
from pastwork.evaluate.report.charts import Bar
from pastwork.evaluate.report.facts import Facts


def configurations(outcome: Outcome) -> str:
    """MRR of every configuration with its interval."""
    rows = [
        Bar(m.name, m.mean(), outcome.intervals[m.name].low, outcome.intervals[m.name].high, m.configuration.layer)
        for m in outcome.measured
    ]
    return charts.bars("MRR by configuration", rows, "with 95 % intervals; blue verbatim, red distilled, green both")


def effects(outcome: Outcome) -> str:
    """Cohen's d of every configuration against the baseline."""
    rows = [
        Bar(m.name, outcome.compared[m.name].comparison.cohens_d, tone=m.configuration.layer)
        for m in outcome.measured
        if m.name in outcome.compared
    ]
    return charts.bars("Effect sizes", rows, f"Cohen's d against {outcome.baseline}")


def types(best: Sequence[Measured], outcome: Outcome) -> str:
    """MRR by type for some configurations."""
    rows = [
        Bar(f"{kind}: {m.name}", value, tone=m.configuration.layer)
        for kind in outcome.types
        for m in best
        if (value := by_type(m, outcome.types)[kind]) is not None
    ]
    return charts.bars("MRR by type of query", rows, "the best configuration of each kind")


def quality(facts: Facts) -> str:
    """Quality against compression: pure modes of both layers."""
    ratio = facts.compression.total
    rows = [
        (m.name, ratio if m.configuration.layer == "distilled" else 1.0, m.mean(), m.configuration.layer)
        for m in facts.outcome.measured
        if m.configuration.kind == "pure" and m.configuration.fields in ("", "core+context")
    ]
    if not rows:
        return ""
    return charts.points("Compression against quality", rows, "tokens verbatim for one searched", "MRR")


def budget(curve: Curve) -> str:
    """The budget curve of both layers."""
    series = {
        "distilled": list(zip(map(float, curve.budgets), curve.distilled, strict=True)),
        "verbatim": list(zip(map(float, curve.budgets), curve.verbatim, strict=True)),
    }
    return charts.lines("Answered within a budget", series, "tokens", "share of queries")
