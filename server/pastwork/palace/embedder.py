"""The configured embedder, made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pastwork.config import Config

if TYPE_CHECKING:
    from pastwork.index.embed import Embedder


def make_embedder(config: Config, data: Path, spare: int) -> Callable[[], Embedder]:
    """A function that gives the embedder, loading nothing yet; it raises ModelMissing where there is no model.

    ``spare`` cores are left to others.
    """

    def make() -> Embedder:
        from pastwork.index import weights
        from pastwork.index.embed import OnnxEmbedder, TorchEmbedder

        if config.embedding.backend == "onnx":
            return OnnxEmbedder(weights.find(config, data), spare)
        return TorchEmbedder(config.embedding.model)

    return make
