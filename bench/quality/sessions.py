"""Hits of one session moved together: what it costs.

    python bench/quality/sessions.py --home HOME [--objects reference]

A hit is moved up beneath the session's last one where that stands at most ``reach`` ranks above it; reach 1
changes nothing. Of the first ``SHOWN`` hits of ``cross``, as a palette lists them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]

from bench.quality import corpus, labelled  # noqa: E402 runs as a file too
from pastwork.config import Config, data_home  # noqa: E402
from pastwork.evaluate.figures import keys_of, values  # noqa: E402
from pastwork.evaluate.ranked import Searcher  # noqa: E402
from pastwork.index import weights  # noqa: E402
from pastwork.index.embed import OnnxEmbedder  # noqa: E402
from pastwork.search.modes import parse  # noqa: E402

SHOWN = 50
REACHES = (1, 2, 3, 5, SHOWN)


def gathered(rows: Sequence[int], session_of: Callable[[int], str], reach: int) -> list[int]:
    """The rows in blocks of one session each, blocks in the order of their best."""
    blocks: list[list[int]] = []
    last: dict[str, tuple[int, list[int]]] = {}
    for rank, row in enumerate(rows):
        session = session_of(row)
        before, block = last.get(session, (-1 - reach, []))
        if rank - before > reach:
            block = []
            blocks.append(block)
        block.append(row)
        last[session] = rank, block
    return [row for block in blocks for row in block]


def repeated(rows: Sequence[int], session_of: Callable[[int], str]) -> tuple[int, int]:
    """How many rows belong to a session that stands above already, and how many right beneath one of it."""
    sessions = [session_of(row) for row in rows]
    beneath = sum(a == b for a, b in pairwise(sessions))
    return len(sessions) - len(set(sessions)), beneath


def main(arguments: Sequence[str] | None = None) -> None:
    options = labelled.parser_of(__doc__).parse_args(arguments)
    embedder = OnnxEmbedder(options.model or weights.find(Config(), data_home()))
    documents = corpus.labelled(corpus.documents(options.home), options.labels, options.objects == "reference")
    questions = corpus.questions(options.labels)
    lanes = labelled.Lanes(documents, embedder, options.cache)
    rankings = Searcher(lanes, documents, SHOWN).rank("cross", parse("cross"), questions).rankings

    def session_of(row: int) -> str:
        return f"{documents[row].agent} {documents[row].session_id}"

    for reach in REACHES:
        moved = [gathered(rows, session_of, reach) for rows in rankings]
        reached = labelled.figures(questions, values(moved, questions, keys_of(documents)))
        if reach == REACHES[0]:
            print(f"| reach, {options.objects} objects | {' | '.join(reached)} |\n|---|{'---|' * len(reached)}")
        print(f"| {reach} | {' | '.join(f'{value:.3f}' for value in reached.values())} |", flush=True)
    hits = sum(map(len, rankings))
    again, beneath = (sum(counts) for counts in zip(*(repeated(rows, session_of) for rows in rankings), strict=True))
    print(f"\nOf {hits:,} hits {again:,} follow another of their session, {beneath:,} directly.")


if __name__ == "__main__":
    main()
