"""Exchanges and vectors of any number, mixed from those of a real home; the same seed gives the same."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pastwork.evaluate.documents import Document
from pastwork.index.base import Fields

SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")
IDENTIFIER = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+(?:[A-Z][a-z]+)+\b")
#: Share of identifiers that are new with each exchange: vocabularies grow with the history.
NEW_NAMES = 0.05
#: Characters of a field that are mixed.
FIELD_CAP = 20_000
#: Spread added to mixtures of vectors.
NOISE = 0.02

Parts = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]


def texts(documents: Sequence[Document], count: int, seed: int = 1) -> Iterator[Fields]:
    """``count`` exchanges: of two real ones, sentence by sentence from either, with the length of the first."""
    chance = random.Random(seed)
    parts = [_parts(document.fields) for document in documents]
    for number in range(count):
        first, second = chance.choice(parts), chance.choice(parts)
        yield Fields(*(_mixed(a, b, chance, number) for a, b in zip(first, second, strict=True)))


def vectors(real: NDArray[np.float32], count: int, seed: int = 1) -> NDArray[np.float32]:
    """``count`` unit vectors, each a random mean of three real ones and a little noise."""
    chance = np.random.default_rng(seed)
    out = np.empty((count, real.shape[1]), np.float32)
    for start in range(0, count, 10_000):
        size = min(10_000, count - start)
        weights = chance.dirichlet((1, 1, 1), size).astype(np.float32)
        chosen = real[chance.integers(0, len(real), (size, 3))]
        mixed = (weights[:, :, None] * chosen).sum(axis=1)
        mixed += chance.normal(scale=NOISE, size=mixed.shape).astype(np.float32)
        out[start : start + size] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    return out


def _parts(fields: Fields) -> Parts:
    def cut(text: str) -> tuple[str, ...]:
        return tuple(SENTENCE.split(text[:FIELD_CAP]))

    return cut(fields.prompt), cut(fields.prose), cut(fields.commands), cut(fields.errors)


def _mixed(first: Sequence[str], second: Sequence[str], chance: random.Random, number: int) -> str:
    sentences = [
        second[place] if place < len(second) and chance.random() < 0.5 else sentence
        for place, sentence in enumerate(first)
    ]
    return IDENTIFIER.sub(
        lambda name: f"{name[0]}_{number}" if chance.random() < NEW_NAMES else name[0], "\n".join(sentences)
    )
