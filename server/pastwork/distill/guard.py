"""Checks a language model's words against the exchange they claim to be of.

In: a reply and the exchange's texts. Out: the faults, none for a reply that may be kept. Names,
paths, numbers and quotations must stand in the exchange; so must every word that is not common in
technical English. The detail must be an exact piece of it. Pure.
"""

from __future__ import annotations

import re

from pastwork.distill.prompt import Reply
from pastwork.distill.terms import WORD, is_identifier, specificity, stem
from pastwork.distill.text import Reading, visible

#: Bounds of a core (words, characters) and of a detail (characters).
FEWEST, MOST, CORE_CHARS, DETAIL_CHARS = 3, 45, 320, 160
#: From this specificity on a word must be the exchange's own.
OWN = 0.85
#: The same for a word in capitals.
ACRONYM = 0.3
_QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|(?<!\w)'([^'\n]{2,})'(?!\w)")
_NUMBER = re.compile(r"\d")
_MARKUP = re.compile(r"[<>]{2,}|\]\(|```|\n\s*\n")


class Source:
    """An exchange's texts, made ready to be looked into."""

    def __init__(self, texts: str) -> None:
        self.text = " ".join(texts.split())
        self._lowered = self.text.lower()
        self._stems = frozenset(map(stem, WORD.findall(self.text)))

    def holds(self, piece: str) -> bool:
        """Whether ``piece`` stands there exactly, blanks aside."""
        return " ".join(piece.split()) in self.text

    def names(self, word: str) -> bool:
        """Whether ``word`` stands there as a whole, case aside: not as a part of a longer name."""
        wanted = word.lower().strip("()")
        at = self._lowered.find(wanted)
        while at >= 0:
            if not _inside_name(self._lowered, at, at + len(wanted)):
                return True
            at = self._lowered.find(wanted, at + 1)
        return False

    def says(self, word: str) -> bool:
        """Whether a form of ``word`` stands there."""
        return stem(word) in self._stems or self.names(word)


def source(reading: Reading, files: tuple[str, ...] = ()) -> Source:
    """What a model was shown, and the rest of the same exchange."""
    parts = (reading.prompt, *reading.asides, *reading.answers, *reading.commands, *reading.errors, *files)
    return Source("\n".join(parts))


def faults(reply: Reply, of: Source) -> list[str]:
    """What keeps a reply from being used, as sentences for the model."""
    core, detail = reply.exchange_core.strip(), reply.specific_context.strip()
    found = _shape(core, detail)
    found += [f'"{piece}" is not in the exchange' for piece in _quotations(core) if not of.holds(piece)]
    found += [f"{word} is not in the exchange" for word in _invented(core, of)]
    if detail and not of.holds(detail):
        found.append("specific_context is no exact piece of the exchange")
    return list(dict.fromkeys(found))


def _shape(core: str, detail: str) -> list[str]:
    found = []
    if not FEWEST <= len(core.split()) <= MOST or len(core) > CORE_CHARS:
        found.append(f"exchange_core must have {FEWEST} to {MOST} words")
    if len(detail) > DETAIL_CHARS:
        found.append(f"specific_context is longer than {DETAIL_CHARS} characters")
    if visible(core) != core or visible(detail) != detail or _MARKUP.search(core):
        found.append("there are control characters or markup in it")
    return found


def _quotations(text: str) -> list[str]:
    return [piece for match in _QUOTED.finditer(text) if (piece := "".join(match.groups("")).strip())]


def _invented(text: str, of: Source) -> list[str]:
    """The words of ``text`` that only the exchange could have and has not."""
    return [word for word in WORD.findall(text) if not _allowed(word, of)]


def _allowed(word: str, of: Source) -> bool:
    acronym = word.isupper() and len(word) > 1 and specificity(word) >= ACRONYM
    if acronym or is_identifier(word) or _NUMBER.search(word):
        return of.names(word)
    return all(specificity(part) < OWN or of.says(part) for part in word.split("-") if part)


def _inside_name(text: str, start: int, end: int) -> bool:
    return _joins(text[start - 1 : start]) or _joins(text[end : end + 1])


def _joins(character: str) -> bool:
    return character.isalnum() or character == "_"
