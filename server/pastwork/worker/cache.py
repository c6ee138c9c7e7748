"""Markdown files that editors without ``pastwork:`` documents are shown.

They lie in the data folder's derived part (0600 in 0700), which ``forget`` deletes; where that can't be
written, in a folder of this process's own that goes with it.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from pastwork.store import places

FOLDER = "documents"


class Cache:
    """``data`` is the data folder; nothing is made before the first ``put``."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._own: Path | None = None

    def put(self, name: str, text: str) -> Path:
        """Writes ``<name>.md``; ``name`` is one path component of ours. Raises OSError when nothing can be written."""
        content = text.encode("utf-8", "replace")
        if self._own is None:
            try:
                return _written(documents_folder(self._data), name, content)
            except OSError:
                self._own = Path(tempfile.mkdtemp(prefix="pastwork-"))
                atexit.register(shutil.rmtree, self._own, ignore_errors=True)
        return _written(self._own, name, content)


def documents_folder(data: Path) -> Path:
    return data / places.DERIVED / FOLDER


def _written(folder: Path, name: str, content: bytes) -> Path:
    if not folder.is_dir():
        places.private_folder(folder.parent)
        places.private_folder(folder)
    path = folder / f"{name}.md"
    places.write_private(path, content)
    return path
