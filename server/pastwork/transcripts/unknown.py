"""Records of a kind that a reader does not know: told once a kind and read, never an error."""

from __future__ import annotations

from pastwork.model import Problem


class Unknown:
    """Kinds met so far in one transcript that are not among the ``known``."""

    def __init__(self, path: str, known: frozenset[str]) -> None:
        self._path = path
        self._met = set(known)

    def problem(self, kind: str | None, offset: int) -> Problem | None:
        """A problem for a record without a kind, and for the first of each unknown kind."""
        if kind is None:
            return Problem(self._path, offset, "a record without a type")
        if kind in self._met:
            return None
        self._met.add(kind)
        return Problem(self._path, offset, f"unknown type of record: {kind[:80]}")
