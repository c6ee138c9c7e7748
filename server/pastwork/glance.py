"""One exchange at a glance: what lens, hover and symbol lists show of it, light enough to hold by the ten thousand."""

from __future__ import annotations

from msgspec import Struct


class Glance(Struct, frozen=True, gc=False):
    """``rooms`` are the labels of its rooms; ``core`` is the start of the prompt where nothing was distilled.

    Holds text only, so the garbage collector need not look at it.
    """

    id: str
    core: str
    context: str
    agent: str
    started_at: str | None = None
    fix: bool = False
    open: bool = False
    rooms: tuple[str, ...] = ()
