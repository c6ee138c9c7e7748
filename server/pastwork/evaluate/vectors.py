"""Vectors of many texts, each text embedded once ever: a cache of one file a model.

Texts are known by hash, so nothing readable is kept. Vectors are kept in half precision, as the store
keeps them; what is given back is the same whether it was computed now or before.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pastwork.index.embed import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Texts embedded between two savings.
SAVED = 1_024
#: Told how many of how many new texts are embedded.
Told = Callable[[int, int], None]


class VectorCache:
    """Vectors by the model of that name; ``folder`` may be deleted at any time."""

    def __init__(self, folder: Path, model: str, dimension: int) -> None:
        self._path = folder / f"{hashlib.sha256(model.encode()).hexdigest()[:12]}.npz"
        self._dimension = dimension
        self._known: dict[str, NDArray[np.float16]] | None = None

    def prepare(self, texts: Iterable[str], embedder: Embedder, told: Told) -> int:
        """Embeds what was never embedded; gives how many that were. Saved as it goes: a killed run goes on."""
        import numpy as np

        known = self._open()
        waiting = list({mark(text): text for text in texts if mark(text) not in known}.items())
        for start in range(0, len(waiting), SAVED):
            told(start, len(waiting))
            part = waiting[start : start + SAVED]
            made = embedder.embed([text for _, text in part]).astype(np.float16)
            known |= dict(zip((name for name, _ in part), made, strict=True))
            self._save(known)
        return len(waiting)

    def matrix(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dimension) for texts that are prepared."""
        import numpy as np

        known = self._open()
        if not texts:
            return np.empty((0, self._dimension), np.float32)
        return np.stack([known[mark(text)] for text in texts]).astype(np.float32)

    def _open(self) -> dict[str, NDArray[np.float16]]:
        import numpy as np

        if self._known is None:
            self._known = {}
            if self._path.exists():
                try:
                    with self._path.open("rb") as file, np.load(file) as stored:
                        self._known = dict(zip(stored["names"].tolist(), stored["vectors"], strict=True))
                except (OSError, ValueError, KeyError, zipfile.BadZipFile):
                    self._known = {}  # damaged: made anew, it holds nothing that can't be computed
        return self._known

    def _save(self, known: dict[str, NDArray[np.float16]]) -> None:
        import numpy as np

        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = self._path.with_suffix(".part.npz")
        np.savez(part, names=np.array(list(known)), vectors=np.stack(list(known.values())))
        part.chmod(0o600)
        part.replace(self._path)


def mark(text: str) -> str:
    """By which a text is known."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
