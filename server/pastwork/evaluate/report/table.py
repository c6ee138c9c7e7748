"""``results.csv`` and the rows of the report's tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from pastwork.evaluate.figures import Measured, Outcome, by_type

FIGURES = ("mrr", "mrr_all", "ndcg@10", "p@1", "hit@5", "recall@10", "mean_grade@10")
#: Against the baseline: the difference in MRR with its interval, its size, p values plain and corrected.
AGAINST = (
    *("difference", "difference_low", "difference_high", "cohens_d"),
    *("t_p", "t_bonferroni", "t_holm"),
    *("wilcoxon_p", "wilcoxon_bonferroni", "wilcoxon_holm"),
)


def results(outcome: Outcome) -> str:
    """The CSV: a row a configuration, best first; what is compared is against the baseline."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    types = list(outcome.types)
    writer.writerow(
        ["configuration", "kind", "layer", "lanes", "fields", "fusion", *FIGURES, "mrr_low", "mrr_high"]
        + [f"mrr_{kind}" for kind in types]
        + list(AGAINST)
    )
    for found in outcome.measured:
        writer.writerow(_row(found, outcome))
    return out.getvalue()


def _row(found: Measured, outcome: Outcome) -> list[str]:
    c, interval = found.configuration, outcome.intervals[found.name]
    figures = [found.mean(name) for name in FIGURES] + [interval.low, interval.high]
    types = by_type(found, outcome.types).values()
    return [
        c.name,
        c.kind,
        c.layer,
        c.lanes,
        c.fields,
        c.fusion,
        *map(_told, (*figures, *types)),
        *_against(found, outcome),
    ]


def _against(found: Measured, outcome: Outcome) -> Iterator[str]:
    compared = outcome.compared.get(found.name)
    if compared is None:
        yield from [""] * len(AGAINST)
        return
    difference = compared.comparison.difference
    yield from map(_told, (difference.mean, difference.low, difference.high, compared.comparison.cohens_d))
    yield from map(_told, (compared.comparison.t_p, compared.bonferroni_t, compared.holm_t))
    yield from map(_told, (compared.comparison.wilcoxon_p, compared.bonferroni_wilcoxon, compared.holm_wilcoxon))


def _told(value: float) -> str:
    """Six significant digits: more would tell machines apart."""
    return f"{value:.6g}"
