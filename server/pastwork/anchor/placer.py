"""Attributions of the files that are open, each part computed once.

The edits are replayed once per store generation, git is asked once per HEAD, a text is placed once
per version. Thread-confined, as the store's reader is; meant for the worker and the command line.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from pastwork.anchor.attribute import attribute
from pastwork.anchor.attribution import Attribution
from pastwork.anchor.evidence import Evidence
from pastwork.anchor.gather import Ask, Name, gather
from pastwork.anchor.paths import Places
from pastwork.anchor.remembered import Remembered, remember
from pastwork.anchor.witness import Witness
from pastwork.store.records import StoredEdit

#: Files whose replayed edits are kept (below 1 MB each at 5,000 lines).
MOST_FILES = 32
#: Seconds a question waits for git.
PATIENCE = 2.0


class Placed(Struct, frozen=True):
    """An attribution; ``witnessed`` says that git bore witness, ``settled`` that git will not have more to say.

    ``names`` are the paths the file has had, today's first.
    """

    attribution: Attribution
    names: tuple[str, ...]
    witnessed: bool
    settled: bool


class _Open(Struct):
    """One file's caches: what they hold for, the replayed edits, the last text's size and hash and its answer."""

    key: tuple[int, Places, tuple[Name, ...]]
    remembered: Remembered | None
    text: tuple[int, int, Witness | None] | None = None
    answer: Attribution = Attribution()


class Placer:
    """``variables`` is the process environment; ``patience`` in seconds, 0 asks git for the next time only."""

    def __init__(self, variables: Mapping[str, str], patience: float = PATIENCE) -> None:
        self._evidence = Evidence(variables, patience)
        self._open: OrderedDict[Path, _Open] = OrderedDict()

    def place(self, ask: Ask, generation: int, places: Places, file: Path, text: str) -> Placed:
        """``text`` is what the editor holds; ``generation`` the store's, whose ``edits`` is ``ask``."""
        earlier = self._evidence.names(file)
        opened = self._opened(ask, (generation, places, earlier.value or ()), file)
        names = (str(file), *(name.path for name in opened.key[2]))
        if opened.remembered is None:
            return Placed(Attribution(), names, witnessed=False, settled=earlier.settled)
        witness = self._evidence.witness(file)
        version = (len(text), hash(text), witness.value)
        if opened.text is None or opened.text[:2] != version[:2] or opened.text[2] is not version[2]:
            opened.answer = attribute(text, opened.remembered, witness.value)
            opened.text = version
        settled = earlier.settled and witness.settled
        return Placed(opened.answer, names, witness.value is not None, settled)

    def edits(self, ask: Ask, places: Places, file: Path) -> list[StoredEdit]:
        """All edits of the file, also under the names it has had."""
        return gather(ask, places, str(file), self._evidence.names(file).value or ())

    def close(self) -> None:
        """Drops all caches."""
        self._evidence.close()
        self._open.clear()

    def _opened(self, ask: Ask, key: tuple[int, Places, tuple[Name, ...]], file: Path) -> _Open:
        opened = self._open.get(file)
        if opened is None or opened.key != key:
            edits = gather(ask, key[1], str(file), key[2])
            opened = self._open[file] = _Open(key, remember(edits) if edits else None)
            if len(self._open) > MOST_FILES:
                self._open.popitem(last=False)
        self._open.move_to_end(file)
        return opened
