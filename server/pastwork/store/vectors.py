"""Vectors as blobs.

Stored as little-endian float16: components of a normalised vector lose at most 2^-11 of their
value, which moves a cosine of two 384-d vectors by a few 1e-5 at the most (the order of hits is that of
float32 but for ties), and a row of 768 bytes stays within its b-tree page where 1,536 would not:
half the file, and read back without overflow pages. A CRC-32 tells a flipped bit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from zlib import crc32

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Dimensions of the default model's vectors: the width of a matrix of none.
WIDTH = 384
#: Vectors read at once: 12 MB of them.
MOST = 16_384


def recipe(model: str) -> str:
    """The name of the vectors of distilled texts (terms, core, context, a line each) by the model of that name."""
    return f"terms+core+context {model}"


def load(connection: sqlite3.Connection, recipe: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Rows (n,) and their vectors (n, d), by row. Damaged blobs are left out (``verify`` names them)."""
    found = connection.execute("SELECT row, crc, data FROM vector WHERE recipe = ? ORDER BY row", (recipe,))
    return _unpacked(found)


class News(Struct, frozen=True):
    """``last`` is the greatest id among them (of all, when ``whole``), ``count`` how many the recipe has by now.

    ``whole`` when nothing after them was left out.
    """

    last: int
    count: int
    whole: bool
    rows: NDArray[np.int64]
    matrix: NDArray[np.float32]


def since(connection: sqlite3.Connection, recipe: str, last: int, most: int = MOST) -> News:
    """At most ``most`` of what was added or replaced after the vector with id ``last``, in order of id.

    Removals show in ``count`` alone.
    """
    (newest,) = connection.execute("SELECT coalesce(max(id), 0) FROM vector").fetchone()
    (count,) = connection.execute("SELECT count(*) FROM vector WHERE recipe = ?", (recipe,)).fetchone()
    found = connection.execute(
        "SELECT id, row, crc, data FROM vector WHERE id > ? AND id <= ? AND +recipe = ? ORDER BY id LIMIT ?",
        (last, newest, recipe, most),
    ).fetchall()
    whole = len(found) < most
    return News(newest if whole else found[-1][0], count, whole, *_unpacked(each[1:] for each in found))


def rows_of(connection: sqlite3.Connection, recipe: str) -> list[int]:
    """The rows that have a vector of the recipe."""
    return [row for (row,) in connection.execute("SELECT row FROM vector WHERE recipe = ?", (recipe,))]


def _unpacked(found: Iterable[tuple[int, int, bytes]]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    import numpy as np

    good = [(row, data) for row, crc, data in found if crc32(data) == crc]
    rows = np.fromiter((row for row, _ in good), dtype=np.int64, count=len(good))
    flat = np.frombuffer(b"".join(data for _, data in good), dtype="<f2")
    return rows, flat.astype(np.float32).reshape(len(good), len(good[0][1]) // 2 if good else WIDTH)


def save(connection: sqlite3.Connection, recipe: str, rows: Sequence[int], matrix: NDArray[np.float32]) -> None:
    """Adds or replaces; ``matrix`` is (len(rows), d), with one d for all vectors of a recipe.

    Raises:
        ValueError: another shape, or a component that is not a finite number.
    """
    import numpy as np

    known = connection.execute("SELECT length(data) / 2 FROM vector WHERE recipe = ? LIMIT 1", (recipe,)).fetchone()
    width = known[0] if known else matrix.shape[-1]
    if matrix.shape != (len(rows), width):
        raise ValueError(f"expected {len(rows)} x {width} components, got {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("a vector has a component that is not a number")
    blobs = [vector.tobytes() for vector in matrix.astype("<f2")]
    connection.executemany(
        "INSERT OR REPLACE INTO vector (row, recipe, crc, data) VALUES (?, ?, ?, ?)",
        [(int(row), recipe, crc32(blob), blob) for row, blob in zip(rows, blobs, strict=True)],
    )
