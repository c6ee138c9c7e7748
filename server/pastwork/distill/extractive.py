"""Distils an exchange without a language model, in the exchange's own words.

In: an exchange whose secrets are masked. Out: the core (what was asked and what came of it), one
decisive detail copied exactly, key terms, candidates for rooms, files. Deterministic, and a function
of the exchange alone.
"""

from __future__ import annotations

from msgspec import Struct

from pastwork.distill import rooms, workflows
from pastwork.distill.concepts import concepts
from pastwork.distill.detail import detail
from pastwork.distill.evidence import Evidence, evidence
from pastwork.distill.files import placed, touched_by
from pastwork.distill.keyterms import KeyTerms, key_terms
from pastwork.distill.statements import Statement, best, mass, state, tells
from pastwork.distill.terms import stem, words
from pastwork.distill.text import Reading, read, visible
from pastwork.model import WROTE, Exchange, PalaceObject, Room

#: Words of the core at most: of what was asked beside an outcome, of the outcome, of either alone.
ASKED, TOLD, ALONE = 11, 18, 24
#: An outcome that holds this share of the request's key terms needs no request beside it.
COVERED = 0.6
#: Key terms that are embedded with core and context.
TERMS = 24
ARROW = " → "


class Extract(Struct, frozen=True):
    """The object with local rooms, the candidates from which the history settles the rooms, and key terms."""

    object: PalaceObject
    candidates: tuple[Room, ...]
    terms: tuple[str, ...]


def distil(exchange: Exchange) -> PalaceObject:
    """The palace object of one exchange; its concept rooms are its own candidates."""
    return extract(exchange, read(exchange)).object


def extract(exchange: Exchange, reading: Reading) -> Extract:
    seen = evidence(exchange, reading)
    terms = key_terms(seen)
    core = _core(seen, terms)
    said = frozenset(map(stem, words(core)))
    context = detail(_messages(reading, seen), reading.errors, terms, said)
    kind = workflows.workflow(reading)
    candidates = (*_file_rooms(exchange), *concepts(seen, terms), *((kind,) if kind else ()))
    shown = PalaceObject(visible(core), visible(context), rooms.local(candidates), touched_by(exchange, reading))
    return Extract(shown, candidates, _in_order(terms))


def _core(seen: Evidence, terms: KeyTerms) -> str:
    """``asked -> outcome``, or one of them where the other adds nothing."""
    outcome = best(seen.told, terms, TOLD)
    asked = best(seen.asked, terms, ASKED if outcome else ALONE)
    if outcome is None or not tells(outcome, terms):
        return asked.text if asked else _first_words(seen)
    if asked is None or not tells(asked, terms) or _covers(outcome, asked, terms):
        longer = state(outcome.of, terms, ALONE)
        return longer.text if longer else outcome.text
    return f"{asked.text}{ARROW}{outcome.text}"


def _covers(outcome: Statement, asked: Statement, terms: KeyTerms) -> bool:
    whole = mass(asked, terms)
    return whole > 0 and mass(asked, terms, outcome.stems) <= (1 - COVERED) * whole


def _first_words(seen: Evidence) -> str:
    text = seen.prompt or seen.zones.get("commands", "") or seen.zones.get("files", "")
    return " ".join(text.split()[:ALONE])[:300]


def _messages(reading: Reading, seen: Evidence) -> list[str]:
    """The texts a detail may come from: the main answer, the last one, the prompt."""
    return list(dict.fromkeys((seen.main, *reading.answers[-1:], reading.prompt)))


def _in_order(terms: KeyTerms) -> tuple[str, ...]:
    """The likeliest terms, in order of appearance."""
    place = {key: position for position, key in enumerate(terms.scores)}
    return tuple(terms.written[key] for key in sorted(terms.best(TERMS), key=place.__getitem__))


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
