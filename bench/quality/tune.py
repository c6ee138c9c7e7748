"""What the default was chosen from: one change at a time, and whether the choice holds on unseen questions.

    python bench/quality/tune.py --home HOME

Each line changes one thing of the default: MRR, nDCG@10, hit@5 and MRR of conceptual and exact_term
questions, with the extractive and with the reference objects. The last table is cross-validated: on
random halves of the questions the variant with the best mean MRR of both is chosen, and measured on
the other half beside the default and plain BM25.
"""

from __future__ import annotations

import random
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]

from bench.quality import corpus, labelled  # noqa: E402 runs as a file too
from pastwork.config import Config, data_home  # noqa: E402
from pastwork.evaluate.documents import Document  # noqa: E402
from pastwork.evaluate.figures import keys_of, values  # noqa: E402
from pastwork.evaluate.labels import Query  # noqa: E402
from pastwork.index import tokens as rule  # noqa: E402
from pastwork.index import weights  # noqa: E402
from pastwork.index.base import Scored  # noqa: E402
from pastwork.index.bm25 import K1, B  # noqa: E402
from pastwork.index.embed import OnnxEmbedder  # noqa: E402
from pastwork.index.okapi import WEIGHTS, OkapiLane  # noqa: E402
from pastwork.search import engine, fusion  # noqa: E402
from pastwork.search.filters import parse_query  # noqa: E402
from pastwork.search.modes import CORE, Field, VectorsLane  # noqa: E402
from pastwork.search.ranking import Near  # noqa: E402
from pastwork.search.spelling import Understood, understand  # noqa: E402

ROUNDS = 200
#: Words of a window, words between two windows' starts, words of an exchange that are looked at.
WINDOW, STEP, LONGEST = 90, 60, 6_000
STOP_WORDS = frozenset(
    "a an and are as at be by do for from how in is it of on or so that the this to was we what when with".split()  # noqa: SIM905
)

Analyse = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Variant:
    """One way to search; the defaults are those of the product."""

    name: str = "default"
    tokens: str = "stems"
    fields: tuple[tuple[str, int], ...] = tuple(WEIGHTS.items())
    k1: float = K1
    b: float = B
    text: tuple[Field, ...] = CORE
    weights: tuple[float, float] = engine.WEIGHTS
    exact: tuple[float, float] | None = engine.EXACT_WEIGHTS
    depth: int = engine.DEPTH
    fusion: str = "combmnz"
    normal: str = "p95"
    completed: bool = True
    stop_words: bool = False
    windows: float = 0.0


def variants(windows: bool) -> Iterator[Variant]:
    """The default, and each change of one thing; with ``windows`` also a third lane, which takes long to embed."""
    yield Variant()
    yield Variant("plain BM25 (verbatim-okapi)", weights=(1.0, 0.0), exact=(1.0, 0.0))
    yield Variant("vectors alone (distilled-exact)", weights=(0.0, 1.0), exact=(0.0, 1.0))
    yield Variant("tokens: no stemming", tokens="whole words")
    yield Variant("tokens: stems, compounds only in parts", tokens="parts")
    yield Variant("stop words of queries dropped", stop_words=True)
    for name, counts in _field_weights().items():
        yield Variant(f"fields: {name}", fields=counts)
    for k1, b in ((1.2, 0.75), (1.5, 0.75), (1.5, 0.6), (1.2, 0.9), (2.0, 0.9), (1.5, 1.0)):
        yield Variant(f"k1 {k1}, b {b}", k1=k1, b=b)
    for share in (0.4, 0.5, 0.55, 0.65, 0.7, 0.8):
        yield Variant(f"keyword weight {share}", weights=(share, 1 - share))
    yield Variant("names not told apart", exact=None)
    for share in (0.8, 0.9, 1.0):
        yield Variant(f"keyword weight {share} where a name is asked for", exact=(share, 1 - share))
    for depth in (50, 100, 400, 2000):
        yield Variant(f"depth {depth}", depth=depth)
    yield Variant("lanes not completed", completed=False)
    yield Variant("lanes not completed, depth 50", completed=False, depth=50)
    yield Variant("weighted sum", fusion="weighted")
    yield Variant("reciprocal ranks", fusion="rrf", weights=(0.5, 0.5))
    yield Variant("minmax", normal="minmax")
    yield Variant("vectors of core, context and rooms", text=("core", "context", "rooms"))
    if windows:
        for keyword, vector, window in ((0.6, 0.2, 0.2), (0.5, 0.2, 0.3), (0.4, 0.2, 0.4), (0.6, 0.0, 0.4)):
            yield Variant(
                f"a third lane of {WINDOW}-word windows, {keyword} / {vector} / {window}",
                weights=(keyword, vector),
                windows=window,
            )


def _field_weights() -> dict[str, tuple[tuple[str, int], ...]]:
    """In halves, as the lane counts."""
    names = ("prompt", "prose", "commands", "errors")
    told = "prompt {:g}, prose {:g}, commands {:g}, errors {:g}"
    halves = ((2, 2, 0, 0), (2, 2, 2, 2), (4, 2, 0, 0), (4, 2, 2, 2), (6, 2, 1, 1), (2, 2, 1, 1))
    return {told.format(*(n / 2 for n in each)): tuple(zip(names, each, strict=True)) for each in halves}


def analyser(name: str) -> Analyse:
    """The token rule of a variant."""
    if name == "whole words":
        return lambda text: [word.lower() for word in rule.words(text)]
    if name == "parts":
        return lambda text: [t for word in rule.words(text) for t in (rule.split(word)[1:] or rule.split(word))]
    return rule.tokens


class Bench:
    """Runs variants over one set of documents; keyword lanes are made once for each token rule and weighting."""

    def __init__(self, documents: Sequence[Document], lanes: labelled.Lanes) -> None:
        self.documents, self.lanes = documents, lanes
        self._words: dict[tuple[object, ...], OkapiLane] = {}
        self._owners: NDArray[np.int64] | None = None
        self._matrix = np.empty((0, 384), np.float32)

    def run(self, variant: Variant, questions: Sequence[Query]) -> labelled.Values:
        words = self._lane(variant)
        near = self.lanes.vectors(VectorsLane("distilled", "exact", variant.text), [])
        rankings = [[hit.row for hit in self._fused(variant, question.query, words, near)] for question in questions]
        return values(rankings, questions, keys_of(self.documents))

    def _fused(self, variant: Variant, text: str, words: OkapiLane, near: Near) -> list[fusion.Fused]:
        understood = self._understood(variant, text, words)
        vector = self.lanes.embed(parse_query(text).words, [])
        by_vector = near.search(vector, variant.depth)
        by_word = words.lookup(understood.weights, variant.depth, None, [hit.row for hit in by_vector])
        seen = {hit.row for hit in by_vector}
        similar = near.similar(vector, [hit.row for hit in by_word.top if hit.row not in seen])
        lanes = [
            fusion.Ranked(by_word.top, by_word.also if variant.completed else {}),
            fusion.Ranked(by_vector, similar if variant.completed else {}),
        ]
        if variant.windows and not understood.exact:
            third = self._windows(vector, {hit.row for lane in lanes for hit in lane.top})
            shares = (*variant.weights, variant.windows)
            return fusion.combmnz([*lanes, third], shares, fusion.NORMALS[variant.normal], labelled.HITS)
        chosen = variant.exact if understood.exact and variant.exact is not None else variant.weights
        used = [(lane, weight) for lane, weight in zip(lanes, chosen, strict=True) if weight]
        fuse = fusion.FUSIONS[variant.fusion]
        return fuse(
            [lane for lane, _ in used], [weight for _, weight in used], fusion.NORMALS[variant.normal], labelled.HITS
        )

    def _windows(self, vector: NDArray[np.float32], others: set[int]) -> fusion.Ranked:
        """Exchanges by their best window; scores also for what the other lanes found."""
        if self._owners is None:
            texts, owners = [], []
            for row, document in enumerate(self.documents):
                words = f"{document.fields.prompt}\n{document.fields.prose}".split()[:LONGEST]
                for start in range(0, max(1, len(words) - STEP // 2), STEP):
                    texts.append(" ".join(words[start : start + WINDOW]))
                    owners.append(row)
            self._owners = np.array(owners)
            self._matrix = corpus.embedded(texts, self.lanes.embedder, self.lanes.cache)
        best = np.full(len(self.documents), -1.0, np.float32)
        np.maximum.at(best, self._owners, self._matrix @ vector)
        order = np.argsort(-best, kind="stable")[: engine.DEPTH].tolist()
        top = [Scored(row, float(best[row])) for row in order]
        return fusion.Ranked(top, {row: float(best[row]) for row in others - set(order)})

    def _understood(self, variant: Variant, text: str, words: OkapiLane) -> Understood:
        found = understand(text, True, words)
        if variant.tokens != "stems":
            typed = dict.fromkeys(analyser(variant.tokens)(text), 1.0)
            return Understood(typed, {}, (), found.exact)
        if variant.stop_words:
            kept = {t: w for t, w in found.weights.items() if found.typed[t].lower() not in STOP_WORDS}
            return Understood(kept, found.typed, (), found.exact)
        return found

    def _lane(self, variant: Variant) -> OkapiLane:
        key = variant.tokens, variant.fields, variant.k1, variant.b
        if key not in self._words:
            made = OkapiLane(
                sqlite3.connect(":memory:", isolation_level=None),
                analyser(variant.tokens),
                variant.k1,
                variant.b,
                dict(variant.fields),
            )
            made.prepare()
            made.add((row, document.fields) for row, document in enumerate(self.documents))
            self._words[key] = made
        return self._words[key]


def table(results: dict[Variant, dict[str, labelled.Values]], questions: Sequence[Query]) -> None:
    columns = ("mrr", "ndcg@10", "hit@5", "conceptual", "exact_term")
    print("| | " + " | ".join(f"{objects}: {' | '.join(columns)}" for objects in ("extractive", "reference")) + " |")
    print("|---" * (1 + 2 * len(columns)) + "|")
    for variant, reached in results.items():
        cells = []
        for objects in ("extractive", "reference"):
            found = labelled.figures(questions, reached[objects])
            cells += [f"{found[column]:.3f}" for column in columns]
        print(f"| {variant.name} | {' | '.join(cells)} |", flush=True)


def cross_validated(results: dict[Variant, dict[str, labelled.Values]], count: int) -> None:
    """Choosing on one half, measuring on the other."""
    rr = {
        variant: {objects: found["mrr"] for objects, found in reached.items()} for variant, reached in results.items()
    }
    chance = random.Random(1)
    sums: dict[str, list[float]] = {"chosen": [], "default": [], "plain BM25": []}
    wins: dict[str, int] = {}
    for _ in range(ROUNDS):
        order = chance.sample(range(count), count)
        train, test = order[: count // 2], order[count // 2 :]
        best = max(rr, key=lambda variant: _both(rr[variant], train))
        wins[best.name] = wins.get(best.name, 0) + 1
        variants_by_name = {variant.name: variant for variant in rr}
        sums["chosen"].append(_both(rr[best], test))
        sums["default"].append(_both(rr[variants_by_name["default"]], test))
        sums["plain BM25"].append(_both(rr[variants_by_name["plain BM25 (verbatim-okapi)"]], test))
    ahead = sum(d > p for d, p in zip(sums["default"], sums["plain BM25"], strict=True)) / ROUNDS
    print(f"\nOn the unseen half, {ROUNDS} times, mean MRR of both object sets: ", end="")
    print(", ".join(f"{name} {sum(values) / ROUNDS:.3f}" for name, values in sums.items()), end="")
    print(f"; the default is ahead of plain BM25 in {ahead:.1%}.")
    print("Chosen most: " + ", ".join(f"{n} x {name}" for name, n in sorted(wins.items(), key=lambda w: -w[1])[:6]))


def _both(rr: Mapping[str, Sequence[float]], places: Sequence[int]) -> float:
    return sum(values[i] for values in rr.values() for i in places) / (len(places) * len(rr))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = labelled.parser_of(__doc__)
    parser.add_argument("--windows", action="store_true", help="also a third lane of windows (minutes to embed)")
    options = parser.parse_args(arguments)
    embedder = OnnxEmbedder(options.model or weights.find(Config(), data_home()))
    found, questions = corpus.documents(options.home), corpus.questions(options.labels)
    results: dict[Variant, dict[str, labelled.Values]] = {}
    for objects in ("extractive", "reference"):
        documents = corpus.labelled(found, options.labels, objects == "reference")
        bench = Bench(documents, labelled.Lanes(documents, embedder, options.cache))
        for variant in variants(options.windows):
            results.setdefault(variant, {})[objects] = bench.run(variant, questions)
    table(results, questions)
    cross_validated(results, len(questions))


if __name__ == "__main__":
    main()
