"""The store as the answers need it: opened when first asked, opened anew when it was replaced."""

from __future__ import annotations

from pathlib import Path

from pastwork.errors import StoreMissing
from pastwork.store import places
from pastwork.store.reader import StoreReader

NOT_INDEXED = "nothing is indexed yet; run `pastwork index`"


class Opening:
    """One reader at a time. Before the first index it is an empty one, and ``note`` says so."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.note: str | None = None
        self._reader: StoreReader | None = None
        self._file: tuple[int, int] | None = None

    def reader(self) -> StoreReader:
        """Raises StoreUnusable for a store that is there and can't be read."""
        found = self._found()
        if self._reader is None or found != self._file:
            self.close()
            self._reader = self._opened(found)
        return self._reader

    def _opened(self, found: tuple[int, int] | None) -> StoreReader:
        """The store's, remembered as ``found``; an empty one while there is none."""
        try:
            reader = StoreReader.open(self.data)
        except StoreMissing:
            self.note = NOT_INDEXED
            return StoreReader.empty()
        self._file, self.note = found, None
        return reader

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = self._file = None

    def _found(self) -> tuple[int, int] | None:
        """Which file the store is; None where there is none yet (an unreadable one is for ``open`` to tell)."""
        try:
            found = (self.data / places.STORE).stat()
        except FileNotFoundError:
            return None
        except OSError:
            return 0, 0
        return (found.st_dev, found.st_ino) if found.st_size else None
