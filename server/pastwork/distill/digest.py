"""Everything distilled of one exchange, in one go: what the store keeps beside the verbatim.

In: an exchange as read (``digest`` masks it itself). Out: a ``Digest``.
"""

from __future__ import annotations

import re

from msgspec import Struct

from pastwork.distill.extractive import extract
from pastwork.distill.fixes import repairs
from pastwork.distill.redact import masked
from pastwork.distill.text import Texts, prose_of, read, texts_of, visible
from pastwork.model import Exchange, PalaceObject, Room

#: Names the rules of this stage; whatever was distilled under another name is distilled again.
RECIPE = "extractive-6"
PROMPT_CHARS = 500
COUNTED_CHARS = 4_000
#: A short word or the next part of a long one, some digits, or a mark.
_PIECE = re.compile(r"[A-Za-z]{1,6}|\d{1,3}|[^\sA-Za-z0-9]")


class Digest(Struct, frozen=True):
    """``candidates`` are rooms of every type, for ``rooms.settle``; ``terms`` are embedded before
    core and context; ``texts`` what keywords are looked for in."""

    object: PalaceObject
    candidates: tuple[Room, ...]
    terms: tuple[str, ...]
    fix: bool
    tokens_verbatim: int
    tokens_distilled: int
    prompt: str
    texts: Texts


def digest(exchange: Exchange, *, mask: bool = True) -> Digest:
    """Distils one exchange; ``mask`` off only where the user turned masking off."""
    seen = masked(exchange) if mask else exchange
    reading = read(seen)
    found = extract(seen, reading)
    distilled = f"{found.object.exchange_core}\n{found.object.specific_context}"
    return Digest(
        object=found.object,
        candidates=found.candidates,
        terms=found.terms,
        fix=repairs(seen, reading),
        tokens_verbatim=count_tokens(prose_of(reading)),
        tokens_distilled=count_tokens(distilled),
        prompt=visible(seen.prompt)[:PROMPT_CHARS],
        texts=texts_of(reading),
    )


def count_tokens(text: str) -> int:
    """About how many word pieces (all-MiniLM-L6-v2) ``text`` has; docs/distillation.md has the error.

    Of a long text the begin is counted and the rest taken to be like it.
    """
    counted = text[:COUNTED_CHARS]
    found = len(_PIECE.findall(counted))
    return found if len(text) == len(counted) else round(found * len(text) / len(counted))
