"""One exchange through DISTIL: what the store keeps of it and what the keyword lane sees."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import asdict

from pastwork.distill import digest as distilling
from pastwork.index.base import Fields
from pastwork.model import Exchange
from pastwork.store.records import Digest


class Distilled(Struct, frozen=True):
    """``fields`` is masked text for the keyword lane."""

    digest: Digest
    fields: Fields


def recipe(masking: bool) -> str:
    """Names the rules of distilling; under another name everything is distilled again from the kept verbatim."""
    return distilling.RECIPE + ("" if masking else " unmasked")


def distil(exchange: Exchange, masking: bool = True) -> Distilled:
    """Everything derived of one exchange; without ``masking`` (a setting) secrets stay in."""
    found = distilling.digest(exchange, mask=masking)
    kept = Digest(
        object=found.object,
        prompt=found.prompt,
        candidates=found.candidates,
        fix=found.fix,
        tokens_verbatim=found.tokens_verbatim,
        tokens_distilled=found.tokens_distilled,
        recipe=recipe(masking),
    )
    return Distilled(kept, Fields(**asdict(found.texts)))
