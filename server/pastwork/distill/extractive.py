"""Distils an exchange without a language model, in the exchange's own words.

In: an exchange whose secrets are masked. Out: the core (what was asked and what came of it), one
decisive detail copied exactly, candidates for rooms, files. Deterministic, and a function of the
exchange alone.
"""

from __future__ import annotations

import math
import re

from msgspec import Struct

from pastwork.distill import rooms, workflows
from pastwork.distill.files import placed, touched
from pastwork.distill.sentences import Sentence, sentences
from pastwork.distill.terms import is_identifier, parts, specificity, words
from pastwork.distill.text import answers, errors, plain, visible
from pastwork.model import WROTE, Exchange, PalaceObject, Room

#: Characters of the prompt and of the answers that are looked at.
PROMPT_CHARS = 6_000
ANSWER_CHARS = 12_000
CORE_WORDS = 26
DETAIL_CHARS = 90

_DONE = re.compile(
    r"\b(?:fixed|added|removed|deleted|implemented|updated|changed|replaced|renamed|moved|created|refactored|committed|pushed|merged"
    r"|resolved|wrote|now|root cause|because|the (?:fix|problem|issue|answer)|summary|done|confirmed|found|verified|passes|instead)\b",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:let me|i'll|i will|now let|perfect|great|excellent|sure|you'?re (?:absolutely )?right|good|okay|ok|yes)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|yes|yeah|yep|no|now|so|and|but|also|hmm+|hi|hey|great|good|cool|thanks|thank you|sure|alright|well|please|pls"
    r"|can you(?: please)?|could you(?: please)?|would you|will you|i(?:'d| would) like (?:you )?to|i want (?:you )?to|let'?s|lets"
    r"|i think(?: that)?(?: we should)?|we (?:should|need to)|you should)\b[,.!:\s…-]*)+",
    re.IGNORECASE,
)


class Extract(Struct, frozen=True):
    """The object with local rooms, and the candidates from which the history settles the rooms."""

    object: PalaceObject
    candidates: tuple[Room, ...]


def distil(exchange: Exchange) -> PalaceObject:
    """The palace object of one exchange; its concept rooms are its own candidates."""
    return extract(exchange).object


def extract(exchange: Exchange) -> Extract:
    prompt = plain(exchange.prompt)[:PROMPT_CHARS]
    said = answers(exchange)
    answer = "\n\n".join(said[:1] + said[-1:] if len(said) > 1 else said)[-ANSWER_CHARS:]
    core = _core(sentences(prompt, 60), sentences(said[-1][:ANSWER_CHARS] if said else "", 120))
    detail = _detail(prompt, answer, errors(exchange), core)
    files = touched(exchange)
    kind = workflows.workflow(exchange)
    candidates = (*_file_rooms(exchange), *_concepts(prompt, core, detail), *((kind,) if kind else ()))
    return Extract(PalaceObject(visible(core), visible(detail), rooms.local(candidates), files), candidates)


def _mass(text: str) -> float:
    return sum(specificity(word) for word in set(words(text)))


def _core(asked: list[Sentence], told: list[Sentence]) -> str:
    ask = max(asked, key=lambda s: (_mass(s.text) / math.sqrt(len(s.text.split()) + 6), -s.block), default=None)
    outcome = max(told, key=lambda s: _worth(s, told), default=None)
    pieces = [_LEAD.sub("", ask.text)] if ask else []
    if outcome:
        pieces.append(outcome.text)
    budget = CORE_WORDS
    kept: list[str] = []
    for position, piece in enumerate(pieces):
        share = budget if position == len(pieces) - 1 else min(budget, CORE_WORDS * 2 // 5)
        cut = _clipped(piece, share)
        budget -= len(cut.split())
        if cut:
            kept.append(cut)
    return ": ".join(kept)


def _worth(sentence: Sentence, all_of: list[Sentence]) -> float:
    score = _mass(sentence.text) / math.sqrt(len(sentence.text.split()) + 8)
    score += 0.8 * bool(_DONE.search(sentence.text))
    score += 0.6 * (sentence.block < 3) + 0.3 * (sentence is all_of[-1])
    return score - 1.5 * bool(_FILLER.match(sentence.text)) - 0.5 * sentence.heading


def _clipped(text: str, most: int) -> str:
    """At most ``most`` words, ended at a clause where one ends near."""
    parts = text.split()
    if len(parts) <= most:
        return text.rstrip(" .:;,")
    kept = parts[:most]
    for end in range(len(kept), max(len(kept) // 2, 4), -1):
        if kept[end - 1][-1] in ",;:.)":
            return " ".join(kept[:end]).rstrip(" .:;,")
    return " ".join(kept).rstrip(" .:;,")


_SPAN = re.compile(r"`([^`\n]{3,90})`|\"([^\"\n]{6,90})\"")


def _detail(prompt: str, answer: str, failed: list[str], core: str) -> str:
    """One exact substring: an error line, a code span, or the most specific clause."""
    text = prompt + "\n" + answer
    best, best_score = "", 0.0
    for match in _SPAN.finditer(text):
        span = (match.group(1) or match.group(2)).strip()
        score = _mass(span) - 0.5 * (span in core) + 0.3 * (" " in span)
        if score > best_score:
            best, best_score = span, score
    if best:
        return best
    for output in failed:
        for line in output.split("\n"):
            if re.search(r"error|fail|panic|exception", line, re.IGNORECASE) and len(line) < 200:
                return line.strip()[:DETAIL_CHARS]
    return ""


def _file_rooms(exchange: Exchange) -> tuple[Room, ...]:
    """The changed files within the workspace, those with most changed lines first."""
    sizes: dict[str, int] = {}
    for edit in exchange.edits:
        if edit.action in WROTE:
            place = placed(edit.path, exchange)
            if place and not place.startswith(("/", "~", "..")) and place[1:2] != ":":
                sizes[place] = sizes.get(place, 0) + 1 + sum(len(hunk.lines) for hunk in edit.hunks)
    ranked = sorted(sizes, key=lambda path: (-sizes[path], path))
    return tuple(
        Room("file", path, path.rsplit("/", 1)[-1], round(0.9 - 0.1 * rank, 2)) for rank, path in enumerate(ranked[:3])
    )


def _concepts(prompt: str, core: str, detail: str) -> tuple[Room, ...]:
    """Specific words of core and prompt, weighted by how often they come."""
    weights: dict[str, float] = {}
    labels: dict[str, str] = {}
    for text, share in ((core, 1.0), (detail, 0.5), (prompt[:1_500], 0.5)):
        for word in words(text):
            value = specificity(word)
            if value < 0.5 or len(word) < 4 or word[0].isdigit():
                continue
            key = "_".join(parts(word)) if is_identifier(word) else word.lower()
            if not key:
                continue
            weights[key] = weights.get(key, 0.0) + share * value
            labels.setdefault(key, key.replace("_", " "))
    top = sorted(weights, key=lambda key: (-weights[key], key))[:6]
    largest = max(weights.values(), default=1.0)
    return tuple(Room("concept", key, labels[key], round(weights[key] / largest, 3)) for key in top)
