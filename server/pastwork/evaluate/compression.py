"""What distilling costs and keeps: tokens, and the rarest words. Pure.

Tokens are counted as the store counts them (about the embedding model's word pieces): prompt and prose
against core and context.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from pastwork.evaluate import statistics
from pastwork.evaluate.documents import Document
from pastwork.index.bm25 import idf
from pastwork.index.tokens import tokens
from pastwork.search.modes import FIELDS, Field

#: Terms of an exchange whose survival is counted, as in the paper.
TOP = 15
#: Field sets whose text is looked at for them.
SURVIVAL: tuple[tuple[Field, ...], ...] = (("core", "context"), ("core", "context", "rooms"), FIELDS)


class Compression(Struct, frozen=True):
    """Token sums over all exchanges that have both, and the mean of each exchange's own ratio."""

    exchanges: int
    verbatim: int
    distilled: int
    per_item: float

    @property
    def total(self) -> float:
        """Verbatim tokens for one distilled token, over the whole."""
        return self.verbatim / self.distilled if self.distilled else 0.0


def compression(documents: Sequence[Document]) -> Compression:
    """Over the exchanges with text in both layers."""
    both = [d for d in documents if d.tokens_verbatim and d.tokens_distilled]
    return Compression(
        exchanges=len(both),
        verbatim=sum(d.tokens_verbatim for d in both),
        distilled=sum(d.tokens_distilled for d in both),
        per_item=statistics.mean([d.tokens_verbatim / d.tokens_distilled for d in both]),
    )


def survival(documents: Sequence[Document], top: int = TOP) -> dict[str, float]:
    """For each field set, the mean share of an exchange's ``top`` terms by IDF that its distilled text holds.

    IDF is BM25's over these documents; of terms equally rare, the more frequent in the exchange count.
    """
    bags = [Counter(tokens(document.verbatim)) for document in documents]
    holding = Counter(term for bag in bags for term in bag)
    weights = {term: idf(len(bags), count) for term, count in holding.items()}
    shares: dict[str, list[float]] = {"+".join(fields): [] for fields in SURVIVAL}
    for document, bag in zip(documents, bags, strict=True):
        telling = sorted(bag, key=lambda term: (-weights[term], -bag[term], term))[:top]
        if not telling:
            continue
        for fields in SURVIVAL:
            kept = set(tokens(document.text(fields)))
            shares["+".join(fields)].append(sum(term in kept for term in telling) / len(telling))
    return {name: statistics.mean(values) for name, values in shares.items()}
