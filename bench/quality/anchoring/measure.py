"""The measured situations: replayed, altered, committed, and asked about somebody else's text."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.quality.anchoring.alterations import altered
from bench.quality.anchoring.labelled import Labelled
from bench.quality.anchoring.repository import tell
from bench.quality.anchoring.score import Score, score
from bench.quality.anchoring.truth import Line
from pastwork.anchor import blame
from pastwork.anchor.attribute import attribute
from pastwork.anchor.git import Git
from pastwork.anchor.witness import Witness

ALTERATIONS = 20
#: A session that wrote fewer lines of a file is left out of the repositories.
LEAST_WRITTEN = 10
#: Lines of other files that play the others' work.
STRANGERS = 3000


@dataclass
class Committed:
    """Scores with and without git's witness, and how long git took to bear it (seconds, one a repository)."""

    with_git: Score = field(default_factory=Score)
    without_git: Score = field(default_factory=Score)
    seconds: list[float] = field(default_factory=list)


def replayed(cases: Sequence[Labelled], kind: str | None = None) -> dict[str, Score]:
    """By agent and kind: the text just after the session."""
    found: dict[str, Score] = {}
    for case in cases:
        told = kind or ("made by the session" if case.kind == "created" else "there before")
        name = f"{case.agent}, {told}"
        scored = score(case.lines, attribute(case.text, case.edits), case.edits)
        found[name] = found.get(name, Score()) + scored
    return found


def changed(cases: Sequence[Labelled], times: int = ALTERATIONS, seed: int = 0) -> Score:
    """After that many random human-like alterations of each text."""
    total = Score()
    for number, case in enumerate(cases):
        lines = altered(case.lines, times, random.Random(seed + number))
        total += score(lines, attribute(_text(lines), case.edits), case.edits)
    return total


def elsewhere(cases: Sequence[Labelled]) -> Score:
    """Each file's edits asked about the text of another file of the same kind: nothing there is theirs."""
    total = Score()
    for number, case in enumerate(cases):
        other = next((other for other in cases[number + 1 :] if _suffix(other) == _suffix(case)), None)
        if other and other.path != case.path:
            lines = [Line(line.text) for line in other.lines]
            total += score(lines, attribute(other.text, case.edits), case.edits)
    return total


def committed(cases: Sequence[Labelled], limit: int, seed: int = 0) -> Committed:
    """In git repositories with the work of others, built one by one."""
    result = Committed()
    chosen = [case for case in cases if sum(line.author is not None for line in case.lines) >= LEAST_WRITTEN]
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(chosen[:limit]):
            told = tell(Path(folder) / str(number), case, _strangers(case, cases), random.Random(seed + number))
            start = time.perf_counter()
            witness = _witness(told.file)
            result.seconds.append(time.perf_counter() - start)
            text = _text(told.lines)
            result.with_git += score(told.lines, attribute(text, case.edits, witness), case.edits)
            result.without_git += score(told.lines, attribute(text, case.edits), case.edits)
    return result


def _witness(file: Path) -> Witness:
    git = Git.around(file, os.environ)
    question = git and blame.asked(git, file)
    found = git and question and blame.witness(git, question)
    if not found:
        raise AssertionError("git bears no witness; is it installed?")
    return found


def _strangers(case: Labelled, cases: Sequence[Labelled]) -> list[Line]:
    lines = [
        line for other in cases if other.path != case.path and _suffix(other) == _suffix(case) for line in other.lines
    ]
    return lines[:STRANGERS]


def _suffix(case: Labelled) -> str:
    return Path(case.path.replace("\\", "/")).suffix


def _text(lines: Sequence[Line]) -> str:
    return "".join(line.text + "\n" for line in lines)
