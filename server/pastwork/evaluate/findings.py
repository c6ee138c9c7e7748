"""The paper's findings (arXiv 2603.13017), each tested on a run's own figures. Pure.

A finding *holds*, holds *in part*, or does *not* hold by the rule that stands with it; where the run lacks
the configurations it needs, it is not told at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from pastwork.evaluate import statistics
from pastwork.evaluate.figures import Compared, Measured, Outcome, by_type, paired
from pastwork.search.modes import KEYWORDS, VECTORS

#: From this corrected p value down a difference counts as one.
LEVEL = 0.05


class Finding(Struct, frozen=True):
    """``claim`` is the paper's, ``rule`` how it is judged here, ``seen`` the figures in one sentence."""

    claim: str
    verdict: str
    rule: str
    seen: str


def findings(outcome: Outcome) -> list[Finding]:
    """Those that the run can tell of."""
    parts: tuple[Callable[[Outcome], Iterator[Finding]], ...] = (_vectors, _keywords, _cross, _preserved, _by_type)
    return [finding for part in parts for finding in part(outcome)]


def layer_pairs(outcome: Outcome, lanes: Sequence[str]) -> list[tuple[str, Measured, Measured]]:
    """Each lane over distilled text that holds the core, against the same lane over the verbatim."""
    verbatim = {
        m.configuration.lanes: m
        for m in outcome.measured
        if (m.configuration.kind, m.configuration.layer) == ("pure", "verbatim")
    }
    return [
        (m.name, m, verbatim[m.configuration.lanes])
        for m in outcome.measured
        if (m.configuration.kind, m.configuration.layer) == ("pure", "distilled")
        and m.configuration.lanes in lanes
        and m.configuration.lanes in verbatim
        and "core" in m.configuration.fields.split("+")
    ]


def _vectors(outcome: Outcome) -> Iterator[Finding]:
    compared = list(paired(layer_pairs(outcome, VECTORS), outcome.seed).values())
    if not compared:
        return
    worse = [c for c in compared if c.bonferroni_t < LEVEL and c.comparison.difference.mean < 0]
    yield Finding(
        "Vector search survives distillation: no comparison with the verbatim is significantly worse.",
        "holds" if not worse else "does not hold" if len(worse) == len(compared) else "holds in part",
        f"no pair below p {LEVEL} after Bonferroni (paired t, over {len(compared)} pairs whose text holds the core)",
        f"{len(worse)} of {len(compared)} are significantly worse; {_spread(compared)}",
    )


def _keywords(outcome: Outcome) -> Iterator[Finding]:
    compared = list(paired(layer_pairs(outcome, KEYWORDS), outcome.seed).values())
    if not compared:
        return
    lower = [c for c in compared if c.comparison.difference.mean < 0]
    worse = [c for c in lower if c.bonferroni_t < LEVEL]
    yield Finding(
        "BM25 on distilled text is worse than on the verbatim, in every comparison.",
        "holds" if len(worse) == len(compared) else "holds in part" if lower else "does not hold",
        f"every pair is lower and below p {LEVEL} after Bonferroni (paired t, over {len(compared)} pairs)",
        f"{len(lower)} of {len(compared)} are lower, {len(worse)} significantly; {_spread(compared)}",
    )


def _cross(outcome: Outcome) -> Iterator[Finding]:
    cross, verbatim = outcome.best("cross", "both"), outcome.best("pure", "verbatim")
    distilled = outcome.best("pure", "distilled")
    if cross is None or verbatim is None or distilled is None:
        return
    compared = paired([("verbatim", cross, verbatim), ("distilled", cross, distilled)], outcome.seed)
    higher = [c for c in compared.values() if c.comparison.difference.mean > 0]
    sure = [c for c in higher if c.bonferroni_t < LEVEL]
    told = "; ".join(
        f"{c.comparison.difference.mean:+.3f} against the best pure {name} (p {c.bonferroni_t:.3g} after Bonferroni)"
        for name, c in compared.items()
    )
    yield Finding(
        "Verbatim keywords with distilled vectors beat the best single lane of either layer.",
        "holds" if len(sure) == 2 else "holds in part" if higher else "does not hold",
        f"the best cross-layer mode is higher than both and below p {LEVEL}; in part where it is higher without that",
        f"{cross.name} {cross.mean():.3f}: {told}; chosen as the best of several, which flatters each side",
    )


def _preserved(outcome: Outcome) -> Iterator[Finding]:
    ratio = preservation(outcome)
    if ratio is not None:
        yield Finding(
            "The best distilled search keeps 96 % of the MRR of the best verbatim one.",
            "holds" if ratio >= 0.96 else "does not hold",
            "best pure distilled MRR / best pure verbatim MRR is .96 or more",
            f"{ratio:.1%}",
        )


def preservation(outcome: Outcome) -> float | None:
    """MRR of the best single distilled lane as a share of the best single verbatim one's."""
    verbatim, distilled = outcome.best("pure", "verbatim"), outcome.best("pure", "distilled")
    return distilled.mean() / verbatim.mean() if verbatim and distilled and verbatim.mean() else None


def _by_type(outcome: Outcome) -> Iterator[Finding]:
    pairs = layer_pairs(outcome, (*KEYWORDS, *VECTORS))
    if not pairs or not {"conceptual", "exact_term"} <= set(outcome.types):
        return
    gaps = [
        {kind: by_type(a, outcome.types)[kind] - by_type(b, outcome.types)[kind] for kind in outcome.types}
        for _, a, b in pairs
    ]
    gained = sum(gap["exact_term"] > 0 for gap in gaps)
    yield Finding(
        "Exact-term queries sometimes gain from distilling.",
        "holds" if gained else "does not hold",
        "at least one pair has a higher MRR on exact-term queries over distilled text",
        f"{gained} of {len(gaps)} pairs do",
    )
    means = {kind: statistics.mean([gap[kind] for gap in gaps]) for kind in outcome.types}
    least = min(means, key=means.__getitem__)
    yield Finding(
        "Conceptual queries lose most by distilling.",
        "holds" if least == "conceptual" and means[least] < 0 else "does not hold",
        "of the types, the mean difference in MRR over all pairs is lowest for conceptual, and below 0",
        ", ".join(f"{kind} {value:+.3f}" for kind, value in means.items()),
    )


def _spread(compared: Sequence[Compared]) -> str:
    differences = [c.comparison.difference.mean for c in compared]
    sizes = [abs(c.comparison.cohens_d) for c in compared]
    return (
        f"MRR {min(differences):+.3f} to {max(differences):+.3f}, mean {statistics.mean(differences):+.3f}; "
        f"|d| {min(sizes):.2f} to {max(sizes):.2f}"
    )
