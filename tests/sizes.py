"""How much of each promise's test is run: a share for every change, all of it by ``make soak``.

``PASTWORK_SOAK=1`` chooses the second column; ``PASTWORK_<NAME>`` sets one size by itself.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

SOAK = os.environ.get("PASTWORK_SOAK") == "1"

#: Name -> (share, whole).
SIZES: dict[str, tuple[int, int]] = {
    "KILLS_FIRST": (12, 200),
    "KILLS_GROWING": (9, 200),
    "KILLS_AGAIN": (5, 50),
    "KILLS_COMPACTING": (4, 50),
    "REFUSALS": (120, 1_000_000),
    "FLIPS": (1_000, 1_000),
    "EDITORS": (8, 8),
    "ROUNDS": (4, 100),
    "HOVERS": (10_000, 10_000),
    "DAY_SECONDS": (120, 7_200),
    "DAY_REQUESTS": (8_000, 500_000),
    "DAY_RECORDS": (800, 50_000),
    "DAY_DOCUMENTS": (16, 1_000),
    "HOSTILE": (5_000, 5_000),
    "FUZZ_SECONDS": (180, 7_200),
    "FILES": (5_000, 100_000),
    "RESTARTS": (5, 100),
}


def size(name: str) -> int:
    """What is asked for, by the environment or by the table."""
    return int(os.environ.get(f"PASTWORK_{name}") or SIZES[name][SOAK])


def figure(what: str, **values: object) -> None:
    """Writes what was measured to the file that ``PASTWORK_FIGURES`` names, one JSON line each."""
    if path := os.environ.get("PASTWORK_FIGURES"):
        with Path(path).open("a") as file:
            file.write(json.dumps({"what": what, **values}) + "\n")
