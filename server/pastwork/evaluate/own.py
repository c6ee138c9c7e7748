"""Known-item queries from one's own exchanges, made the same way every time.

From each drawn exchange one sentence is held out: it is taken out of the exchange before that is distilled
and indexed, and the query is made of it. What is to be found is the exchange that it came from.

``conceptual``: the sentence's plain words, no names. ``phrase``: five words in a row. ``exact_term``: a name
that also stands elsewhere in the exchange. Pure.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log

from msgspec import Struct
from msgspec.structs import replace

from pastwork.distill.redact import masked
from pastwork.index.stop_words import STOP_WORDS
from pastwork.index.tokens import split, tokens, words
from pastwork.model import Exchange

TYPES = ("conceptual", "phrase", "exact_term")
#: Sentences that an exchange has to have, so that something is left, and words that a held-out one has.
LEAST_SENTENCES, FEWEST, MOST = 4, 6, 40
#: Words of a conceptual query and of a phrase.
CONCEPT, PHRASE = 8, 5
#: A name in more exchanges than this asks for none of them.
COMMON = 5
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")


class Held(Struct, frozen=True):
    """A query, and the exchange that it asks for, without the sentence that it was made of."""

    query: str
    type: str
    exchange: Exchange


def held_out(exchanges: Sequence[Exchange], count: int, seed: int) -> list[Held]:
    """At most ``count``, types in turn; fewer where fewer exchanges have enough to say."""
    seen = [masked(exchange) for exchange in exchanges]
    holding = Counter(token for exchange in seen for token in set(tokens(_prose(exchange))))
    order = sorted(seen, key=lambda exchange: exchange.id)
    random.Random(seed).shuffle(order)  # noqa: S311 - a reproducible draw, nothing secret
    found: list[Held] = []
    for exchange in order:
        if len(found) == count:
            break
        wanted = TYPES[len(found) % len(TYPES)]
        made = next(_queries(exchange, wanted, holding, len(seen)), None)
        if made is not None:
            found.append(made)
    return found


def _queries(exchange: Exchange, kind: str, holding: Mapping[str, int], of: int) -> Iterator[Held]:
    """The queries of a type that an exchange gives, those of its most telling sentences first."""
    said = _sentences(exchange)
    if len(said) < LEAST_SENTENCES:
        return

    def telling(sentence: str) -> float:
        found = set(tokens(sentence))
        return -sum(log(of / max(1, holding.get(token, 1))) for token in found) / (len(found) + 3)

    for sentence in sorted(said, key=telling):
        rest = _without(exchange, sentence)
        query = MAKERS[kind](sentence, _prose(rest), holding)
        if query:
            yield Held(query, kind, rest)


def _conceptual(sentence: str, rest: str, holding: Mapping[str, int]) -> str:
    plain = [w for w in words(sentence) if len(split(w)) == 1 and w.isalpha() and w.lower() not in STOP_WORDS]
    kept = list(dict.fromkeys(word.lower() for word in plain))
    return " ".join(kept[:CONCEPT]) if len(kept) >= CONCEPT // 2 else ""


def _phrase(sentence: str, rest: str, holding: Mapping[str, int]) -> str:
    """The five words in a row that fewest exchanges hold, on average."""
    all_words = sentence.split()
    windows = [all_words[start : start + PHRASE] for start in range(len(all_words) - PHRASE + 1)]
    if not windows:
        return ""

    def common(window: Iterable[str]) -> float:
        found = tokens(" ".join(window))
        return sum(log(1 + holding.get(token, 0)) for token in found) / max(1, len(found))

    return " ".join(min(windows, key=common)).strip(" ,.;:!?`*()[]")


def _exact_term(sentence: str, rest: str, holding: Mapping[str, int]) -> str:
    """The name of several parts that fewest exchanges hold, of those that the rest of the exchange names too."""
    elsewhere = set(tokens(rest))
    names = [w for w in words(sentence) if len(split(w)) > 1 and split(w)[0] in elsewhere]
    rare = [name for name in names if holding.get(split(name)[0], 0) <= COMMON]
    return min(rare, key=lambda name: (holding.get(split(name)[0], 0), name), default="")


#: Sentence, the rest of the exchange, exchanges that hold a token -> query, or nothing.
MAKERS = {"conceptual": _conceptual, "phrase": _phrase, "exact_term": _exact_term}


def _sentences(exchange: Exchange) -> list[str]:
    """The distinct sentences of the answers that can be held out."""
    found = []
    for entry in exchange.entries:
        if entry.role == "assistant":
            found += [piece.group().strip() for piece in _SENTENCE.finditer(entry.text)]
    return list(dict.fromkeys(s for s in found if FEWEST <= len(s.split()) <= MOST))


def _prose(exchange: Exchange) -> str:
    told = [entry.text for entry in exchange.entries if entry.role != "tool"]
    return "\n".join([exchange.prompt, *told])


def _without(exchange: Exchange, sentence: str) -> Exchange:
    """The exchange with every occurrence of the sentence taken out."""
    entries = tuple(
        replace(entry, text=entry.text.replace(sentence, "")) if entry.role != "tool" else entry
        for entry in exchange.entries
    )
    return replace(exchange, prompt=exchange.prompt.replace(sentence, "") or exchange.prompt, entries=entries)
