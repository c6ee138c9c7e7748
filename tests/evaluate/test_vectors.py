"""The cache of vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pastwork.evaluate.vectors import VectorCache

from .samples import WordVectors


def quiet(done: int, total: int) -> None:
    """Nobody is told."""


def cache(folder: Path) -> VectorCache:
    return VectorCache(folder, WordVectors.name, WordVectors.dimension)


def test_each_text_once_ever(tmp_path: Path) -> None:
    embedder = WordVectors()
    assert cache(tmp_path).prepare(["a b", "c", "a b"], embedder, quiet) == 2
    assert cache(tmp_path).prepare(["c", "d"], embedder, quiet) == 1
    assert embedder.asked == 3


def test_same_now_and_later(tmp_path: Path) -> None:
    first = cache(tmp_path)
    first.prepare(["a b", "c"], WordVectors(), quiet)
    now, later = first.matrix(["c", "a b"]), cache(tmp_path).matrix(["c", "a b"])
    assert np.array_equal(now, later)
    assert np.allclose(now, WordVectors().embed(["c", "a b"]), atol=1e-3)
    assert now.dtype == np.float32
    assert cache(tmp_path).matrix([]).shape == (0, 32)


def test_nothing_readable_is_kept(tmp_path: Path) -> None:
    cache(tmp_path).prepare(["a most remarkable sentence"], WordVectors(), quiet)
    (path,) = tmp_path.iterdir()
    assert b"remarkable" not in path.read_bytes()
    assert path.stat().st_mode & 0o077 == 0


def test_damage_costs_time_only(tmp_path: Path) -> None:
    cache(tmp_path).prepare(["a", "b"], WordVectors(), quiet)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    assert cache(tmp_path).prepare(["a", "b"], WordVectors(), quiet) == 2


def test_unprepared_texts_are_not_made_up(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        cache(tmp_path).matrix(["never seen"])


def test_killed_while_embedding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was embedded before the end is kept."""
    monkeypatch.setattr("pastwork.evaluate.vectors.SAVED", 2)

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache(tmp_path).prepare(["a", "b", "c"], WordVectors(), stop)
    assert cache(tmp_path).prepare(["a", "b", "c"], WordVectors(), quiet) == 1
