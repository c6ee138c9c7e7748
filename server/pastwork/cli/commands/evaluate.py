"""``pastwork eval``: how good retrieval is, measured."""

from __future__ import annotations

from pastwork.cli.lazy import LazyGroup

EVALUATIONS: dict[str, str] = {
    "labelled": "Retrieval quality on a labelled set.",
    "own": "Retrieval quality on your own history.",
}

command = LazyGroup(
    "eval",
    "pastwork.evaluate.commands",
    EVALUATIONS,
    help="Retrieval quality, on a labelled set or on your own history. No text leaves the machine.",
    epilog="Example: pastwork eval own --n 200",
)
