"""How often the answer to a labelled query is in what fits into a budget.

``packs`` asks the product for a pack and looks for a relevant id among its lines. ``verbatim`` packs, in
the same order, the masked prompt and prose of each exchange instead, counted by the same tokenizer and
without ids, dates or marks; ``objects`` counts core and context alone, as ``pastwork eval`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.memory.packing import EVERYTHING
from pastwork.evaluate import gold, labels
from pastwork.evaluate.documents import Document
from pastwork.evaluate.metrics import RELEVANT
from pastwork.palace import Palace
from pastwork.search.filters import Filters
from pastwork.store.reader import StoreReader
from pastwork.store.records import Kept, RowFilter

BUDGETS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)
ALL = Filters(scope="all")


@dataclass(frozen=True)
class Curve:
    """Shares of queries whose answer is there, one a budget; ``lines`` are a pack's, on average."""

    packs: list[float]
    objects: list[float]
    verbatim: list[float]
    lines: list[float]


@dataclass(frozen=True)
class Ranked:
    """A query's exchanges, the best first, and the ids of those that answer it."""

    query: str
    ids: tuple[str, ...]
    answers: frozenset[str]


def measured(palace: Palace, store: StoreReader, labelled: Path, budgets: Sequence[int] = BUDGETS) -> Curve:
    """Over all queries of the set ``labelled``."""
    keys = keyed(store, labels.read_exchanges(labelled / "exchanges.jsonl"))
    queries = labels.read_queries(labelled / "queries.jsonl")
    ranked = [_ranked(palace, query, keys) for query in queries]
    prices = Prices(palace, store)
    packs = [[_pack(palace, each, budget) for each in ranked] for budget in budgets]
    return Curve(
        packs=[_share([found for found, _ in at]) for at in packs],
        objects=[_share([fits(each, budget, prices.object) for each in ranked]) for budget in budgets],
        verbatim=[_share([fits(each, budget, prices.verbatim) for each in ranked]) for budget in budgets],
        lines=[sum(lines for _, lines in at) / len(at) for at in packs],
    )


def keyed(store: StoreReader, exchanges: Sequence[labels.Keyed]) -> dict[str, str]:
    """Key of the set -> id in the store. Raises ValueError where a key has none."""
    found = gold.with_keys([_document(store, kept) for kept in _all(store)], exchanges)
    keys = {document.key: document.id for document in found if document.key}
    missing = [line.key for line in exchanges if line.key not in keys]
    if missing:
        raise ValueError(f"no exchange for {labels.named(missing)}")
    return keys


def fits(ranked: Ranked, budget: int, price: Callable[[str], int]) -> bool:
    """Whether an answer is among what fits, taken in order; a shorter one may fit where a longer did not."""
    left = budget
    for exchange_id in ranked.ids:
        if price(exchange_id) <= left:
            left -= price(exchange_id)
            if exchange_id in ranked.answers:
                return True
    return False


class Prices:
    """Tokens of each exchange, both ways."""

    def __init__(self, palace: Palace, store: StoreReader) -> None:
        kept = list(_all(store))
        texts = [store.fields(each.row) for each in kept]
        counts = palace.tokenizer().count([f"{text.prompt}\n{text.prose}" for text in texts])
        self._verbatim = dict(zip([each.id for each in kept], counts, strict=True))
        objects = palace.tokenizer().count(
            [f"{each.object.exchange_core}\n{each.object.specific_context}" for each in kept]
        )
        self._object = dict(zip([each.id for each in kept], objects, strict=True))

    def verbatim(self, exchange_id: str) -> int:
        return self._verbatim[exchange_id]

    def object(self, exchange_id: str) -> int:
        return self._object[exchange_id]


def _ranked(palace: Palace, query: labels.Query, keys: Mapping[str, str]) -> Ranked:
    """In the order of an endless pack."""
    ids = palace.context(ALL, EVERYTHING, query.query).ids
    return Ranked(query.query, ids, frozenset(keys[key] for key, grade in query.relevant.items() if grade >= RELEVANT))


def _pack(palace: Palace, ranked: Ranked, budget: int) -> tuple[bool, int]:
    ids = palace.context(ALL, budget, ranked.query).ids
    return not ranked.answers.isdisjoint(ids), len(ids)


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found)


def _all(store: StoreReader) -> Iterator[Kept]:
    rows = store.recent(RowFilter(), -1)
    kept = store.kept(rows)
    return (kept[row] for row in rows)


def _document(store: StoreReader, kept: Kept) -> Document:
    """As much of it as keys are matched by."""
    whole = store.verbatim(kept.row)
    return Document(kept.id, kept.agent, kept.session_id, kept.started_at, whole.prompt, store.fields(kept.row), {})
