"""BM25, term by term.

S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
equations 3.15 and 3.3, with one added inside the logarithm so that a term in most documents never
counts against one (as Lucene does).
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

#: The paper's ``k1``; its ``b`` is 0.75, ours counts pasted logs for what they are (bench/quality/results).
K1 = 1.5
B = 0.9


def idf(documents: int, holding: int) -> float:
    """How telling a term is that ``holding`` of ``documents`` contain; always > 0."""
    return log(1.0 + (documents - holding + 0.5) / (holding + 0.5))


def norms(lengths: NDArray[float32], average: float, k1: float = K1, b: float = B) -> NDArray[float32]:
    """Per document ``k1 * (1 - b + b * length / average)``: the frequency at which a term counts half."""
    scaled: NDArray[float32] = lengths * (k1 * b / average) + k1 * (1 - b) if average else lengths * 0 + k1
    return scaled


def gain(frequency: NDArray[float32], norm: NDArray[float32], k1: float = K1) -> NDArray[float32]:
    """A term's weight within each document, before its idf; saturates at ``k1 + 1``."""
    grown: NDArray[float32] = frequency * (k1 + 1) / (frequency + norm)
    return grown
