"""What other ways to distil give, by the protocol of ``distillation.py``.

    python bench/quality/alternatives.py --home HOME

Each way says at most ``WORDS`` words of an exchange. The keyed exchanges carry what it says in place of their
objects, the others keep the built-in ones. A line of the table: mean size in word pieces, MRR by the vectors alone
over the keyed exchanges, MRR across layers over the whole home, and that less the built-in's (95 %, paired).
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean

import numpy as np
from msgspec.structs import replace

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]

from bench.quality import corpus, distillation, labelled  # noqa: E402 runs as a file too
from pastwork.config import Config, data_home  # noqa: E402
from pastwork.distill.sentences import sentences  # noqa: E402
from pastwork.evaluate.documents import Document  # noqa: E402
from pastwork.evaluate.labels import Query  # noqa: E402
from pastwork.evaluate.statistics import bootstrap  # noqa: E402
from pastwork.index import weights  # noqa: E402
from pastwork.index.embed import OnnxEmbedder  # noqa: E402
from pastwork.index.tokens import tokens  # noqa: E402

#: As many as make about the word pieces of the built-in core and context; sentences compared by centrality.
WORDS, COMPARED = 34, 12
Say = Callable[[Document], str]


def main() -> None:
    options = labelled.parser_of(__doc__).parse_args()
    folder = options.model or weights.find(Config(), data_home())
    embedder = OnnxEmbedder(folder)
    documents = corpus.labelled(corpus.documents(options.home), options.labels, reference=False)
    measure = Measure(corpus.questions(options.labels), embedder, options.cache)
    count = distillation.counter(folder)
    built_in: list[float] = []
    print("| what is embedded | word pieces | vectors alone | cross | against the built-in |\n|---|---|---|---|---|")
    for name, say in ways(documents, embedder).items():
        changed = [_saying(each, say) if each.key else each for each in documents]
        alone, cross = measure(changed)
        built_in = built_in or cross
        gain = bootstrap([c - b for c, b in zip(cross, built_in, strict=True)])
        size = mean(count([_text(each) for each in changed if each.key]))
        told = f"{gain.mean:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]" if cross is not built_in else ""
        print(f"| {name} | {size:.0f} | {mean(alone):.3f} | {mean(cross):.3f} | {told} |", flush=True)


def ways(documents: Sequence[Document], embedder: OnnxEmbedder) -> dict[str, Say]:
    seen = [set(tokens(each.verbatim)) for each in documents]
    spread = Counter(term for terms in seen for term in terms)
    idf = {term: math.log(len(documents) / count) for term, count in spread.items()}
    return {
        "built-in: key terms, core, context": _text,
        "core and context without key terms": lambda each: f"{_core(each)}\n{each.distilled['context']}",
        "key terms alone": lambda each: each.distilled["core"].split("\n")[0],
        "the prompt's begin": lambda each: _cut([each.fields.prompt]),
        "first sentence of prompt and of answer": lambda each: _cut(
            [*_said(each.fields.prompt)[:1], *_said(each.fields.prose)[:1]]
        ),
        "first sentence of the prompt, last of the answer": lambda each: _cut(
            [*_said(each.fields.prompt)[:1], *_said(each.fields.prose)[-1:]]
        ),
        "sentences by idf mass": lambda each: _cut(by_mass(_both(each), idf)),
        "sentences by centrality": lambda each: _cut(by_centrality(_both(each)[:COMPARED], embedder)),
        "changed files and the commands": lambda each: _cut([each.distilled["files"], each.fields.commands]),
    }


def by_mass(found: Sequence[str], idf: dict[str, float]) -> list[str]:
    """Sentences by the rarity of their terms, in all, less for long ones."""

    def worth(text: str) -> float:
        terms = tokens(text)
        return sum(idf.get(term, 0.0) for term in set(terms)) / math.sqrt(len(terms) + 5)

    return sorted(found, key=worth, reverse=True)


def by_centrality(found: Sequence[str], embedder: OnnxEmbedder) -> list[str]:
    """Sentences by their mean cosine with the others."""
    if len(found) < 3:
        return list(found)
    vectors = embedder.embed(found)
    near = (vectors @ vectors.T).mean(axis=1)
    return [found[place] for place in np.argsort(-near, kind="stable")]


class Measure:
    """Reciprocal ranks of every question: by vectors over the keyed documents, across layers over all."""

    def __init__(self, questions: Sequence[Query], embedder: OnnxEmbedder, cache: Path) -> None:
        self._questions, self._embedder, self._cache = questions, embedder, cache

    def __call__(self, documents: Sequence[Document]) -> tuple[list[float], list[float]]:
        keyed = [each for each in documents if each.key]
        return self._ranks("distilled-exact", keyed), self._ranks("cross", documents)

    def _ranks(self, mode: str, among: Sequence[Document]) -> list[float]:
        lanes = labelled.Lanes(among, self._embedder, self._cache)
        return list(labelled.run(mode, self._questions, lanes, among)["mrr"])


def _saying(document: Document, say: Say) -> Document:
    return replace(document, distilled={**document.distilled, "core": say(document), "context": ""})


def _text(document: Document) -> str:
    return f"{document.distilled['core']}\n{document.distilled['context']}".rstrip("\n")


def _core(document: Document) -> str:
    return document.distilled["core"].split("\n")[-1]


def _said(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text[:8_000], 100)]


def _both(document: Document) -> list[str]:
    return [*_said(document.fields.prompt), *_said(document.fields.prose)]


def _cut(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split()[:WORDS])


if __name__ == "__main__":
    main()
