"""The harness on a labelled set of four exchanges, with figures worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.quality import corpus, labelled, rivals, side_by_side, tune
from bench.scale import lanes as growth
from bench.scale import material, told
from bench.scale.told import ASKED, Figures, Indexed, Took

from pastwork.errors import NotFound
from pastwork.evaluate.documents import Document
from pastwork.evaluate.figures import values
from pastwork.evaluate.labels import Query
from pastwork.index.base import Fields
from tests.index.twins import unit_vectors


class Seeded:
    """An embedder whose vectors depend on nothing but the text."""

    name, dimension = "seeded", 384

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += texts
        return np.concatenate([unit_vectors(1, seed=sum(text.encode())) for text in texts])

    def release(self) -> None: ...


def document(prompt: str, prose: str, started_at: str = "2026-01-01T00:00:00Z", session: str = "s") -> Document:
    distilled = {"core": prose, "context": prompt, "rooms": "a room", "files": "a.py"}
    return Document(prompt, "codex", session, started_at, prompt, Fields(prompt, prose, "", ""), distilled)


FOUND = [
    document("Fix  the POOL", "connection pool timeout fixed"),
    document("yes", "first yes: retry added", "2026-01-01T10:00:00Z"),
    document("yes", "second yes: cache removed", "2026-01-02T10:00:00Z"),
    document("unlabelled", "connection pool timeout pool pool"),
]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    def write(name: str, lines: list[dict[str, object]]) -> None:
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    base = {"agent": "codex", "session_id": "s", "files": []}
    write(
        "exchanges.jsonl",
        [
            {**base, "key": "pool", "started_at": "2026-01-01T00:00:00Z", "prompt": "fix the pool"},
            {**base, "key": "yes2", "started_at": "2026-01-02T09:00:00Z", "prompt": "yes"},
        ],
    )
    rooms = [{"type": "concept", "key": "pool_size", "relevance": 0.9}]
    write(
        "objects.jsonl",
        [
            {"key": key, "exchange_core": f"core of {key}", "specific_context": "detail", "rooms": rooms}
            for key in ("pool", "yes2")
        ],
    )
    write(
        "queries.jsonl",
        [
            {"query": "connection pool", "type": "phrase", "relevant": {"pool": 3}},
            {"query": "cache", "type": "exact_term", "relevant": {"yes2": 2, "pool": 1}},
        ],
    )
    return tmp_path


def test_keys_meet_their_exchanges_by_prompt_and_time(labels: Path) -> None:
    documents = corpus.labelled(FOUND, labels, reference=False)
    assert [d.key for d in documents] == ["pool", None, "yes2", None]
    assert documents[0].distilled == FOUND[0].distilled
    with pytest.raises(NotFound, match="yes2"):
        corpus.labelled(FOUND[:1], labels, reference=False)


def test_reference_objects_replace_those_of_keyed_exchanges_alone(labels: Path) -> None:
    documents = corpus.labelled(FOUND, labels, reference=True)
    assert documents[0].distilled == {
        "core": "core of pool",
        "context": "detail",
        "rooms": "pool size",
        "files": "a.py",
    }
    assert documents[1].distilled == FOUND[1].distilled


def test_figures_by_hand() -> None:
    questions = [Query("a", "phrase", {"x": 3}), Query("b", "conceptual", {"y": 2, "z": 1})]
    keys = ["x", "y", "z", None, "other"]
    found = labelled.figures(questions, values([[4, 3, 0], [1]], questions, keys))
    assert found["mrr"] == pytest.approx((1 / 2 + 1) / 2)
    assert found["p@1"] == 0.5
    assert found["hit@5"] == 1.0
    assert (found["phrase"], found["conceptual"], found["exact_term"]) == (0.5, 1.0, 0.0)
    assert found["all"] == pytest.approx((1 / 3 + 1) / 2)


@pytest.mark.parametrize("mode", ["verbatim-okapi", "distilled-okapi:core", "cross", "distilled-exact"])
def test_a_mode_runs_over_documents_in_memory(labels: Path, tmp_path: Path, mode: str) -> None:
    """Vectors are made up, and always the same."""
    documents = corpus.labelled(FOUND, labels, reference=False)
    lanes = labelled.Lanes(documents, Seeded(), tmp_path / "cache")
    questions = corpus.questions(labels)
    reached = labelled.run(mode, questions, lanes, documents)
    assert len(reached["mrr"]) == 2
    assert labelled.figures(questions, reached)["mrr"] == 1.0


def test_vectors_are_computed_once(tmp_path: Path) -> None:
    embedder = Seeded()
    first = corpus.embedded(["a", "b", "a"], embedder, tmp_path)
    again = corpus.embedded(["b", "c"], embedder, tmp_path)
    assert embedder.texts == ["a", "b", "c"]
    assert np.array_equal(first[1], again[0])
    assert np.array_equal(first[0], first[2])


def test_spread_cuts_the_questions_into_disjoint_parts() -> None:
    parts = labelled.spread({"mrr": [1.0] * 5 + [0.0] * 5}, 5)
    assert sum(parts) / 5 == pytest.approx(0.5)


@pytest.mark.parametrize("name", sorted(rivals.RIVALS))
def test_rivals_find_the_plain_case(name: str) -> None:
    try:
        search = rivals.RIVALS[name](["nothing here", "the connection pool", "pool of swimmers", "salt"])
    except ImportError as error:
        pytest.skip(str(error))
    assert search("connection pool", 4)[0] == 1
    assert set(search("connection pool", 4)) == {1, 2}
    assert search("", 4) == []


def test_sessions_are_graded_by_their_best_exchange() -> None:
    question = Query("q", "phrase", {"a": 1, "b": 3, "c": 2})
    grades = side_by_side._session_grades(question, ["s2", "s9", "s1"], {"a": "s1", "b": "s1", "c": "s2"})
    assert grades == [2, 0, 3]


def test_every_variant_changes_one_thing() -> None:
    every = list(tune.variants(windows=True))
    default = every[0]
    assert default == tune.Variant()
    assert len({variant.name for variant in every}) == len(every)
    assert len({replace(variant, name="") for variant in every}) == len(every)


def test_variants_run_and_are_cross_validated(labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = corpus.labelled(FOUND, labels, reference=False)
    questions = corpus.questions(labels)
    bench = tune.Bench(documents, labelled.Lanes(documents, Seeded(), tmp_path / "cache"))
    results = {}
    for variant in tune.variants(windows=True):
        reached = bench.run(variant, questions)
        results[variant] = {"extractive": reached, "reference": reached}
    tune.table(results, questions)
    tune.cross_validated(results, len(questions))
    out = capsys.readouterr().out
    assert out.count("\n|") >= len(results)
    assert "ahead of plain BM25" in out


def test_material_is_the_same_for_the_same_seed_and_grows_new_names() -> None:
    real = [
        document("fix it. now", "use retry_count here. and there. parseReply too " * 5),
        document("b", "other. words"),
    ]
    first, again, other = (list(material.texts(real, 40, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    names = {word for text in first for word in text.prose.split() if word.startswith("retry_count_")}
    assert len(names) > 3
    vectors = material.vectors(unit_vectors(20), 50)
    assert np.array_equal(vectors, material.vectors(unit_vectors(20), 50))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_growth_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real = unit_vectors(30)
    row = growth.measured(300, FOUND, real, ["connection pool", "cache"], real[:5], tmp_path)
    assert row.size == 300
    assert row.add_ms > 0
    assert row.hnsw is None
    growth.table([row])
    growth.beside(30, FOUND, ["pool"])
    out = capsys.readouterr().out
    assert "| 300 |" in out
    assert "SQLite FTS5 | 30" in out


def told_of(size: int, slower: float) -> Figures:
    took = Took(2 * slower, 3 * slower, (slower, 2 * slower))
    resident = {"server": 50.0, "worker": 100.0, "sync": 40.0}
    indexed = Indexed(size, size / 100, size / 200, size / 50)
    return Figures(indexed, dict.fromkeys(ASKED, took), took, took, resident, 0.995, Took(0.5, 1.0, (0.5, 1.0)), 0.3)


def test_what_is_over_is_said(tmp_path: Path) -> None:
    found = {1_700: told_of(1_700, 5.0), 100_000: told_of(100_000, 60.0)}
    verdicts = [line.split("|")[1:] for line in told.verdicts(found)][2:]
    over = [cells[0].strip() for cells in verdicts if "over" in cells[-2]]
    assert over == [
        "search at 100,000, median ms",
        "search at 100,000, 95th percentile ms",
        "each letter at 100,000, 95th percentile ms",
    ]
    assert any(cells[0].strip() == "search, 59 times the exchanges" and "12" in cells[2] for cells in verdicts)
    assert "| 100,000 | 1000 | 500 | 5.00 | 2000 | 50 | 100 | 40 |" in list(told.report(found))
    pytest.importorskip("matplotlib")
    told.plot(found, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
