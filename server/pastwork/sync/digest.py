"""One exchange through DISTIL: what the store keeps of it and what the keyword lane sees."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import asdict

from pastwork.distill import digest as distilling
from pastwork.index.base import Fields
from pastwork.model import Exchange, PalaceObject
from pastwork.store.records import Digest


class Distilled(Struct, frozen=True):
    """``fields`` is masked text for the keyword lane; ``fault`` says why there is none, where there is none."""

    digest: Digest
    fields: Fields
    fault: str = ""


def recipe(masking: bool) -> str:
    """Names the rules of distilling; under another name everything is distilled again from the kept verbatim."""
    return distilling.RECIPE + ("" if masking else " unmasked")


def distil(exchange: Exchange, masking: bool = True) -> Distilled:
    """Everything derived of one exchange; without ``masking`` (a setting) secrets stay in.

    An exchange that can't be distilled is kept all the same: with its text, and with nothing derived.
    """
    try:
        found = distilling.digest(exchange, mask=masking)
    except Exception as error:  # noqa: BLE001 one exchange's fault must not keep it or the others out
        # What the machine refused may work the next time; a fault of the rules waits for other rules.
        again = isinstance(error, OSError | ImportError | MemoryError)
        bare = Digest(PalaceObject("", ""), recipe="" if again else recipe(masking))
        return Distilled(bare, Fields(), f"could not be distilled ({type(error).__name__})")
    kept = Digest(
        object=found.object,
        prompt=found.prompt,
        candidates=found.candidates,
        terms=found.terms,
        fix=found.fix,
        tokens_verbatim=found.tokens_verbatim,
        tokens_distilled=found.tokens_distilled,
        recipe=recipe(masking),
    )
    return Distilled(kept, Fields(**asdict(found.texts)))
