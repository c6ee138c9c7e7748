"""Comparison of two configurations over the same queries; pure but for numpy and scipy, imported when called.

Every input is one figure a query, in the same order for both sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

Values = Sequence[float]


class Interval(Struct, frozen=True):
    """Mean with a percentile bootstrap interval."""

    mean: float
    low: float
    high: float


class Comparison(Struct, frozen=True):
    """``a`` against ``b``: mean difference with its interval, effect size and p values before correction."""

    difference: Interval
    cohens_d: float
    t_p: float
    wilcoxon_p: float


def mean(values: Values) -> float:
    """Arithmetic mean, 0 for nothing."""
    return sum(values) / len(values) if values else 0.0


def bootstrap(values: Values, seed: int = 1, rounds: int = 2000, level: float = 0.95) -> Interval:
    """Percentile bootstrap of the mean (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993)."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    import numpy as np

    given = np.asarray(values, np.float64)
    drawn = np.random.default_rng(seed).integers(0, len(given), (rounds, len(given)))
    low, high = np.quantile(given[drawn].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return Interval(mean(values), float(low), float(high))


def cohens_d(a: Values, b: Values) -> float:
    """Standardised mean difference of paired values: mean / standard deviation of the differences.

    Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988), d_z. 0 where all
    differences are equal to 0; infinite where they are equal to another number.
    """
    differences = [x - y for x, y in zip(a, b, strict=True)]
    if len(differences) < 2:
        return 0.0
    centre = mean(differences)
    spread = math.sqrt(sum((value - centre) ** 2 for value in differences) / (len(differences) - 1))
    if spread == 0.0:
        return math.copysign(math.inf, centre) if centre else 0.0
    return centre / spread


def compare(a: Values, b: Values, seed: int = 1) -> Comparison:
    """Paired comparison; p values are 1 where the two sides never differ."""
    differences = [x - y for x, y in zip(a, b, strict=True)]
    if not any(differences):
        return Comparison(Interval(0.0, 0.0, 0.0), 0.0, 1.0, 1.0)
    from scipy import stats

    t_p = float(stats.ttest_rel(a, b).pvalue) if len(set(differences)) > 1 else 0.0
    # Zeros are dropped as in Wilcoxon's own paper; the normal approximation is what ties allow.
    wilcoxon = stats.wilcoxon(differences, zero_method="wilcox", correction=False, mode="approx")
    return Comparison(bootstrap(differences, seed), cohens_d(a, b), t_p, float(wilcoxon.pvalue))


def bonferroni(p_values: Values) -> list[float]:
    """Each p times their number, at most 1."""
    return [min(1.0, p * len(p_values)) for p in p_values]


def holm(p_values: Values) -> list[float]:
    """Holm's step-down correction ("A Simple Sequentially Rejective Multiple Test Procedure", 1979)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    out = [0.0] * len(p_values)
    running = 0.0
    for place, index in enumerate(order):
        running = max(running, min(1.0, p_values[index] * (len(p_values) - place)))
        out[index] = running
    return out
