"""Vectors for distilled texts that have none yet: in the background, newest first, stopped at any time."""

from __future__ import annotations

from collections.abc import Callable

from pastwork.errors import ModelMissing
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
    writer: StoreWriter,
    make: MakeEmbedder,
    stop: Callable[[], bool] = lambda: False,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> str:
    """Embeds until nothing is pending or ``stop`` says so; a sentence when it can't be done, else "".

    ``stop`` is asked between slices (about 0.3 s apart); what is computed by then is kept.
    """
    try:
        embedder = make()
        name = recipe(embedder.name)
        while not stop() and (pending := writer.pending_vectors(name, FETCH)):
            _embed(writer, embedder, name, sorted(pending, key=lambda pair: len(pair[1])), stop)
            status = vector_status(writer.connection, name)
            told(status.ready, status.ready + status.pending)
    except ModelMissing as missing:
        return f"vectors wait for the model: {missing.message}; {missing.remedy}"
    return ""


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
