"""From rankings to figures: what each configuration reaches, and how sure its distance to the baseline is.

Pure. Hits without a key are dropped before ranks are counted (nobody judged them); ``mrr_all`` counts
them as wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from pastwork.evaluate import metrics, statistics
from pastwork.evaluate.documents import Document
from pastwork.evaluate.grid import Configuration
from pastwork.evaluate.labels import Query
from pastwork.evaluate.ranked import Ranked
from pastwork.evaluate.statistics import Comparison, Interval

#: The figure that configurations are ordered and compared by.
MAIN = "mrr"


class Measured(Struct, frozen=True):
    """One configuration: one value a query for each figure."""

    configuration: Configuration
    values: dict[str, list[float]]

    @property
    def name(self) -> str:
        return self.configuration.name

    def mean(self, figure: str = MAIN) -> float:
        return statistics.mean(self.values[figure])

    def of(self, places: Sequence[int], figure: str = MAIN) -> list[float]:
        """The values of some of the queries."""
        return [self.values[figure][place] for place in places]


class Compared(Struct, frozen=True):
    """A configuration against the baseline, p values corrected for all comparisons made."""

    name: str
    comparison: Comparison
    bonferroni_t: float
    holm_t: float
    bonferroni_wilcoxon: float
    holm_wilcoxon: float


class Outcome(Struct, frozen=True):
    """All of a run: configurations from best to worst, the best verbatim one, and everything against it.

    ``types`` gives the places of each type's queries.
    """

    measured: list[Measured]
    intervals: dict[str, Interval]
    baseline: str | None
    compared: dict[str, Compared]
    types: dict[str, list[int]]
    queries: int
    seed: int

    def named(self, name: str) -> Measured:
        return next(found for found in self.measured if found.name == name)

    def best(self, kind: str, layer: str) -> Measured | None:
        """The best configuration of a kind over a layer."""
        fitting = (m for m in self.measured if (m.configuration.kind, m.configuration.layer) == (kind, layer))
        return next(fitting, None)


def measured(
    configuration: Configuration, ranked: Ranked, queries: Sequence[Query], keys: Sequence[str | None]
) -> Measured:
    """The figures of one configuration; ``keys`` by row."""
    return Measured(configuration, values(ranked.rankings, queries, keys))


def values(
    rankings: Sequence[Sequence[int]], queries: Sequence[Query], keys: Sequence[str | None]
) -> dict[str, list[float]]:
    """By figure one value a query; ``keys`` by row."""
    found: dict[str, list[float]] = {name: [] for name in (*metrics.FIGURES, "mrr_all")}
    for query, ranking in zip(queries, rankings, strict=True):
        judged = list(query.relevant.values())
        keyed = [query.relevant.get(key, 0) for row in ranking if (key := keys[row]) is not None]
        for name, figure in metrics.FIGURES.items():
            found[name].append(figure(keyed, judged))
        every = [query.relevant.get(keys[row] or "", 0) for row in ranking]
        found["mrr_all"].append(metrics.reciprocal_rank(every))
    return found


def outcome(found: Sequence[Measured], queries: Sequence[Query], seed: int) -> Outcome:
    """Order, intervals and comparisons. The baseline is the best single lane of the verbatim."""
    ordered = sorted(found, key=lambda m: (-m.mean(), m.name))
    types: dict[str, list[int]] = {}
    for place, query in enumerate(queries):
        types.setdefault(query.type, []).append(place)
    verbatim = [m for m in ordered if (m.configuration.kind, m.configuration.layer) == ("pure", "verbatim")]
    baseline = verbatim[0] if verbatim else None
    return Outcome(
        measured=ordered,
        intervals={m.name: statistics.bootstrap(m.values[MAIN], seed) for m in ordered},
        baseline=baseline.name if baseline else None,
        compared=against(baseline, [m for m in ordered if m is not baseline], seed) if baseline else {},
        types={name: types[name] for name in sorted(types)},
        queries=len(queries),
        seed=seed,
    )


def against(baseline: Measured, others: Sequence[Measured], seed: int) -> dict[str, Compared]:
    """Each of the others against the baseline by the main figure."""
    return paired([(other.name, other, baseline) for other in others], seed)


def paired(pairs: Sequence[tuple[str, Measured, Measured]], seed: int) -> dict[str, Compared]:
    """By name, each pair's first against its second, corrected for the number of pairs."""
    made = [statistics.compare(a.values[MAIN], b.values[MAIN], seed) for _, a, b in pairs]
    t, wilcoxon = [c.t_p for c in made], [c.wilcoxon_p for c in made]
    corrected = zip(
        statistics.bonferroni(t),
        statistics.holm(t),
        statistics.bonferroni(wilcoxon),
        statistics.holm(wilcoxon),
        strict=True,
    )
    return {
        name: Compared(name, comparison, *four)
        for (name, _, _), comparison, four in zip(pairs, made, corrected, strict=True)
    }


def by_type(found: Measured, types: Mapping[str, Sequence[int]], figure: str = MAIN) -> dict[str, float]:
    """The mean of each type's queries."""
    return {name: statistics.mean(found.of(places, figure)) for name, places in types.items()}


def keys_of(documents: Sequence[Document]) -> list[str | None]:
    """Key by row."""
    return [document.key for document in documents]
