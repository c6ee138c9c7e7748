"""A home's exchanges and the labelled queries about them, read and distilled as ``pastwork eval`` does."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pastwork.config import Sources
from pastwork.evaluate import documents as texts
from pastwork.evaluate import gold, history, labels
from pastwork.evaluate.documents import Document
from pastwork.evaluate.labels import Query
from pastwork.evaluate.vectors import VectorCache
from pastwork.index.embed import Embedder
from pastwork.model import Exchange
from pastwork.transcripts.base import Env

ROOT = Path(__file__).resolve().parents[2]


def shared() -> Path:
    """The folder with the corpus and the labelled set; ``PASTWORK_SHARED`` names it."""
    return Path(os.environ.get("PASTWORK_SHARED", ROOT.parent / "shared"))


def unpack(archive: Path, home: Path) -> None:
    """Writes the archive's files below ``home``, with their times.

    Raises ValueError for a member that is neither file nor folder, or lies elsewhere. (``tarfile``'s own
    filters are not in every Python 3.11.)
    """
    with tarfile.open(archive) as members:
        for member in members:
            target = home / member.name
            if not (member.isfile() or member.isdir()) or not target.resolve().is_relative_to(home.resolve()):
                raise ValueError(f"{archive} holds {member.name!r}, which is not written")
            if member.isdir():
                target.mkdir(parents=True, exist_ok=True)
            elif (data := members.extractfile(member)) is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data.read())
                os.utime(target, (member.mtime, member.mtime))


def exchanges(home: Path) -> list[Exchange]:
    """Every exchange below ``home`` and its folder ``code``, once."""
    code = home / "code"
    return history.exchanges(Env(home, {}), Sources(), (code,) if code.is_dir() else (), lambda done, total: None)


def documents(home: Path) -> list[Document]:
    """The exchanges distilled by the extractive method."""
    return texts.distilled(exchanges(home))


def labelled(found: Sequence[Document], folder: Path, reference: bool) -> list[Document]:
    """The documents with the keys of ``folder``, and with its reference objects if so wished.

    Raises NotFound that names the keys without an exchange.
    """
    keyed = gold.with_keys(found, labels.read_exchanges(folder / "exchanges.jsonl"))
    return texts.with_references(keyed, labels.read_objects(folder / "objects.jsonl")) if reference else keyed


def questions(folder: Path) -> list[Query]:
    return labels.read_queries(folder / "queries.jsonl")


def embedded(wanted: Sequence[str], embedder: Embedder, cache: Path) -> NDArray[np.float32]:
    """(n, dimension); vectors of texts seen before come from the cache folder."""
    kept = VectorCache(cache, embedder.name, embedder.dimension)
    kept.prepare(wanted, embedder, lambda done, total: None)
    return kept.matrix(wanted)
