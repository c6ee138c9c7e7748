"""The harness against an independent BM25, on a set of LoCoMo's shape.

On LoCoMo itself (not shipped) BM25 without stop words reaches MRR about .42 and R@10 about .585 at turn
level. Here the same path (loader, lanes, engine, figures) has to give what a few lines of BM25 give.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from math import log
from pathlib import Path

import pytest
from msgspec.structs import replace

from pastwork.evaluate import figures
from pastwork.evaluate.commands.labelled import load
from pastwork.evaluate.grid import chosen
from pastwork.evaluate.journal import Journal
from pastwork.evaluate.run import Task, run
from pastwork.index.bm25 import K1, B
from pastwork.index.stop_words import without
from pastwork.index.tokens import tokens

from .samples import WordVectors

NOUNS = (
    "otter",
    "violin",
    "ladder",
    "harbour",
    "pancake",
    "lantern",
    "glacier",
    "orchid",
    "compass",
    "quilt",
    "walnut",
    "ferry",
)
VERBS = ("painted", "carried", "borrowed", "mended", "photographed", "forgot")


def sample(seed: int) -> dict[str, object]:
    chance = random.Random(seed)
    turns = [
        {
            "speaker": chance.choice(["Ada", "Bo"]),
            "dia_id": f"D1:{n}",
            "text": f"I {chance.choice(VERBS)} the {chance.choice(NOUNS)} and the {chance.choice(NOUNS)} on day {n}",
        }
        for n in range(1, 41)
    ]
    asked = [
        {
            "question": f"When did I do that to the {turn['text'].split()[3]}?",
            "evidence": [turn["dia_id"]],
            "category": 4,
        }
        for turn in turns[::4]
    ]
    return {"sample_id": f"conv-{seed}", "conversation": {"session_1": turns}, "qa": asked}


def bm25(query: str, texts: dict[int, str], everything: list[str]) -> list[int]:
    """Rows of ``texts`` by BM25 with the statistics of ``everything``; prompts count twice, as in the lane."""
    bags = [Counter({term: 2 * count for term, count in Counter(tokens(text)).items()}) for text in everything]
    average = sum(sum(bag.values()) for bag in bags) / len(bags)
    holding = Counter(term for bag in bags for term in bag)
    scores = {}
    for row in texts:
        bag = bags[row]
        size = K1 * (1 - B + B * sum(bag.values()) / average)
        score = 0.0
        for term in set(tokens(query)):
            weight = log(1 + (len(bags) - holding[term] + 0.5) / (holding[term] + 0.5))
            score += weight * bag[term] * (K1 + 1) / (bag[term] + size)
        if score > 0:
            scores[row] = score
    return sorted(scores, key=lambda row: (-round(scores[row], 9), -row))


@pytest.fixture
def measured(tmp_path: Path) -> tuple[list[float], list[float]]:
    """Reciprocal ranks by the harness and by the few lines above."""
    path = tmp_path / "locomo10.json"
    path.write_text(json.dumps([sample(1), sample(2)]), "utf-8")
    found = load("locomo", path, "turn", distil=False)
    # A full stop behind the last word: it is not completed as while one types.
    asked = [replace(query, query=without(query.query) + " ") for query in found.queries]
    task = Task(found.documents, asked, 50, tmp_path / "v", "words", 32, tmp_path / "j", 0)
    run(chosen(["verbatim-okapi"]), task, WordVectors(), 1, lambda phase, done, total: None)
    ranked = Journal(task.journal).ranked("verbatim-okapi")
    assert ranked is not None
    harness = figures.measured(chosen(["verbatim-okapi"])[0], ranked, asked, figures.keys_of(found.documents))
    everything = [document.verbatim for document in found.documents]
    plain = []
    for query in asked:
        texts = {row: d.verbatim for row, d in enumerate(found.documents) if d.group == query.group}
        keys = [found.documents[row].key for row in bm25(query.query, texts, everything)]
        places = [place for place, key in enumerate(keys, 1) if key in query.relevant]
        plain.append(1 / places[0] if places and places[0] <= 50 else 0.0)
    return harness.values["mrr"], plain


def test_same_as_plain_bm25(measured: tuple[list[float], list[float]]) -> None:
    harness, plain = measured
    assert sum(harness) / len(harness) == pytest.approx(sum(plain) / len(plain), abs=0.03)
    assert 0.2 < sum(plain) / len(plain) < 0.9


@pytest.mark.parametrize(
    ("text", "want"),
    [("What did the otter do?", "otter"), ("the and of", "the and of"), ("Ada's WORK_DIR", "Ada WORK_DIR")],
)
def test_stop_words(text: str, want: str) -> None:
    assert without(text) == want
