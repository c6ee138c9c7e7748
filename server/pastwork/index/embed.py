"""Texts -> unit vectors.

Two backends behind one protocol: ``OnnxEmbedder`` (the default; our graph file over the pinned
weights) and ``TorchEmbedder`` (any sentence-transformers model of the user's, extra ``[torch]``).
Both load at the first text, not before, and forget the model when released.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pastwork.errors import ModelMissing

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    #: Word-piece ids, one list a text -> vectors.
    Run = Callable[[list[list[int]]], NDArray[float32]]

#: Word pieces of a text that count (the model's ``max_seq_length``).
PIECES = 256
#: Larger batches are slower on a CPU: what is gained in arithmetic is lost in padding and cache.
BATCH = 8
#: No text needs more characters to fill ``PIECES``; the tokenizer's time grows with the rest.
CHARACTERS = 16_384


class Embedder(Protocol):
    """What turns texts into vectors; ``name`` tells model and version, and belongs into every recipe."""

    name: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """One unit vector a text: (n, dimension). Raises ``ModelMissing`` when there is no model."""
        ...

    def release(self) -> None:
        """Gives the memory back; the next text loads the model again."""
        ...


class OnnxEmbedder:
    """all-MiniLM-L6-v2 on onnxruntime; ``folder`` holds model.safetensors and tokenizer.json.

    ``spare`` cores are left to others: 0 for a query somebody waits for, 1 for work in the background.
    """

    name = "all-MiniLM-L6-v2@53aa51172d14"
    dimension = 384

    def __init__(self, folder: Path, spare: int = 0) -> None:
        self._folder, self._spare = folder, spare
        self._tokenizer: Any = None
        self._run: Run | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """(n, 384); texts of like length share a batch, the order is the caller's."""
        import numpy as np

        run = self._run or self._load()
        pieces = [encoding.ids for encoding in self._tokenizer.encode_batch([clean(text) for text in texts])]
        order = sorted(range(len(pieces)), key=lambda i: len(pieces[i]))
        out = np.empty((len(pieces), self.dimension), np.float32)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            out[batch] = run([pieces[i] for i in batch])
        return out

    def release(self) -> None:
        """Drops the session, about 100 MB."""
        self._run = self._tokenizer = None

    def _load(self) -> Run:
        # From 1.29 on the official builds report every session to their maker unless told not to before the import.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime
        from tokenizers import Tokenizer

        weights = self._folder / "model.safetensors"
        for path in (weights, self._folder / "tokenizer.json"):
            if not path.is_file():
                raise ModelMissing(f"{path} does not exist", "run `pastwork model install`")
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(PIECES)
        tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads(self._spare)
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(self._folder))
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 4
        graph = files("pastwork.index").joinpath("minilm.onnx").read_bytes()
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._tokenizer, self._run = tokenizer, _runner(session)
        return self._run


class TorchEmbedder:
    """Any sentence-transformers model, by name or folder, on whatever device torch finds."""

    def __init__(self, model: str, dimension: int = 384) -> None:
        self.name, self.dimension = f"torch:{model}", dimension
        self._wanted = model
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """(n, dimension), normalised, whatever the model's own last layer does."""
        import numpy as np

        model = self._model or self._load()
        vectors = model.encode(
            [clean(text) for text in texts], batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, np.float32).reshape(len(texts), self.dimension)

    def release(self) -> None:
        """Drops the model."""
        self._model = None

    def _load(self) -> Any:  # noqa: ANN401 the library has no types
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ModelMissing(
                "the sentence-transformers backend is not installed", "install pastwork[torch], or use backend onnx"
            ) from error
        try:
            self._model = SentenceTransformer(self._wanted)
        except (OSError, ValueError) as error:
            raise ModelMissing(f"{self._wanted} can't be loaded: {error}", "check embedding.model") from error
        told = getattr(self._model, "get_embedding_dimension", None)  # its name since 5.x
        self.dimension = int((told or self._model.get_sentence_embedding_dimension)())
        return self._model


def clean(text: str) -> str:
    """Text that a tokenizer takes: no lone surrogates, no more than can count; never empty."""
    return text[:CHARACTERS].encode("utf-8", "replace").decode() or " "


def threads(spare: int) -> int:
    """The cores this process may use, less those to leave free, but at least one."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, usable - spare)


def _runner(session: Any) -> Run:  # noqa: ANN401 the library has no types
    import numpy as np

    def run(pieces: list[list[int]]) -> NDArray[float32]:
        longest = max(map(len, pieces))
        ids = np.zeros((len(pieces), longest), np.int64)
        mask = np.zeros_like(ids)
        for i, text in enumerate(pieces):
            ids[i, : len(text)] = text
            mask[i, : len(text)] = 1
        vectors: NDArray[float32] = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return vectors

    return run
