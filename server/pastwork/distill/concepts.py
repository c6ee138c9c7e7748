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
from pastwork.distill.terms import WORD, is_identifier, listed, parts, singular, specificity, stem
from pastwork.model import Room

#: Candidates of one exchange.
MOST = 7
#: Zones whose phrases count, how much, and characters of each.
_ZONES = (("prompt", 1.0, 800), ("main stress", 1.0, 500), ("main", 0.6, 600), ("definitions", 0.4, 400))
#: Least score and specificity of a word in a phrase; of a word that stands alone.
_SCORE, _SPECIFIC, _ALONE = 0.12, 0.3, 0.9
#: Words up to this specificity only join others: no name has one between hyphens.
_FILLS = 0.05
#: In a name: a path, a file's ending, an apostrophe, a number of its own, a letter thrice (``hmmm``).
_NO_TOPIC = re.compile(r"[/.:'’]|(?:^|[_-])\d|(?:^|[_-])\w(?:[_-]|$)|([A-Za-z])\1\1")
#: A hash, a colour, the number of an item of a list (``D12``): in no topic; with one digit (``s3``) not alone.
_CODE = re.compile(r"[A-Za-z]\d\d+|(?=[a-f]*\d)[0-9a-f]{5,}", re.IGNORECASE)
_SHORT = re.compile(r"[A-Za-z]\d")
_FORMS = ("ed", "ing", "ly")
_BROKEN = re.compile(r"[^\s\w()./'’:-]|[.:]\s|\n")
#: Zones where things are called by their names.
_NAMING = ("prompt quotes", "main ticks", "files", "reads", "commands", "definitions")
#: Specific in general text, but about the work rather than its subject.
_WORK = listed(
    "commit branch merge rebase push pull pr review reviewer repo repository agent prompt session user code file "
    "folder directory line test lint linter build script cli docs doc readme todo feedback comment summary phase "
    "step task item plan message nil null none true false string int bool struct func const var error err type self "
    "async await main mod origin alright assistant coding claude codex cursor copilot gemini chat image screenshot "
    "log output observation finding verdict suggestion gap nit research conversation approach scope concern detail "
    "row column idea thing stuff draft rationale insight confidence evidence truth caveat tradeoff todos answer "
    "question "
)
_WORK_ONE = frozenset(map(singular, _WORK))
#: Before or after a hyphen these make a manner or a place of a thing, not a thing: ``per-session``, ``top-level``.
_FIRST = listed("non pre re per self un co multi cross semi anti always hard one two three far full half well")
_LAST = listed(
    "level based driven readable only specific wide like style safe free sensitive insensitive aware agnostic apart "
    "side coded time term facing friendly ready "
)
#: Say which or how, never what.
_VAGUE = listed(
    "real existing further little quick quickly whole own earlier outstanding wrongly similar various separate "
    "complete fresh clean cleaner cleanest weird stupid dumb fair huge tiny entire latest previous current proper "
    "actual obvious single multiple different intentional shit hell crap damn wth wtf dunno buddy dude jesus whoa "
    "yourself itself myself across through against around inside outside between vs whereas everywhere somewhere "
    "afterward aside apart ones couple ran runs running reads reading opens opening starts starting shows showing "
    "explains means meaning mentions prevents involves follows remains remain letting become becomes needed needs "
    "laying hitting keeps stays gets getting goes going makes making takes taking uses using says worth prefer "
    "improve raise compare "
)


def concepts(seen: Evidence, terms: KeyTerms) -> tuple[Room, ...]:
    """The phrases worth most; relevance is relative to the best."""
    worth: dict[str, float] = {}
    labels: dict[str, str] = {}
    named = _named(seen)
    for zone, share, limit in _ZONES:
        for phrase, value in _phrases(seen.zones.get(zone, "")[:limit], terms, named):
            key, label = _key(phrase)
            if key:
                worth[key] = worth.get(key, 0.0) + share * value / (1 + worth.get(key, 0.0))
                labels.setdefault(key, label)
    top = sorted(worth, key=lambda key: (-worth[key], key))[:MOST]
    return tuple(Room("concept", key, labels[key], round(worth[key] / worth[top[0]], 3)) for key in top)


def _named(seen: Evidence) -> frozenset[str]:
    """The words of which names of code, files and quotations are made."""
    return frozenset(parts(" ".join([seen.zones.get(zone, "") for zone in _NAMING])))


def _phrases(text: str, terms: KeyTerms, named: frozenset[str]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Runs of one to three neighbouring key terms, with their worth."""
    for clause in _BROKEN.split(text):
        run: list[tuple[str, float]] = []
        for word in WORD.findall(clause):
            score = terms.scores.get(stem(word), 0.0)
            if score >= _SCORE and _is_name(word):
                run.append((word, score))
                yield from _ending(run, named)
            else:
                run = []


def _ending(run: list[tuple[str, float]], named: frozenset[str]) -> Iterator[tuple[tuple[str, ...], float]]:
    """The phrases that end with a run's last word; none ends with what was done to it."""
    last = run[-1][0]
    if _stands_alone(last) and (last.lower() in named or is_identifier(last)):
        yield (last,), run[-1][1]
    if not last.endswith("ed"):
        for size in range(2, min(3, len(run)) + 1):
            part = run[-size:]
            yield tuple(word for word, _ in part), sum(score for _, score in part) / sqrt(size)


@lru_cache(maxsize=16_384)
def _is_name(word: str) -> bool:
    """No paths, file names, flags, numbers, long identifiers, manners: those are no topics."""
    if not word[0].isalpha() or not 1 < len(word) < 32 or _NO_TOPIC.search(word) or specificity(word) < _SPECIFIC:
        return False
    lowered = word.lower()
    if lowered in _VAGUE or lowered.endswith("ly") or _CODE.fullmatch(word):
        return False
    pieces = lowered.split("-")
    return len(pieces) == 1 or not (
        pieces[0] in _FIRST or pieces[-1] in _LAST or any(specificity(piece) <= _FILLS for piece in pieces)
    )


@lru_cache(maxsize=16_384)
def _stands_alone(word: str) -> bool:
    lowered = word.lower().removesuffix("()")
    return (
        len(lowered) > 2
        and specificity(lowered) >= _ALONE
        and singular(lowered) not in _WORK_ONE
        and not lowered.endswith(_FORMS)
    )


@lru_cache(maxsize=16_384)
def _key(phrase: tuple[str, ...]) -> tuple[str, str]:
    """The phrase's key and how it reads; empty for a phrase that is about the work only."""
    pieces = [piece for word in phrase for piece in _pieces(word)]
    if len(pieces) > 4 or all(singular(piece) in _WORK_ONE or _SHORT.fullmatch(piece) for piece in pieces):
        return "", ""
    return "_".join(dict.fromkeys(map(singular, pieces))), " ".join(dict.fromkeys(pieces))


def _pieces(word: str) -> list[str]:
    """The words in a name: of ``retryTimeout`` and ``RETRY_TIMEOUT`` two, of ``SQLite`` and ``e2e`` one."""
    word = word.removesuffix("()")
    joined = "_" in word or "-" in word or word[0].islower() or len(word) > 12
    if not joined or any(map(str.isdigit, word)):
        return [word.lower()]
    found = parts(word)
    return found if min(map(len, found), default=0) > 1 else [word.lower()]
