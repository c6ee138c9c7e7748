"""The two figures by which times are told."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def quantiles(times: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile of at least one time."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
