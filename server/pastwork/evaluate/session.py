"""One evaluation from documents and queries to a written report: what both commands share."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct

import pastwork
from pastwork.evaluate import figures, findings
from pastwork.evaluate.budget import curve
from pastwork.evaluate.compression import compression, survival
from pastwork.evaluate.documents import Document, fingerprint
from pastwork.evaluate.grid import Configuration
from pastwork.evaluate.journal import Journal, Timed, code
from pastwork.evaluate.journal import fingerprint as fingerprint_of
from pastwork.evaluate.labels import Query
from pastwork.evaluate.ranked import Ranked
from pastwork.evaluate.report import folder
from pastwork.evaluate.report.facts import Facts, Machine, Run
from pastwork.evaluate.run import Task, Told, run
from pastwork.index.embed import Embedder

#: Libraries whose version can change a figure.
LIBRARIES = ("numpy", "scipy", "faiss-cpu", "onnxruntime", "tokenizers", "whoosh-reloaded")


class Asked(Struct, frozen=True):
    """What to evaluate and how. ``folder`` gets the report, ``cache`` the vectors of texts."""

    title: str
    documents: list[Document]
    queries: list[Query]
    configurations: list[Configuration]
    folder: Path
    cache: Path
    limit: int = 200
    seed: int = 1
    scope: str = "all"
    objects: str = "extractive"
    processes: int = 2
    timed: int = 20
    notes: tuple[str, ...] = ()


class Session:
    """``search`` fills the journal, ``report`` makes the figures of it; a killed search goes on."""

    def __init__(self, asked: Asked, embedder: Embedder) -> None:
        self.asked, self._embedder = asked, embedder
        self.corpus = fingerprint(asked.documents)
        run_name = fingerprint_of(self.corpus, asked.queries, asked.limit, embedder.name)
        self.journal = Journal(asked.folder / "rankings" / run_name)
        self._task = Task(
            documents=asked.documents,
            queries=asked.queries,
            limit=asked.limit,
            vectors=asked.cache,
            model=embedder.name,
            dimension=embedder.dimension,
            journal=asked.folder / "rankings" / run_name,
            timed=asked.timed,
        )

    def search(self, told: Told) -> int:
        """Measures what is missing; gives how many configurations were there already. Raises ``ModelMissing``."""
        measured = run(self.asked.configurations, self._task, self._embedder, self.asked.processes, told)
        return len(self.asked.configurations) - len(measured)

    def rankings(self) -> dict[str, Ranked]:
        """What was found, by configuration."""
        found = ((c.name, self.journal.ranked(c.name)) for c in self.asked.configurations)
        return {name: ranked for name, ranked in found if ranked is not None}

    def facts(self, queries: Sequence[Query] | None = None, agreement: dict[str, float] | None = None) -> Facts:
        """Every figure; ``queries`` are those of the search with other grades, where somebody graded."""
        asked, graded = self.asked, list(queries or self.asked.queries)
        rankings, keys = self.rankings(), figures.keys_of(asked.documents)
        measured = [figures.measured(c, rankings[c.name], graded, keys) for c in asked.configurations]
        outcome = figures.outcome(measured, graded, asked.seed)
        mode = self._budget_mode(outcome)
        return Facts(
            run=self._run(),
            outcome=outcome,
            findings=findings.findings(outcome),
            preservation=findings.preservation(outcome),
            compression=compression(asked.documents),
            survival=survival(asked.documents),
            budget=curve(asked.documents, graded, rankings[mode]) if mode else None,
            budget_mode=mode,
            agreement=agreement or {},
        )

    def report(self, facts: Facts) -> list[Path]:
        """Writes the folder."""
        timed = (self.journal.timed(c.name) for c in self.asked.configurations)
        return folder.write(self.asked.folder, facts, [each for each in timed if isinstance(each, Timed)])

    def _budget_mode(self, outcome: figures.Outcome) -> str | None:
        """The default mode where it was run, else the best configuration."""
        names = [m.name for m in outcome.measured]
        return next((name for name in ("cross", *names) if name in names), None)

    def _run(self) -> Run:
        asked = self.asked
        types = Counter(query.type for query in asked.queries)
        return Run(
            title=asked.title,
            versions={"pastwork": pastwork.__version__, "python": platform.python_version(), **_libraries()},
            machine=Machine(platform.system(), platform.machine(), os.cpu_count() or 1),
            seed=asked.seed,
            corpus=self.corpus,
            code=code(),
            model=self._embedder.name,
            exchanges=len(asked.documents),
            keyed=sum(document.key is not None for document in asked.documents),
            queries=len(asked.queries),
            types={name: types[name] for name in sorted(types)},
            limit=asked.limit,
            scope=asked.scope,
            objects=asked.objects,
            configurations=[c.name for c in asked.configurations],
            notes=list(asked.notes),
        )


def _libraries() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a build of the same library under another name
            continue
    return found
