"""Ids of exchanges by their beginnings: short ones for people and prompts, and back.

An id is 16 hexadecimal digits; a beginning of ``LEAST`` or more stands for it as long as no other
exchange's id, of any of its carriers, begins so.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection

#: Digits of a beginning at the least.
LEAST = 4
#: Exchanges looked at under one beginning: more are as ambiguous.
AMBIGUOUS = 200
#: Sorts behind every hexadecimal digit.
_BEHIND = "g"

_BEGINNING = """
SELECT e.row, e.id FROM exchange e WHERE e.row IN (
    SELECT row FROM exchange WHERE id >= ?1 AND id < ?2
    UNION SELECT row FROM carrier WHERE id >= ?1 AND id < ?2 LIMIT ?3
) ORDER BY e.started_at DESC, e.id
"""
_BESIDE = """
SELECT value,
    max(coalesce((SELECT max(id) FROM exchange WHERE id < value), ''),
        coalesce((SELECT max(id) FROM carrier WHERE id < value), '')),
    min(coalesce((SELECT min(id) FROM exchange WHERE id > value), ?2),
        coalesce((SELECT min(id) FROM carrier WHERE id > value), ?2))
FROM json_each(?1)
"""


def beginning(connection: sqlite3.Connection, prefix: str) -> dict[int, str]:
    """Row -> id; nothing for what is too short or no beginning of an id."""
    if len(prefix) < LEAST or prefix.strip("0123456789abcdef"):
        return {}
    return dict(connection.execute(_BEGINNING, (prefix, prefix + _BEHIND, AMBIGUOUS)).fetchall())


def short(connection: sqlite3.Connection, wanted: Collection[str]) -> dict[str, str]:
    """By the neighbours in the order of ids, of which one shares the longest beginning."""
    found = connection.execute(_BESIDE, (json.dumps(list(wanted)), _BEHIND))
    return {
        name: name[: max(LEAST, 1 + _shared(name, before), 1 + _shared(name, after))] for name, before, after in found
    }


def _shared(one: str, other: str) -> int:
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
