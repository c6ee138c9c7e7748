"""pastwork beside plain SQLite FTS5, bm25s, tantivy and, when it runs, agentsview: quality and time in one run.

    python bench/quality/side_by_side.py --home HOME [--objects extractive|reference] [--agentsview URL]

All search the same texts (prompt, prose, commands, errors). The first table is by exchange, by the
protocol of the labelled set. agentsview answers with sessions and reads Claude Code and Codex only: the
second table is by session, over the questions whose target lies in a session of those. ``--data`` adds
to it a whole palace over an indexed store: passages, reasons and JSON included, every query embedded.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]

from bench.quality import corpus, labelled, rivals  # noqa: E402 runs as a file too
from bench.quantiles import quantiles  # noqa: E402
from pastwork.config import Config, Embedding, data_home  # noqa: E402
from pastwork.evaluate import metrics  # noqa: E402
from pastwork.evaluate.documents import Document  # noqa: E402
from pastwork.evaluate.figures import keys_of, values  # noqa: E402
from pastwork.evaluate.labels import Query  # noqa: E402
from pastwork.index import weights  # noqa: E402
from pastwork.index.embed import OnnxEmbedder  # noqa: E402
from pastwork.palace import Palace  # noqa: E402
from pastwork.search.engine import Engine  # noqa: E402
from pastwork.search.filters import Filters, parse_query  # noqa: E402
from pastwork.search.modes import parse  # noqa: E402


class Forgetting(labelled.Lanes):
    """Every query is embedded anew, also one that was asked before: that is part of its time."""

    def embed(self, text: str, notes: list[str]) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embedder.embed([text])[0]
        return vector


OURS = ("verbatim-okapi", "cross")
A = TypeVar("A")
READ_BY_OTHERS = ("claude-code", "codex")


def searches(documents: Sequence[Document], engine: Engine) -> dict[str, rivals.Search]:
    """Every search by exchange, by name; a package that is not installed is named and left out."""
    texts = ["\n".join((d.fields.prompt, d.fields.prose, d.fields.commands, d.fields.errors)) for d in documents]
    found: dict[str, rivals.Search] = {f"pastwork {mode}": _ours(engine, mode) for mode in OURS}
    for name, make in rivals.RIVALS.items():
        try:
            found[name] = make(texts)
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return found


def _ours(engine: Engine, mode: str) -> rivals.Search:
    parsed = parse(mode)
    return lambda query, k: [hit.row for hit in engine.search(parse_query(query), parsed, None, k).found]


def timed(
    search: Callable[[str, int], list[A]], questions: Sequence[Query], k: int
) -> tuple[list[list[A]], float, float]:
    """Every answer, and the median and 95th percentile of the time to it in ms, after a first round unmeasured."""
    for question in questions[:20]:
        search(f"{question.query} again", k)
    answers, took = [], []
    for question in questions:
        started = time.perf_counter()
        answers.append(search(question.query, k))
        took.append((time.perf_counter() - started) * 1000)
    return answers, *quantiles(took)


def by_exchange(found: dict[str, rivals.Search], questions: Sequence[Query], documents: Sequence[Document]) -> None:
    headed = False
    for name, search in found.items():
        answers, median, slow = timed(search, questions, labelled.HITS)
        reached = labelled.figures(questions, values(answers, questions, keys_of(documents)))
        if not headed:
            print(f"| by exchange | {' | '.join(reached)} | p50 ms | p95 ms |\n|---|{'---|' * (len(reached) + 2)}")
            headed = True
        cells = " | ".join(f"{value:.3f}" for value in reached.values())
        print(f"| {name} | {cells} | {median:.1f} | {slow:.1f} |", flush=True)


def by_session(
    found: dict[str, rivals.Search],
    sessions: dict[str, rivals.SearchSessions],
    questions: Sequence[Query],
    documents: Sequence[Document],
) -> None:
    """First places of sessions that hold a relevant exchange."""
    home_of = {d.key: d.session_id for d in documents if d.key and d.agent in READ_BY_OTHERS}
    asked = [q for q in questions if next(iter(q.relevant)) in home_of]
    rows = {name: _sessions(search, documents) for name, search in found.items()} | sessions
    print(f"\n| by session, {len(asked)} questions | MRR | P@1 | hit@5 | p50 ms | p95 ms |\n|---|---|---|---|---|---|")
    for name, search in rows.items():
        answers, median, slow = timed(search, asked, labelled.HITS)
        graded = [_session_grades(q, sessions, home_of) for q, sessions in zip(asked, answers, strict=True)]
        reached = [_mean(figure, graded) for figure in (metrics.reciprocal_rank, metrics.precision_at_1, _hit_at_5)]
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in reached)} | {median:.1f} | {slow:.1f} |", flush=True)


def _sessions(search: rivals.Search, documents: Sequence[Document]) -> rivals.SearchSessions:
    def sessions(query: str, k: int) -> list[str]:
        found = (documents[row] for row in search(query, k))
        return list(dict.fromkeys(d.session_id for d in found if d.agent in READ_BY_OTHERS))

    return sessions


def _palace(options: argparse.Namespace, model: Path, limit: int) -> rivals.SearchSessions:
    """A palace as an editor's worker has it; ``limit`` hits whatever is asked for."""
    config = replace(Config(), embedding=Embedding(model=str(model)))
    palace = Palace(options.data, config, options.home, lambda: datetime.now(UTC))

    def sessions(query: str, k: int) -> list[str]:
        answer = palace.search(query, Filters(scope="all", limit=limit))
        msgspec.json.encode(answer)
        return list(dict.fromkeys(hit.session_id for hit in answer.hits if hit.agent in READ_BY_OTHERS))

    return sessions


def _session_grades(question: Query, sessions: Sequence[str], home_of: dict[str, str]) -> list[int]:
    best: dict[str, int] = {}
    for key, grade in question.relevant.items():
        if key in home_of:
            best[home_of[key]] = max(grade, best.get(home_of[key], 0))
    return [best.get(session, 0) for session in sessions]


def _hit_at_5(grades: Sequence[int]) -> float:
    return metrics.hit_at(grades, 5)


def _mean(figure: Callable[[Sequence[int]], float], graded: Sequence[Sequence[int]]) -> float:
    return sum(figure(grades) for grades in graded) / len(graded)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = labelled.parser_of(__doc__)
    parser.add_argument("--agentsview", metavar="URL", help="address of a running agentsview that read the same home")
    parser.add_argument("--data", type=Path, help="data folder of an index of the same home")
    options = parser.parse_args(arguments)
    model = options.model or weights.find(Config(), data_home())
    embedder = OnnxEmbedder(model)
    found = corpus.documents(options.home)
    documents = corpus.labelled(found, options.labels, options.objects == "reference")
    questions = corpus.questions(options.labels)
    engine = Engine(Forgetting(documents, embedder, options.cache), lambda row: documents[row].fields.prose)
    every = searches(documents, engine)
    by_exchange(every, questions, documents)
    sessions: dict[str, rivals.SearchSessions] = {}
    if options.data:
        for limit in (10, labelled.HITS):
            sessions[f"pastwork cross, a whole palace, {limit} hits"] = _palace(options, model, limit)
    if options.agentsview:
        sessions["agentsview"] = rivals.agentsview(options.agentsview)
    if sessions:
        by_session(every, sessions, questions, documents)


if __name__ == "__main__":
    main()
