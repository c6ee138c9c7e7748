"""Brute-force twins of the lanes: the same answer by the shortest code."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping

import numpy as np

from pastwork.index.base import Fields
from pastwork.index.bm25 import K1, B
from pastwork.index.tokens import tokens

WEIGHTS = {"prompt": 2.0, "prose": 1.0, "commands": 0.5, "errors": 0.5}


def bag(fields: Fields) -> Counter[str]:
    """Weighted frequencies."""
    counts: Counter[str] = Counter()
    for field, weight in WEIGHTS.items():
        for token, count in Counter(tokens(getattr(fields, field))).items():
            counts[token] += weight * count  # type: ignore[assignment]
    return counts


def bm25(
    documents: Mapping[int, Fields], query: str, k: int, allowed: Collection[int] | None = None
) -> list[tuple[int, float]]:
    bags = {row: bag(fields) for row, fields in documents.items()}
    average = sum(sum(b.values()) for b in bags.values()) / max(1, len(bags)) or 1
    scores: Counter[int] = Counter()
    for token in set(tokens(query)):
        holding = sum(token in b for b in bags.values())
        for row, b in bags.items():
            norm = K1 * (1 - B + B * sum(b.values()) / average)
            idf = math.log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
            scores[row] += idf * b[token] * (K1 + 1) / (b[token] + norm)  # type: ignore[assignment]
    found = [(row, score) for row, score in scores.items() if score > 0 and (allowed is None or row in allowed)]
    return sorted(found, key=lambda pair: (-pair[1], -pair[0]))[:k]


def bm25f(documents: Mapping[int, Fields], query: str) -> dict[int, float]:
    """BM25F over weighted frequencies, counted in halves; idf as Whoosh has it: log(N / (n + 1)) + 1."""
    scores: Counter[int] = Counter()
    bags = {row: bag(fields) for row, fields in documents.items()}
    average = sum(sum(b.values()) for b in bags.values()) / len(bags)
    for token in set(tokens(query)):
        holding = sum(token in b for b in bags.values())
        idf = math.log(len(bags) / (holding + 1)) + 1
        for row, b in bags.items():
            if b[token]:
                norm = 1 - B + B * sum(b.values()) / average
                scores[row] += idf * b[token] * (2 * K1 + 1) / (b[token] + K1 * norm)  # type: ignore[assignment]
    return dict(scores)


def nearest(
    vectors: Mapping[int, np.ndarray], query: np.ndarray, k: int, allowed: Collection[int] | None = None
) -> list[int]:
    found = [(float(query @ vector), row) for row, vector in vectors.items() if allowed is None or row in allowed]
    return [row for _, row in sorted(found, reverse=True)[:k]]


def unit_vectors(count: int, dimension: int = 384, seed: int = 1) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
