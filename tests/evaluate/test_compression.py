"""Tokens, surviving terms, and what fits into a budget."""

from __future__ import annotations

import pytest

from pastwork.evaluate.budget import answered, curve
from pastwork.evaluate.compression import compression, survival
from pastwork.evaluate.documents import Document
from pastwork.evaluate.labels import Query
from pastwork.evaluate.ranked import Ranked
from pastwork.index.base import Fields


def document(
    prompt: str = "", core: str = "", verbatim: int = 0, distilled: int = 0, key: str | None = None
) -> Document:
    texts = {"core": core, "context": "", "rooms": "", "files": ""}
    return Document("id", "codex", "s", None, prompt, Fields(prompt), texts, verbatim, distilled, key)


def test_total_and_per_item_ratios_differ() -> None:
    found = compression([document(verbatim=100, distilled=10), document(verbatim=20, distilled=10), document()])
    assert (found.exchanges, found.verbatim, found.distilled) == (2, 120, 20)
    assert found.total == pytest.approx(6.0)
    assert found.per_item == pytest.approx((10 + 2) / 2)


def test_nothing_to_compress() -> None:
    assert compression([]).total == 0.0


def test_survival_counts_the_rarest_terms() -> None:
    """``common`` is in every exchange: of two terms the rare ones are looked for."""
    found = [
        document("common zebra", "zebra crossing"),
        document("common lion", "nothing kept"),
        document("common", "common"),
    ]
    assert survival(found, top=1)["core+context"] == pytest.approx((1 + 0 + 1) / 3)
    assert survival(found, top=2)["core+context"] == pytest.approx((0.5 + 0 + 1) / 3)


@pytest.mark.parametrize(
    ("budget", "distilled", "verbatim"),
    [
        (5, False, False),
        (10, False, False),
        (20, True, False),
        (100, True, False),
        (140, True, False),
        (150, True, True),
    ],
)
def test_answered(budget: int, distilled: bool, verbatim: bool) -> None:
    """Packed in order, each as a whole; a smaller one is taken behind one that no longer fits."""
    found = [document(verbatim=100, distilled=10), document(verbatim=50, distilled=10, key="k")]
    query = Query("q", "phrase", {"k": 2})
    assert answered(found, query, [0, 1], budget, lambda d: d.tokens_distilled) is distilled
    assert answered(found, query, [0, 1], budget, lambda d: d.tokens_verbatim) is (verbatim or 50 <= budget < 100)


def test_touching_the_topic_is_no_answer() -> None:
    found = [document(distilled=1, key="k")]
    assert not answered(found, Query("q", "phrase", {"k": 1}), [0], 10, lambda d: d.tokens_distilled)


def test_curve_of_both_layers() -> None:
    found = [document(verbatim=100, distilled=10, key="a"), document(verbatim=100, distilled=10, key="b")]
    queries = [Query("q", "phrase", {"a": 3}), Query("r", "phrase", {"b": 3})]
    made = curve(found, queries, Ranked("m", [[0, 1], [0, 1]]), (10, 20, 100, 200))
    assert made.distilled == [0.5, 1.0, 1.0, 1.0]
    assert made.verbatim == [0.0, 0.0, 0.5, 1.0]
