"""A home's exchanges, read from its transcripts (never from the store, never writing)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from pastwork.config import Sources
from pastwork.model import Exchange
from pastwork.sync import sources
from pastwork.transcripts.base import Env, Turn
from pastwork.transcripts.registry import READERS

#: Transcripts name projects, projects hold transcripts: looked at this many times at most.
ROUNDS = 3
#: Told how many transcripts of how many are read.
Told = Callable[[int, int], None]


def exchanges(env: Env, settings: Sources, scans: Collection[Path], told: Told) -> list[Exchange]:
    """Every exchange once, by id, as its last reading has it, in the readers' order."""
    found: dict[str, Exchange] = {}
    seen: set[tuple[str, Path]] = set()
    readers = sources.enabled(READERS, settings)
    for _ in range(ROUNDS):
        folders = sorted({exchange.workspace for exchange in found.values() if exchange.workspace})
        wide = sources.widened(env, folders, [str(scan) for scan in scans], settings)
        new = [f for f in sources.locate(readers, wide, settings) if (f.source.agent, f.source.path) not in seen]
        if not new:
            break
        for done, transcript in enumerate(new):
            told(done, len(new))
            seen.add((transcript.source.agent, transcript.source.path))
            for item in transcript.reader.read(transcript.source):
                if isinstance(item, Turn):
                    found[item.exchange.id] = item.exchange
    return list(found.values())
