"""The key terms of an exchange: how likely each of its words is to be needed in a summary of it.

In: the evidence of one exchange. Out: a score in 0..1 for each stem, and the word as first written.

The score is a logistic model. What it looks at: in which zones of the exchange a word stands, how
early and how often, and how specific it is in general. Its weights were fitted (ridge, L2 = 2) to
whether a word occurs in the summaries that a large language model wrote of some 600 exchanges, and
cross-validated by session; docs/distillation.md says what that means for the figures. Nothing depends on other
exchanges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from heapq import nlargest
from math import exp, log, log1p

from msgspec import Struct

from pastwork.distill.evidence import Evidence
from pastwork.distill.terms import specificity, stem, words


class Weight(Struct, frozen=True):
    """What a zone adds for a word that stands in it: at all, by log(1 + count), by 1 / (1 + place / reach)."""

    present: float = 0.0
    often: float = 0.0
    early: float = 0.0
    reach: int = 1


WEIGHTS: dict[str, Weight] = {
    "prompt": Weight(0.67, 0.16, 0.93, 25),
    "prompt quotes": Weight(0.23),
    "main": Weight(-0.23, 1.02, 1.31, 40),
    "main stress": Weight(0.80),
    "main ticks": Weight(0.38, 0.39),
    "main conclusions": Weight(0.58, -0.37),
    "others": Weight(0.22, 0.48),
    "opening": Weight(0.68),
    "closing": Weight(1.16),
    "files": Weight(0.89),
    "reads": Weight(-0.63),
    "commands": Weight(0.49),
    "errors": Weight(0.47),
    "descriptions": Weight(0.32),
    "definitions": Weight(0.49),
}
#: Zones whose words are terms of the exchange; the others only speak for or against such.
SOURCES = ("prompt", "main", "others", "opening", "closing", "files")
BIAS, SPECIFIC, SPECIFIC_ASKED, BOTH, PATH, PAST = 2.41, 0.75, 0.85, -0.29, -0.90, 0.17
#: By log(1 + number of terms): the more words an exchange has, the smaller each one's share.
CROWD = -1.26
#: Log-odds below which a word is left out, whatever word it is.
FAINT = -4.5


class KeyTerms(Struct, frozen=True, gc=False):
    """``scores`` and ``written`` by stem, in order of first appearance."""

    scores: dict[str, float]
    written: dict[str, str]

    def best(self, count: int, least: float = 0.15) -> list[str]:
        """The stems of the ``count`` likeliest terms that are at least so specific, likeliest first."""
        scores = self.scores
        # Of twice as many there are nearly always enough that are specific.
        for looked_at in (2 * count, len(scores)):
            found = [
                key
                for key in nlargest(looked_at, scores, key=scores.__getitem__)
                if specificity(self.written[key]) > least
            ]
            if len(found) >= count:
                break
        return found[:count]


def key_terms(evidence: Evidence) -> KeyTerms:
    totals: dict[str, float] = {}
    written: dict[str, str] = {}
    inside: dict[str, Collection[str]] = {}
    for zone, weight in WEIGHTS.items():
        found = words(evidence.zones.get(zone, ""))
        if found:
            inside[zone] = _add(found, weight, totals, written)
    asked, told = inside.get("prompt", ()), inside.get("main", ())
    of_source: set[str] = set().union(*(inside[zone] for zone in SOURCES if zone in inside))
    terms = [key for key in totals if key in of_source]
    base = BIAS + CROWD * log(len(terms) + 1)
    scores: dict[str, float] = {}
    for key in terms:
        total = totals[key] + base
        if total < FAINT:
            continue
        total += _word(written[key], key in asked)
        if key in asked and key in told:
            total += BOTH
        scores[key] = 1.0 / (1.0 + exp(-total))
    return KeyTerms(scores, written)


def _add(found: list[str], weight: Weight, totals: dict[str, float], written: dict[str, str]) -> Collection[str]:
    """Adds one zone's share to ``totals``; the zone's stems."""
    if weight.early or weight.often:
        first, shares = _weighed(found, weight)
    else:  # it only matters that a word is there
        first = _firsts(dict.fromkeys(found))
        shares = [weight.present] * len(first)
    for (key, word), share in zip(first.items(), shares, strict=True):
        if key in totals:
            totals[key] += share
        else:
            totals[key] = share
            written[key] = word
    return first


def _firsts(found: Iterable[str]) -> dict[str, str]:
    """Each stem's first word."""
    first: dict[str, str] = {}
    for word in found:
        first.setdefault(stem(word), word)
    return first


def _weighed(found: list[str], weight: Weight) -> tuple[dict[str, str], list[float]]:
    """Each stem's first word, and the stems' shares."""
    # Filled from the back, so that the first of each stays.
    places = dict(zip(reversed(found), range(len(found) - 1, -1, -1), strict=True)) if weight.early else {}
    counts: dict[str, int] = {}
    first: dict[str, str] = {}
    for word, count in Counter(found).items():
        key = stem(word)
        if key in counts:
            counts[key] += count
        else:
            counts[key] = count
            first[key] = word
    present, early, often, reach = weight.present, weight.early, weight.often, weight.reach
    shares: list[float] = []
    for key, word in first.items():
        share = present
        if early:
            share += early / (1 + places[word] / reach)
        shares.append(share + often * log1p(counts[key]))
    return first, shares


@lru_cache(maxsize=65_536)
def _word(word: str, asked: bool) -> float:
    """The share of the word itself."""
    value = specificity(word)
    total = SPECIFIC * value + (SPECIFIC_ASKED * value if asked else 0.0)
    return total + PATH * ("/" in word) + PAST * word.endswith("ed")
