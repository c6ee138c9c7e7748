"""How often the answer is among what fits into a context of N tokens. Pure.

For each query the ranked exchanges are packed in order, each as a whole; what no longer fits is left out
and smaller ones behind it are still taken, as ``pastwork context`` packs. Once each exchange costs its
verbatim tokens, once those of its core and context: the ranking is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from pastwork.evaluate.documents import Document
from pastwork.evaluate.labels import Query
from pastwork.evaluate.metrics import RELEVANT
from pastwork.evaluate.ranked import Ranked, Ranking

#: Budgets of the curve; 39,000 is what the paper packs 1,000 exchanges into.
BUDGETS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 39_000, 64_000)


class Curve(Struct, frozen=True):
    """Shares of queries, one a budget."""

    budgets: tuple[int, ...]
    distilled: list[float]
    verbatim: list[float]


def curve(
    documents: Sequence[Document], queries: Sequence[Query], ranked: Ranked, budgets: Sequence[int] = BUDGETS
) -> Curve:
    """Both layers' shares at each budget."""
    pairs = list(zip(queries, ranked.rankings, strict=True))

    def share(budget: int, cost: Callable[[Document], int]) -> float:
        return sum(answered(documents, query, ranking, budget, cost) for query, ranking in pairs) / max(1, len(pairs))

    return Curve(
        tuple(budgets),
        [share(budget, lambda document: document.tokens_distilled) for budget in budgets],
        [share(budget, lambda document: document.tokens_verbatim) for budget in budgets],
    )


def answered(
    documents: Sequence[Document], query: Query, ranking: Ranking, budget: int, cost: Callable[[Document], int]
) -> bool:
    """Whether an exchange that answers is among what fits."""
    left = budget
    for row in ranking:
        price = cost(documents[row])
        if price > left:
            continue
        left -= price
        if query.relevant.get(documents[row].key or "", 0) >= RELEVANT:
            return True
    return False
