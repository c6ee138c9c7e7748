"""File -> past work, in memory: what lens, hover and ``workspace/symbol`` are answered from.

``build`` is pure: what the store knows in, a frozen map out. A file's past work is the exchanges that
changed it, newest first, then those that have a room for it; who only read or named a file is in
the full history, not here. Keys are today's paths as ``anchor.paths.key`` spells them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from pastwork.anchor.paths import below
from pastwork.glance import Glance

#: Row -> the keys of files, as (row, key) pairs.
Touches = Iterable[tuple[int, str]]


class FileMap(Struct, frozen=True):
    """``works``: every exchange of the client's folders, newest first; ``names``: base name -> keys."""

    files: Mapping[str, tuple[Glance, ...]] = {}
    works: tuple[Glance, ...] = ()
    names: Mapping[str, tuple[str, ...]] = {}

    def of(self, key: str) -> tuple[Glance, ...]:
        return self.files.get(key, ())

    def ending(self, tail: str, root: str) -> str | None:
        """The one file below ``root`` whose path ends in ``tail`` (``a/b.py``); None for none or several."""
        named = self.names.get(tail.rpartition("/")[2], ())
        found = [key for key in named if key.endswith("/" + tail) and below(key, root)]
        return found[0] if len(found) == 1 else None


def build(glances: Mapping[int, Glance], own: frozenset[int], wrote: Touches, roomed: Touches) -> FileMap:
    """``glances`` are in order, newest first; ``own`` are the rows that belong to the client's folders."""
    ranks = {row: rank for rank, row in enumerate(glances)}
    writers, rooms = _grouped(wrote, ranks), _grouped(roomed, ranks)
    files = {}
    for key in {*writers, *rooms}:
        wrote_it = writers.get(key, set())
        order = [*sorted(wrote_it), *sorted(rooms.get(key, set()) - wrote_it)]
        files[key] = order
    listed = tuple(glances.values())
    names: defaultdict[str, list[str]] = defaultdict(list)
    for key in files:
        names[key.rpartition("/")[2]].append(key)
    return FileMap(
        {key: tuple(listed[rank] for rank in order) for key, order in files.items()},
        tuple(glance for row, glance in glances.items() if row in own),
        {name: tuple(keys) for name, keys in names.items()},
    )


def _grouped(touches: Touches, ranks: Mapping[int, int]) -> dict[str, set[int]]:
    """Key -> ranks of the exchanges."""
    groups: defaultdict[str, set[int]] = defaultdict(set)
    for row, key in touches:
        if row in ranks:
            groups[key].add(ranks[row])
    return groups
