"""The paper's findings, judged on figures made for the purpose."""

from __future__ import annotations

import pytest

from pastwork.evaluate import figures
from pastwork.evaluate.figures import Measured
from pastwork.evaluate.findings import findings, layer_pairs, preservation
from pastwork.evaluate.grid import Configuration
from pastwork.evaluate.labels import Query
from pastwork.search.modes import parse

COUNT = 60
QUERIES = [Query("q", ("conceptual", "exact_term", "phrase")[n % 3], {"k": 3}) for n in range(COUNT)]
#: Differences that are not all alike, as a t test wants them.
NOISE = [0.02 * (n % 5) for n in range(COUNT)]


def measured(name: str, level: float, exact: float = 0.0, conceptual: float = 0.0) -> Measured:
    more = {"exact_term": exact, "conceptual": conceptual, "phrase": 0.0}
    values = [level + noise * level + more[query.type] for noise, query in zip(NOISE, QUERIES, strict=True)]
    return Measured(Configuration(name, parse(name)), {"mrr": values})


def verdicts(*found: Measured) -> dict[str, str]:
    told = findings(figures.outcome(found, QUERIES, 1))
    return {
        finding.claim.split(",")[0].split(":")[0].split(" ")[0] + str(n): finding.verdict
        for n, finding in enumerate(told)
    }


PAPER_LIKE = (
    measured("verbatim-okapi", 0.74),
    measured("verbatim-exact", 0.64),
    measured("distilled-okapi", 0.50, exact=0.3, conceptual=-0.2),
    measured("distilled-exact", 0.72),
    measured("cross", 0.80),
)


def test_as_in_the_paper() -> None:
    assert list(verdicts(*PAPER_LIKE).values()) == ["holds"] * 6


def test_vectors_that_do_not_survive() -> None:
    told = verdicts(measured("verbatim-exact", 0.8), measured("distilled-exact", 0.4))
    assert told["Vector0"] == "does not hold"
    half = verdicts(
        measured("verbatim-exact", 0.8), measured("distilled-exact", 0.4), measured("distilled-exact:core", 0.9)
    )
    assert half["Vector0"] == "holds in part"


def test_keywords_that_do_not_degrade() -> None:
    assert verdicts(measured("verbatim-okapi", 0.4), measured("distilled-okapi", 0.8))["BM250"] == "does not hold"
    told = verdicts(
        measured("verbatim-okapi", 0.6), measured("distilled-okapi", 0.8), measured("distilled-okapi:core", 0.4)
    )
    assert told["BM250"] == "holds in part"


@pytest.mark.parametrize(("level", "want"), [(0.9, "holds"), (0.5, "does not hold"), (0.7, "holds in part")])
def test_cross_against_both(level: float, want: str) -> None:
    run = (measured("verbatim-okapi", 0.8), measured("distilled-exact", 0.6), measured("cross", level))
    assert verdicts(*run)["Verbatim0"] == want


def test_only_text_with_the_core_is_compared() -> None:
    run = [
        measured("verbatim-exact", 0.5),
        measured("distilled-exact:files", 0.1),
        measured("distilled-exact:core", 0.5),
    ]
    outcome = figures.outcome(run, QUERIES, 1)
    assert [name for name, _, _ in layer_pairs(outcome, ("exact", "hnsw"))] == ["distilled-exact:core"]


def test_what_was_not_run_is_not_told() -> None:
    assert findings(figures.outcome([measured("cross", 0.8)], QUERIES, 1)) == []
    assert preservation(figures.outcome([measured("cross", 0.8)], QUERIES, 1)) is None


def test_preservation() -> None:
    run = [measured("verbatim-okapi", 0.8), measured("verbatim-exact", 0.2), measured("distilled-exact", 0.4)]
    assert preservation(figures.outcome(run, QUERIES, 1)) == pytest.approx(0.5)
