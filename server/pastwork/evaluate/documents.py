"""What is searched in an evaluation: exchanges with their texts in both layers.

Pure. In: exchanges and their digests. Out: ``Document``s whose place in the list is their row in every
lane, with texts made as the store and the live lanes make them (docs/evaluation.md has the exceptions).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pastwork.distill import rooms
from pastwork.distill.digest import Digest, count_tokens, digest
from pastwork.distill.redact import masked
from pastwork.distill.text import read, texts_of
from pastwork.evaluate.labels import ReferenceObject
from pastwork.index.base import Fields
from pastwork.model import Exchange, PalaceObject, Room
from pastwork.search.corpora import distilled_text
from pastwork.search.modes import FIELDS, Field


class Document(Struct, frozen=True):
    """One exchange: ``fields`` are the verbatim layer's, ``distilled`` the object's text by field, all masked.

    ``tokens_*`` count about as the embedding model does, the object's of core and context. ``key`` where
    the exchange is labelled, ``group`` where searches are narrowed.
    """

    id: str
    agent: str
    session_id: str
    started_at: str | None
    prompt: str
    fields: Fields
    distilled: dict[str, str]
    tokens_verbatim: int = 0
    tokens_distilled: int = 0
    key: str | None = None
    group: str | None = None

    @property
    def verbatim(self) -> str:
        """Prompt and answers: what verbatim vectors are made of."""
        return f"{self.fields.prompt}\n{self.fields.prose}".strip()

    def text(self, fields: Sequence[Field]) -> str:
        """The chosen fields, a line each."""
        return "\n".join(self.distilled[field] for field in FIELDS if field in fields)


def distilled(exchanges: Iterable[Exchange]) -> list[Document]:
    """The exchanges distilled by the extractive method, rooms settled over all of them."""
    pairs = [(exchange, digest(exchange)) for exchange in exchanges]
    settled = rooms.settle({place: found.candidates for place, (_, found) in enumerate(pairs)})
    return [_document(exchange, found, settled[place]) for place, (exchange, found) in enumerate(pairs)]


def undistilled(exchange: Exchange) -> Document:
    """The verbatim layer alone, masked."""
    texts = texts_of(read(masked(exchange)))
    return Document(
        id=exchange.id,
        agent=exchange.agent,
        session_id=exchange.session_id,
        started_at=exchange.started_at,
        prompt=exchange.prompt,
        fields=Fields(texts.prompt, texts.prose, texts.commands, texts.errors),
        distilled=dict.fromkeys(FIELDS, ""),
        tokens_verbatim=count_tokens(f"{texts.prompt}\n{texts.prose}"),
    )


def with_references(documents: Sequence[Document], objects: Iterable[ReferenceObject]) -> list[Document]:
    """The keyed documents with reference objects in the place of their own.

    Key terms of the extractive method go with its object; files stay, a pattern finds them in both.
    """
    by_key = {found.key: found for found in objects}
    return [_replaced(d, by_key[d.key]) if d.key in by_key else d for d in documents]


def fingerprint(documents: Iterable[Document]) -> str:
    """A hash of everything that is searched: equal hashes, equal results."""
    found = hashlib.blake2b(digest_size=16)
    for document in documents:
        found.update(msgspec.msgpack.encode(document))
    return found.hexdigest()


def _document(exchange: Exchange, found: Digest, settled: Sequence[Room]) -> Document:
    texts = found.texts
    return Document(
        id=exchange.id,
        agent=exchange.agent,
        session_id=exchange.session_id,
        started_at=exchange.started_at,
        prompt=exchange.prompt,
        fields=Fields(texts.prompt, texts.prose, texts.commands, texts.errors),
        distilled=_by_field(replace(found.object, room_assignments=tuple(settled)), " ".join(found.terms)),
        tokens_verbatim=found.tokens_verbatim,
        tokens_distilled=found.tokens_distilled,
    )


def _by_field(palace_object: PalaceObject, terms: str) -> dict[str, str]:
    return {field: distilled_text(palace_object, (field,), terms) for field in FIELDS}


def _replaced(document: Document, reference: ReferenceObject) -> Document:
    labels = ", ".join(room.key.replace("_", " ") for room in reference.rooms)
    texts: Mapping[str, str] = {
        "core": reference.exchange_core,
        "context": reference.specific_context,
        "rooms": labels,
        "files": document.distilled["files"],
    }
    return replace(
        document,
        distilled=dict(texts),
        tokens_distilled=count_tokens(f"{reference.exchange_core}\n{reference.specific_context}"),
    )
