"""Repairs are told from features, questions, reviews and plans; measured on labelled exchanges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pastwork.distill.fixes import is_fix
from pastwork.model import Exchange
from tests.distill.samples import FEATURE, POOL, QUESTION, YES, edited, exchange

LABELS = json.loads((Path(__file__).parents[1] / "data" / "fixes" / "labels.json").read_text("utf-8"))
CODE = (edited("/home/dev/shop/src/a.py"),)
DOCS = (edited("/home/dev/shop/README.md"),)


@pytest.mark.parametrize(
    ("told", "fix"),
    [
        (POOL, True),
        (QUESTION, False),
        (FEATURE, False),
        (YES, False),
        (exchange("it crashes with KeyError: x", "Fixed: the key was missing, now handled.", edits=CODE), True),
        (exchange("why is the total wrong?", "That's a real bug. Fixed the rounding in `sum.py`.", edits=CODE), True),
        (exchange("why is the total wrong?", "Root cause: rounding. Want me to fix it?"), False),
        (exchange("fix the login error", "Here's the plan. Should I go ahead?"), False),
        (exchange("review this branch", "## Code Review\nOne bug: the loop never ends."), False),
        (exchange("add an export command", "Done. `export` writes CSV.", edits=CODE), False),
        (exchange("merge dev, there are conflicts", "Both conflicts resolved.", edits=CODE), False),
        (exchange("write a commit message for this fix", "fix(pool): wait longer"), False),
        (exchange("the build is broken again", "Fixed — the import was missing. Build and lint are clean."), True),
        (exchange("reword the intro", "Done, it now reads better.", edits=DOCS), False),
    ],
)
def test_small_examples(told: Exchange, fix: bool) -> None:
    assert is_fix(told) is fix


def test_labels_are_many_and_told_once() -> None:
    ids = [label for part in ("fit", "hard", "held out") for kind in ("fix", "other") for label in LABELS[part][kind]]
    assert len(ids) == len(set(ids)) >= 150
    assert not set(ids) & set(LABELS["unclear"])
    assert all(len(label) == 16 for label in ids)


def rates(found: dict[str, bool], *parts: str) -> tuple[float, float]:
    """Precision and recall over the labelled exchanges of some parts."""
    right = sum(found[label] for part in parts for label in LABELS[part]["fix"])
    wrong = sum(found[label] for part in parts for label in LABELS[part]["other"])
    return right / (right + wrong), right / sum(len(LABELS[part]["fix"]) for part in parts)


@pytest.mark.shared
def test_precision_and_recall_on_the_corpus(corpus_exchanges: dict[str, Exchange]) -> None:
    """Over what was drawn at random, and over the part that took no share in choosing cues or weights."""
    wanted = {label for part in ("fit", "held out") for kind in ("fix", "other") for label in LABELS[part][kind]}
    assert wanted <= set(corpus_exchanges)
    found = {label: is_fix(corpus_exchanges[label]) for label in wanted}
    for precision, recall in (rates(found, "fit", "held out"), rates(found, "held out")):
        assert precision >= 0.9
        assert recall >= 0.8
