"""One search: query + mode -> ranking.

Every input is answered. Scope and filters go into the lanes as ``allowed``; each lane names its best
``DEPTH``, gives its score to what the other found, and ``fusion.py`` makes one list. What makes the
answer weaker than usual is said in ``notes``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pastwork.index.base import Matches, RowSet, Scored
from pastwork.search import fusion
from pastwork.search.filters import Query
from pastwork.search.modes import KeywordLane, Mode
from pastwork.search.ranking import Found, Lanes, Near, Ranking, Words, terms_of
from pastwork.search.spelling import Understood, understand

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

#: Results that each lane names.
DEPTH = 200
#: What the keyword and the vector lane count (bench/quality/results); in a query that names something exactly,
#: meaning decides only between equals: no name may be found worse than by plain BM25.
WEIGHTS, EXACT_WEIGHTS = (0.6, 0.4), (0.999, 0.001)
#: Tokens that choose and mark a passage: so many of the rarest, and none that tells so much less than the rarest.
MARKED, TELLING = 12, 0.12
#: Texts that are read to see whether they hold a quoted phrase.
READ = 60
#: The keyword lane that answers where a vector lane can't.
STAND_IN = KeywordLane("verbatim", "okapi")

#: Row -> its masked searchable text.
TextOf = Callable[[int], str]


class Ask(Struct, frozen=True):
    """A query on its way: ``vector`` is None where only words can be searched."""

    query: Query
    mode: Mode
    allowed: RowSet | None
    understood: Understood
    vector: NDArray[float32] | None = None


class Engine:
    """Searches the lanes it is given; ``text_of`` reads what quoted phrases are checked against."""

    def __init__(self, lanes: Lanes, text_of: TextOf) -> None:
        self._lanes = lanes
        self._text_of = text_of

    def search(self, query: Query, mode: Mode, allowed: RowSet | None, k: int) -> Ranking:
        """The ``k`` best of the allowed rows. A query without a single word finds nothing (ask for recent work)."""
        notes: list[str] = []
        near = self._lanes.vectors(mode.vector, notes) if mode.vector is not None else None
        vector = self._lanes.embed(query.words, notes) if near is not None and query.words else None
        kind = mode.keyword or (STAND_IN if vector is None else None)
        if mode.keyword is None and kind is not None:
            notes.append("answered from keywords instead")
        words = self._lanes.words(kind or STAND_IN, notes)
        understood = understand(query.words, query.unfinished, words)
        ask = Ask(query, mode, allowed, understood, vector)
        fused, total = self._fused(ask, words if kind is not None else None, near, max(k, READ if query.phrases else 0))
        if kind is not None:
            notes += understood.notes
        fused = self._with_phrases(fused, query.phrases, k, notes)
        found = self._told(fused[:k], ask, words)
        return Ranking(tuple(found), total, tuple(notes), self._weights(understood, words), query.phrases)

    def _fused(self, ask: Ask, words: Words | None, near: Near | None, most: int) -> tuple[list[fusion.Fused], int]:
        """Both lanes' results as one list (keyword first in ``parts``), and how many rows any lane found."""
        depth = max(DEPTH, most)
        by_vector: list[Scored] = []
        if near is not None and ask.vector is not None:
            by_vector = near.search(ask.vector, depth, ask.allowed)
        by_word = Matches([], 0, {})
        if words is not None:
            by_word = words.lookup(ask.understood.weights, depth, ask.allowed, [hit.row for hit in by_vector])
        seen = {hit.row for hit in by_vector}
        missing = [hit.row for hit in by_word.top if hit.row not in seen]
        similar = near.similar(ask.vector, missing) if near is not None and ask.vector is not None else {}
        lanes = [fusion.Ranked(by_word.top, by_word.also), fusion.Ranked(by_vector, similar)]
        fuse = fusion.FUSIONS[ask.mode.fusion if by_word.top and by_vector else "weighted"]
        total = by_word.total + sum(hit.row not in by_word.also for hit in by_vector)
        weights = EXACT_WEIGHTS if ask.understood.exact and by_word.top else WEIGHTS
        return fuse(lanes, weights, fusion.NORMALS[ask.mode.normal], most), total

    def _with_phrases(
        self, fused: list[fusion.Fused], phrases: Sequence[str], k: int, notes: list[str]
    ) -> list[fusion.Fused]:
        """Those that hold every quoted phrase; all of them, with a note, where none that was read does."""
        if not phrases or not fused:
            return fused
        wanted = [" ".join(phrase.lower().split()) for phrase in phrases]
        held = []
        for hit in fused[:READ]:
            text = " ".join(self._text_of(hit.row).lower().split())
            if all(phrase in text for phrase in wanted):
                held.append(hit)
                if len(held) == k:
                    break
        if held:
            return held
        notes.append("no exchange found holds " + ", ".join(f'"{phrase}"' for phrase in phrases) + " word for word")
        return fused

    def _told(self, fused: Sequence[fusion.Fused], ask: Ask, words: Words) -> Iterator[Found]:
        """Each result with its reasons."""
        rows = [hit.row for hit in fused]
        typed, weights = ask.understood.typed, ask.understood.weights
        held = terms_of(rows, words.matched([token for token in typed if token in weights], rows), typed)
        best = [max((hit.parts[lane] or 0.0 for hit in fused), default=0.0) for lane in (0, 1)]
        top = max((hit.score for hit in fused), default=0.0)
        for hit in fused:
            yield Found(
                row=hit.row,
                score=round(hit.score / top, 4) if top else 0.0,
                keyword=_share(hit.parts[0], best[0]),
                vector=_share(hit.parts[1], best[1]),
                keyword_rank=hit.ranks[0],
                vector_rank=hit.ranks[1],
                terms=tuple(held[hit.row]),
            )

    def _weights(self, understood: Understood, words: Words) -> dict[str, float]:
        """The telling ones of the searched tokens, by rarity, for choosing and marking a passage."""
        holding = words.holding(list(understood.weights))
        rarity = {token: weight / (1 + holding.get(token, 0)) ** 0.5 for token, weight in understood.weights.items()}
        telling = sorted(rarity, key=rarity.__getitem__, reverse=True)[:MARKED]
        return {token: rarity[token] for token in telling if rarity[token] >= TELLING * rarity[telling[0]]}


def recent(rows: Sequence[int], notes: Sequence[str] = ()) -> Ranking:
    """The answer to an empty query: the most recent work, as found by time."""
    return Ranking(tuple(Found(row, 0.0) for row in rows), len(rows), tuple(notes))


def with_notes(ranking: Ranking, notes: Sequence[str]) -> Ranking:
    return replace(ranking, notes=(*notes, *ranking.notes))


def _share(part: float | None, best: float) -> float | None:
    """A lane's score as a share of its best one; None where the lane did not find the row."""
    if part is None:
        return None
    return round(part / best, 4) if best else 0.0
