"""The labelled queries over the corpus: figures that must not fall (bench/quality has the whole tables)."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.quality import corpus, labelled

from pastwork.evaluate.documents import Document
from pastwork.index.embed import OnnxEmbedder

pytestmark = [pytest.mark.shared, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def found(corpus_home: Path) -> list[Document]:
    return corpus.documents(corpus_home)


def figures(
    found: list[Document], shared: Path, mode: str, embedder: object, cache: Path, reference: bool
) -> dict[str, float]:
    documents = corpus.labelled(found, shared / "eval", reference)
    questions = corpus.questions(shared / "eval")
    lanes = labelled.Lanes(documents, embedder, cache)  # type: ignore[arg-type]
    return labelled.figures(questions, labelled.run(mode, questions, lanes, documents))


def test_keywords_find_at_least_what_they_have_found(found: list[Document], shared: Path, tmp_path: Path) -> None:
    measured = figures(found, shared, "verbatim-okapi", None, tmp_path, reference=False)
    assert measured["mrr"] >= 0.73
    assert measured["exact_term"] >= 0.84


@pytest.mark.soak
@pytest.mark.model
@pytest.mark.parametrize(
    ("reference", "mode", "least"),
    [
        (False, "cross", {"mrr": 0.78, "ndcg@10": 0.79, "hit@5": 0.91, "conceptual": 0.55, "exact_term": 0.85}),
        (True, "cross", {"mrr": 0.80, "ndcg@10": 0.81, "hit@5": 0.91, "conceptual": 0.58, "exact_term": 0.85}),
        (True, "distilled-hybrid:core+context+rooms", {"mrr": 0.70}),
    ],
    ids=["own objects", "reference objects", "reference objects alone"],
)
def test_meaning_adds_what_it_has_added(
    found: list[Document],
    shared: Path,
    model_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    reference: bool,
    mode: str,
    least: dict[str, float],
) -> None:
    cache = tmp_path_factory.getbasetemp() / "labelled-vectors"
    measured = figures(found, shared, mode, OnnxEmbedder(model_folder), cache, reference)
    assert {name: value for name, value in least.items() if measured[name] < value} == {}, measured
