"""A home's exchanges with everything that search looks at, and the labelled queries about them."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from pastwork.distill.digest import digest
from pastwork.index.base import Fields
from pastwork.index.embed import Embedder
from pastwork.model import Exchange
from pastwork.transcripts.base import Env, Turn
from pastwork.transcripts.registry import READERS


@dataclass(frozen=True)
class Document:
    """One exchange: ``fields`` for keywords, ``distilled`` by field name, ``key`` where it is labelled."""

    agent: str
    session_id: str
    started_at: str | None
    prompt: str
    fields: Fields
    distilled: dict[str, str]
    key: str | None = None


class Question(msgspec.Struct, frozen=True):
    """A line of queries.jsonl: key -> grade of what is relevant."""

    query: str
    type: str
    relevant: dict[str, int]


class Labelled(msgspec.Struct, frozen=True):
    """A line of exchanges.jsonl."""

    key: str
    agent: str
    session_id: str
    started_at: str
    prompt: str


class ReferenceRoom(msgspec.Struct, frozen=True):
    key: str


class Reference(msgspec.Struct, frozen=True):
    """A line of objects.jsonl."""

    key: str
    exchange_core: str
    specific_context: str
    rooms: list[ReferenceRoom]


#: Texts embedded between two savings of the cache.
SAVED = 4_096
L = TypeVar("L", bound=msgspec.Struct)


def exchanges(home: Path) -> Iterator[Exchange]:
    """Every exchange below ``home`` once, by id, as the last reading has it."""
    code = home / "code"
    env = Env(home, {}, scans=(code,) if code.is_dir() else ())
    found: dict[str, Exchange] = {}
    for reader in READERS:
        for source in reader.locate(env):
            for item in reader.read(source):
                if isinstance(item, Turn):
                    found[item.exchange.id] = item.exchange
    return iter(found.values())


def documents(home: Path) -> list[Document]:
    """The exchanges distilled by the extractive method."""
    return [_document(exchange) for exchange in exchanges(home)]


def _document(exchange: Exchange) -> Document:
    found = digest(exchange)
    palace_object = found.object
    distilled = {
        "core": f"{' '.join(found.terms)}\n{palace_object.exchange_core}".lstrip("\n"),
        "context": palace_object.specific_context,
        "rooms": ", ".join(room.room_label for room in found.candidates),
        "files": " ".join(touch.path for touch in palace_object.files_touched),
    }
    texts = Fields(found.texts.prompt, found.texts.prose, found.texts.commands, found.texts.errors)
    return Document(exchange.agent, exchange.session_id, exchange.started_at, exchange.prompt, texts, distilled)


def labelled(found: Sequence[Document], folder: Path, reference: bool) -> tuple[list[Document], list[str]]:
    """The documents with the keys of ``folder``, and which keys met none; with reference objects if so wished."""
    objects = {line.key: line for line in lines(folder / "objects.jsonl", Reference)}
    places: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for i, document in enumerate(found):
        places[document.agent, document.session_id, _beginning(document.prompt)].append(i)
    out, missing = list(found), []
    for line in lines(folder / "exchanges.jsonl", Labelled):
        candidates = places.get((line.agent, line.session_id, _beginning(line.prompt)), [])
        if not candidates:
            missing.append(line.key)
            continue
        nearest = min(candidates, key=lambda i: abs(_seconds(found[i].started_at) - _seconds(line.started_at)))
        old = found[nearest]
        distilled = _reference(objects[line.key], old) if reference else old.distilled
        out[nearest] = replace(old, distilled=distilled, key=line.key)
    return out, missing


def questions(folder: Path) -> list[Question]:
    return list(lines(folder / "queries.jsonl", Question))


def lines(path: Path, kind: type[L]) -> Iterator[L]:
    """The file's lines as structs; further fields are ignored."""
    decode = msgspec.json.Decoder(kind).decode
    with path.open("rb") as file:
        yield from map(decode, file)


def embedded(texts: Sequence[str], embedder: Embedder, cache: Path) -> NDArray[np.float32]:
    """(n, dimension); vectors of texts seen before come from the cache folder."""
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{hashlib.sha256(embedder.name.encode()).hexdigest()[:12]}.npz"
    known: dict[str, NDArray[np.float32]] = {}
    if path.exists():
        with np.load(path) as stored:
            known = dict(zip(stored["names"].tolist(), stored["vectors"], strict=True))
    names = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24] for text in texts]
    new = {name: text for name, text in zip(names, texts, strict=True) if name not in known}
    waiting = list(new.items())
    for start in range(0, len(waiting), SAVED):
        part_names, part_texts = zip(*waiting[start : start + SAVED], strict=True)
        known |= dict(zip(part_names, embedder.embed(part_texts), strict=True))
        part = path.with_suffix(".part.npz")
        np.savez(part, names=np.array(list(known)), vectors=np.stack(list(known.values())))
        part.replace(path)
    return np.stack([known[name] for name in names])


def _reference(line: Reference, old: Document) -> dict[str, str]:
    rooms = ", ".join(room.key.replace("_", " ") for room in line.rooms)
    return {**old.distilled, "core": line.exchange_core, "context": line.specific_context, "rooms": rooms}


def _beginning(prompt: str) -> str:
    return re.sub(r"\s+", " ", prompt).strip().lower()[:200]


def _seconds(time: str | None) -> float:
    try:
        return datetime.fromisoformat(time).timestamp() if time else 0.0
    except ValueError:
        return 0.0
