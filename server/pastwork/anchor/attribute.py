"""Which exchange wrote which line of a text: the one entry to this stage.

``remember(edits)`` replays the edits once per store generation; ``attribute(text, remembered, witness)``
places what they left on the text that is open now and is cheap enough to run while somebody types.
"""

from __future__ import annotations

from collections.abc import Sequence

from pastwork.anchor.attribution import Attribution
from pastwork.store.records import StoredEdit


def attribute(text: str, edits: Sequence[StoredEdit], witness: object | None = None) -> Attribution:
    """The attribution of ``text`` under ``edits`` of this file (any order); ``witness`` from ``blame.py``."""
    raise NotImplementedError
