"""What is indexed, what was skipped, what is pending, what its agent is about to delete."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pastwork.config import Config
from pastwork.index.embed import OnnxEmbedder
from pastwork.shapes import StatusAnswer
from pastwork.store.counts import SKIPPED_SHOWN, StatusCounts
from pastwork.store.reader import StoreReader
from pastwork.store.vectors import recipe


def status(store: StoreReader, config: Config, now: datetime, notes: tuple[str, ...] = ()) -> StatusAnswer:
    """``notes`` are what is known to be weak before the store is asked."""
    counts = store.status_counts(recipe(embedder_name(config)), now.timestamp())
    return StatusAnswer(
        counts.agents, counts.vectors, counts.index, counts.store, counts.writer, (*notes, *_weak(counts))
    )


def embedder_name(config: Config) -> str:
    """The name of the configured model's vectors, without loading it."""
    if config.embedding.backend == "onnx":
        return OnnxEmbedder.name
    return f"torch:{config.embedding.model}"


def _weak(counts: StatusCounts) -> Iterator[str]:
    for agent, found in counts.agents.items():
        if counts.skipped.get(agent, 0) > len(found.skipped):
            yield f"{agent}: {counts.skipped[agent]} records were skipped; the newest {SKIPPED_SHOWN} are listed"
        if found.expiring:
            yield (
                f"{agent} will delete {found.expiring} transcript{'s' if found.expiring > 1 else ''} within a week;"
                " pastwork keeps its own copy of what it has read"
            )
