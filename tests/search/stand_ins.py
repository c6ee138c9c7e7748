"""A small store in memory, and an embedder that knows no words: stand-ins at the seams of FIND."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from msgspec import Struct

from pastwork.errors import ModelMissing
from pastwork.index.base import Fields
from pastwork.index.okapi import OkapiLane
from pastwork.model import FileTouch, PalaceObject, Room
from pastwork.search.lanes import StoreLanes

RECIPE = "core+context words"


class WordVectors:
    """A text's vector is the sum of its words' random ones: alike texts are near."""

    name = "words"
    dimension = 32

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.released = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += texts
        return np.stack([self._vector(text) for text in texts]) if texts else np.empty((0, 32), np.float32)

    def release(self) -> None:
        self.released += 1

    def _vector(self, text: str) -> np.ndarray:
        total = np.full(32, 1e-3, np.float32)
        for word in text.lower().split():
            seed = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=4).digest(), "little")
            total += np.random.default_rng(seed).normal(size=32).astype(np.float32)
        return total / np.linalg.norm(total)


class Stored(Struct):
    object: PalaceObject
    terms: str = ""


class News(Struct):
    last: int
    count: int
    whole: bool
    rows: np.ndarray
    matrix: np.ndarray


class MemoryStore:
    """What ``corpora.Source`` asks for, over dictionaries."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.execute("CREATE TABLE exchange (row INTEGER PRIMARY KEY, content BLOB)")
        self.okapi = OkapiLane(self.connection)
        self.okapi.prepare()
        self.texts: dict[int, Fields] = {}
        self.objects: dict[int, PalaceObject] = {}
        self.vectors: dict[int, tuple[int, np.ndarray]] = {}
        self.changes = self.last = 0
        self.at_once = 3

    def put(self, row: int, text: str, core: str = "", embedded: bool = True) -> None:
        core = core or text
        self.texts[row] = Fields(prompt=text[:40], prose=text)
        room = Room("concept", core.split()[0] if core.split() else "x", core.split()[0] if core.split() else "x", 0.5)
        self.objects[row] = PalaceObject(core, "detail", (room,), (FileTouch(f"src/{row}.py", "edited"),))
        mark = blake2b(f"{text}{core}".encode("utf-8", "replace"), digest_size=16).digest()
        self.connection.execute("INSERT OR REPLACE INTO exchange VALUES (?, ?)", (row, mark))
        self.okapi.add([(row, self.texts[row])])
        self.vectors.pop(row, None)
        if embedded:
            self.embed(row)
        self.changes += 1

    def embed(self, row: int) -> None:
        self.last += 1
        self.vectors[row] = self.last, WordVectors().embed([f"{self.objects[row].exchange_core}\ndetail"])[0]
        self.changes += 1

    def forget(self, row: int) -> None:
        self.connection.execute("DELETE FROM exchange WHERE row = ?", (row,))
        self.okapi.remove([row])
        del self.texts[row], self.objects[row]
        self.vectors.pop(row, None)
        self.changes += 1

    def generation(self) -> int:
        return self.changes

    def content(self) -> int:
        return self.changes

    def kept(self, wanted: Collection[int]) -> dict[int, Stored]:
        return {row: Stored(self.objects[row]) for row in wanted if row in self.objects}

    def vectors_since(self, recipe: str, last: int) -> News:
        mine = self.vectors if recipe == RECIPE else {}
        new = sorted((number, row, vector) for row, (number, vector) in mine.items() if number > last)[: self.at_once]
        matrix = np.stack([v for _, _, v in new]) if new else np.empty((0, 32), np.float32)
        whole = len(new) < self.at_once
        return News(
            self.last if whole else new[-1][0], len(mine), whole, np.array([row for _, row, _ in new], np.int64), matrix
        )

    def vector_rows(self, recipe: str) -> list[int]:
        return list(self.vectors) if recipe == RECIPE else []


def no_model() -> WordVectors:
    raise ModelMissing("no embedding model", "run `pastwork model install`")


def lanes_of(store: MemoryStore, derived: Path, model: bool = True, patient: bool = True) -> StoreLanes:
    return StoreLanes(
        store,
        WordVectors if model else no_model,
        lambda name: f"core+context {name}",
        store.texts.__getitem__,
        derived,
        patient,
    )
