"""One search: query + mode -> ranking.

Every input is answered. Scope and filters go into the lanes as ``allowed``; each lane names its best
``DEPTH``, gives its score to what the other found, and ``fusion.py`` makes one list. What makes the
answer weaker than usual is said in ``notes``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from pastwork.index.base import Matches, RowSet, Scored
from pastwork.index.tokens import tokens
from pastwork.search import fusion
from pastwork.search.filters import Query, shown
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
#: Texts that are read at most to see whether they hold a quoted phrase, if not more are wanted.
READ = 200
#: Phrases that a note repeats.
NAMED = 3
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


class Findings(Struct):
    """What the lanes found: ``total`` rows, the best of them ``fused``."""

    ask: Ask
    words: Words
    fused: list[fusion.Fused]
    total: int
    notes: list[str]


class Engine:
    """Searches the lanes it is given; ``text_of`` reads what quoted phrases are checked against."""

    def __init__(self, lanes: Lanes, text_of: TextOf) -> None:
        self._lanes = lanes
        self._text_of = text_of

    def search(self, query: Query, mode: Mode, allowed: RowSet | None, k: int) -> Ranking:
        """The ``k`` best of the allowed rows. A query without a single word finds nothing (ask for recent work)."""
        if query.phrases:
            held = self._holding(query, mode, allowed, k)
            if held is not None:
                return held
        found = self._found(query, mode, allowed, k)
        if query.phrases and found.fused:
            found.notes.append(f"no exchange found holds {_quoted(query.phrases)} word for word")
        return self._ranking(found, found.fused[:k], found.total)

    def _holding(self, query: Query, mode: Mode, allowed: RowSet | None, k: int) -> Ranking | None:
        """The best of those that hold every quoted phrase; None where none that was read does."""
        words = self._lanes.words(STAND_IN, [])
        wanted = tokens(" ".join(query.phrases))
        known = words.known(wanted)
        if known:
            holders = words.holders(known)
            allowed = holders if allowed is None else RowSet(holders.array[allowed.has(holders.array)])
        if allowed is not None and not len(allowed):
            return None
        found = self._found(query, mode, allowed, max(k, READ))
        held = list(self._with_phrases(found.fused[: max(k, READ)], query.phrases))
        if not held:
            return None
        if found.total > len(found.fused):
            found.notes.append(f"only the {len(found.fused)} best were read for {_quoted(query.phrases)}")
        return self._ranking(found, held[:k], len(held))

    def _found(self, query: Query, mode: Mode, allowed: RowSet | None, most: int) -> Findings:
        notes: list[str] = []
        near = self._lanes.vectors(mode.vector, notes) if mode.vector is not None else None
        vector = self._lanes.embed(query.words, notes) if near is not None and query.words else None
        kind = mode.keyword or (STAND_IN if vector is None else None)
        if mode.keyword is None and kind is not None:
            notes.append("answered from keywords instead")
        words = self._lanes.words(kind or STAND_IN, notes)
        written = self._lanes.words(STAND_IN, []) if kind is not None and kind.layer == "distilled" else None
        understood = understand(query.words, query.unfinished, words, written)
        ask = Ask(query, mode, allowed, understood, vector)
        fused, total = self._fused(ask, words if kind is not None else None, near, most)
        if kind is not None:
            notes += understood.notes
        return Findings(ask, words, fused, total, notes)

    def _ranking(self, found: Findings, shown: Sequence[fusion.Fused], total: int) -> Ranking:
        told = tuple(self._told(shown, found.ask, found.words))
        weights = self._weights(found.ask.understood, found.words)
        return Ranking(told, total, tuple(found.notes), weights, found.ask.query.phrases)

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
        exact = ask.understood.exact and bool(by_word.top)
        # A sum for names: counting lanes would put what is not embedded yet behind what names them less.
        fuse = fusion.FUSIONS[ask.mode.fusion if by_word.top and by_vector and not exact else "weighted"]
        total = by_word.total + sum(hit.row not in by_word.also for hit in by_vector)
        weights = EXACT_WEIGHTS if exact else WEIGHTS
        return fuse(lanes, weights, fusion.NORMALS[ask.mode.normal], most), total

    def _with_phrases(self, fused: Sequence[fusion.Fused], phrases: Sequence[str]) -> Iterator[fusion.Fused]:
        """Those that hold every quoted phrase, white space and case aside."""
        wanted = [" ".join(phrase.lower().split()) for phrase in phrases]
        for hit in fused:
            text = " ".join(self._text_of(hit.row).lower().split())
            if all(phrase in text for phrase in wanted):
                yield hit

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


def recent(rows: Sequence[int], total: int, notes: Sequence[str] = ()) -> Ranking:
    """The answer to an empty query: the most recent work, as found by time, of ``total`` exchanges."""
    return Ranking(tuple(Found(row, 0.0) for row in rows), total, tuple(notes))


def _quoted(phrases: Sequence[str]) -> str:
    """The first of the phrases, as far as a note repeats them."""
    more = " …" if len(phrases) > NAMED else ""
    return ", ".join(f'"{shown(phrase)[1:-1]}"' for phrase in phrases[:NAMED]) + more


def _share(part: float | None, best: float) -> float | None:
    """A lane's score as a share of its best one; None where the lane did not find the row."""
    if part is None:
        return None
    return round(part / best, 4) if best else 0.0
