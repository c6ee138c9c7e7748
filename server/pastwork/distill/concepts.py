"""Candidates for concept rooms: what an exchange is about, as phrases of its own key terms.

In: the zones of an exchange and its key terms. Out: concept rooms, likeliest first, whose key is the
same for all forms of a phrase: ``retry timeouts``, ``retryTimeout`` and ``RETRY_TIMEOUT`` are
``retry_timeout``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import sqrt

from pastwork.distill.evidence import Evidence
from pastwork.distill.keyterms import KeyTerms
from pastwork.distill.terms import WORD, listed, parts, specificity, stem
from pastwork.model import Room

#: Candidates of one exchange.
MOST = 7
#: Zones whose phrases count, how much, and characters of each.
_ZONES = (("prompt", 1.0, 800), ("main stress", 1.0, 500), ("main", 0.6, 600), ("definitions", 0.4, 400))
#: Least score and specificity of a word in a phrase; of a word that stands alone.
_SCORE, _SPECIFIC, _ALONE = 0.12, 0.3, 0.9
#: In a name: a path, a file's ending, an apostrophe, a number of its own.
_NO_TOPIC = re.compile(r"[/.:'’]|(?:^|[_-])\d|(?:^|[_-])\w(?:[_-]|$)")
_FORMS = ("ed", "ing", "ly")
_BROKEN = re.compile(r"[^\s\w()./'’:-]|[.:]\s|\n")
#: Specific in general text, but about the work rather than its subject.
_WORK = listed(
    "commit commits branch branches merge rebase push pull pr prs review reviewer repo repos agent agents prompt "
    "prompts session sessions user users code file files folder folders line lines test tests lint linter build "
    "builds script scripts cli docs doc readme todo feedback comment comments summary phase step task tasks item "
    "items plan plans message messages nil null none true false string strings int bool struct func const var "
    "error errors err type types self async await main mod origin alright assistant coding claude codex cursor "
    "copilot gemini chat image screenshot log logs output outputs "
)


def concepts(seen: Evidence, terms: KeyTerms) -> tuple[Room, ...]:
    """The phrases worth most; relevance is relative to the best."""
    worth: dict[str, float] = {}
    labels: dict[str, str] = {}
    for zone, share, limit in _ZONES:
        for phrase, value in _phrases(seen.zones.get(zone, "")[:limit], terms):
            key, label = _key(phrase)
            if key:
                worth[key] = worth.get(key, 0.0) + share * value / (1 + worth.get(key, 0.0))
                labels.setdefault(key, label)
    top = sorted(worth, key=lambda key: (-worth[key], key))[:MOST]
    return tuple(Room("concept", key, labels[key], round(worth[key] / worth[top[0]], 3)) for key in top)


def _phrases(text: str, terms: KeyTerms) -> Iterator[tuple[tuple[str, ...], float]]:
    """Runs of one to three neighbouring key terms, with their worth."""
    for clause in _BROKEN.split(text):
        run: list[tuple[str, float]] = []
        for word in WORD.findall(clause):
            score = terms.scores.get(stem(word), 0.0)
            if score >= _SCORE and specificity(word) >= _SPECIFIC and _is_name(word):
                run.append((word, score))
                yield from _ending(run)
            else:
                run = []


def _ending(run: list[tuple[str, float]]) -> Iterator[tuple[tuple[str, ...], float]]:
    """The phrases that end with a run's last word."""
    for size in range(1, min(3, len(run)) + 1):
        part = run[-size:]
        if size > 1 or _stands_alone(part[0][0]):
            yield tuple(word for word, _ in part), sum(score for _, score in part) / sqrt(size)


def _is_name(word: str) -> bool:
    """No paths, file names, flags, numbers or long identifiers: those are no topics."""
    return word[0].isalpha() and 1 < len(word) < 32 and not _NO_TOPIC.search(word)


def _stands_alone(word: str) -> bool:
    lowered = word.lower()
    return len(word) > 2 and specificity(word) >= _ALONE and lowered not in _WORK and not lowered.endswith(_FORMS)


@lru_cache(maxsize=16_384)
def _key(phrase: tuple[str, ...]) -> tuple[str, str]:
    """The phrase's key and how it reads; empty for a phrase that is about the work only."""
    pieces = [piece for word in phrase for piece in _pieces(word)]
    if len(pieces) > 4 or all(piece in _WORK for piece in pieces):
        return "", ""
    return "_".join(dict.fromkeys(map(stem, pieces))), " ".join(dict.fromkeys(pieces))


def _pieces(word: str) -> list[str]:
    """The words in a name: of ``retryTimeout`` and ``RETRY_TIMEOUT`` two, of ``SQLite`` and ``e2e`` one."""
    word = word.removesuffix("()")
    joined = "_" in word or "-" in word or word[0].islower() or len(word) > 12
    if not joined or any(map(str.isdigit, word)):
        return [word.lower()]
    return parts(word)
