"""BM25 over segments in memory: pure.

In: one state of the keyword lane and the posting lists of a query's terms. Out: the best rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from pastwork.index.base import Matches, RowSet, Scored
from pastwork.index.bm25 import gain, idf, norms
from pastwork.index.segments import Posting, Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Frequencies are kept in halves, so that a field can count for half.
UNIT = 2

#: Term -> its posting in each segment that has one, by the segment's number in the state.
Lists = Mapping[str, Mapping[int, Posting]]


class Place(Struct, frozen=True):
    """A segment ready for scoring; ``bags`` holds the postings of the pending ones, which have no tables."""

    segment: Segment
    norms: NDArray[np.float32]
    bags: dict[str, bytes] | None = None


class State(Struct, frozen=True):
    """What a search needs besides postings, as of one generation."""

    generation: int
    places: tuple[Place, ...]
    documents: int


def state_of(
    generation: int, segments: Sequence[tuple[Segment, dict[str, bytes] | None]], k1: float, b: float
) -> State:
    """Lengths, norms and counts over the living of all segments."""
    import numpy as np

    half = np.float32(1 / UNIT)
    documents = sum(int(s.alive.sum()) for s, _ in segments)
    words = sum(float(s.lengths[s.alive].sum(dtype="float64")) for s, _ in segments)
    average = words / documents / UNIT if documents else 0.0
    places = tuple(Place(s, norms(s.lengths * half, average, k1, b), bags) for s, bags in segments)
    return State(generation, places, documents)


def holding(state: State, lists: Lists) -> dict[str, int]:
    """In how many living documents each term stands; terms in none are left out."""
    counts = Counter[str]()
    for term, postings in lists.items():
        for number, (places, _) in postings.items():
            segment = state.places[number].segment
            counts[term] += int(segment.alive[places].sum()) if segment.dead else len(places)
    return dict(+counts)


def best(
    state: State, lists: Lists, terms: Mapping[str, float], k: int, k1: float, allowed: RowSet | None, also: RowSet
) -> Matches:
    """The ``k`` best living and allowed rows, how many there are, and the scores of the rows ``also``."""
    import numpy as np

    weights = {t: terms[t] * idf(state.documents, n) for t, n in holding(state, lists).items()}
    parts = [_scored(number, place, lists, weights, k1, allowed) for number, place in enumerate(state.places)]
    rows = np.concatenate([rows for rows, _ in parts])
    scores = np.concatenate([scores for _, scores in parts])
    asked = np.flatnonzero(also.has(rows))
    told = dict(zip(rows[asked].tolist(), scores[asked].tolist(), strict=True))
    total = len(rows)
    if len(rows) > k:
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        keep = scores >= least
        rows, scores = rows[keep], scores[keep]
    order = np.lexsort((-rows, -scores))[:k]
    top = [Scored(row, score) for row, score in zip(rows[order].tolist(), scores[order].tolist(), strict=True)]
    return Matches(top, total, told)


def _scored(
    number: int, place: Place, lists: Lists, weights: Mapping[str, float], k1: float, allowed: RowSet | None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The segment's living, allowed rows that hold any term, and their scores."""
    import numpy as np

    half = np.float32(1 / UNIT)
    total = np.zeros(len(place.segment.rows), np.float32)
    for term, weight in weights.items():
        if number in lists[term]:
            places, frequency = lists[term][number]
            total[places] += np.float32(weight) * gain(frequency * half, place.norms[places], k1)
    keep = np.flatnonzero((total > 0) & place.segment.alive)
    if allowed is not None:
        keep = keep[allowed.has(place.segment.rows[keep])]
    return place.segment.rows[keep], total[keep]


def holders(state: State, lists: Lists) -> RowSet:
    """The living rows that hold every one of the listed terms."""
    import numpy as np

    found = []
    for number, place in enumerate(state.places):
        if lists and all(number in postings for postings in lists.values()):
            shortest, *others = sorted((postings[number][0] for postings in lists.values()), key=len)
            for places in others:
                shortest = np.intersect1d(shortest, places, assume_unique=True)
            found.append(place.segment.rows[shortest[place.segment.alive[shortest]]])
    return RowSet.of(np.concatenate(found).tolist() if found else ())


def matched(state: State, lists: Lists, rows: Sequence[int]) -> dict[int, list[str]]:
    """Which of the listed terms each of the rows holds, in the lists' order."""
    import numpy as np

    out: dict[int, list[str]] = {row: [] for row in rows}
    wanted = RowSet.of(rows)
    for number, place in enumerate(state.places):
        mine = np.flatnonzero(wanted.has(place.segment.rows) & place.segment.alive)
        for term, postings in lists.items() if len(mine) else ():
            if number in postings:
                places = postings[number][0]
                at = np.searchsorted(places, mine)
                at[at == len(places)] = 0
                for here in mine[places[at] == mine]:
                    out[int(place.segment.rows[here])].append(term)
    return out
