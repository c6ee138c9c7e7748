"""Vectors for distilled texts that have none yet: in the background, newest first, stopped at any time."""

from __future__ import annotations

from collections.abc import Callable

from pastwork.index.embed import Embedder
from pastwork.store.counts import vector_status
from pastwork.store.vectors import recipe
from pastwork.store.writer import StoreWriter

#: Texts fetched at once and sorted by length, so that a slice pads little; and texts a slice.
FETCH, SLICE = 512, 32
#: Texts whose vectors are committed together.
COMMIT = 128

#: Gives the embedder, loading nothing yet; raises ``ModelMissing`` when there is no model.
MakeEmbedder = Callable[[], Embedder]


def embed_pending(
    writer: StoreWriter, embedder: Embedder, stop: Callable[[], bool], told: Callable[[int, int], None]
) -> None:
    """Embeds until nothing is pending or ``stop`` says so (asked about every 0.3 s; what is computed by then is kept).

    Vectors of another model or recipe are dropped once all are there of this one, and not before.

    Raises:
        ModelMissing: there is no model after all.
    """
    name = recipe(embedder.name)
    while not stop() and (pending := writer.pending_vectors(name, FETCH)):
        status = vector_status(writer.connection, name)
        told(status.ready, status.ready + status.pending)
        _embed(writer, embedder, name, sorted(pending, key=lambda pair: len(pair[1])), stop)
    if not writer.pending_vectors(name, 1):
        writer.keep_vectors_of(name)


def _embed(
    writer: StoreWriter, embedder: Embedder, name: str, pending: list[tuple[int, str]], stop: Callable[[], bool]
) -> None:
    import numpy as np

    rows: list[int] = []
    parts = []
    for start in range(0, len(pending), SLICE):
        part = pending[start : start + SLICE]
        parts.append(embedder.embed([text for _, text in part]))
        rows += [row for row, _ in part]
        last = start + SLICE >= len(pending) or stop()
        if last or len(rows) >= COMMIT:
            writer.put_vectors(name, rows, np.concatenate(parts))
            rows, parts = [], []
        if last:
            return
