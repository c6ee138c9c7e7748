"""Vectors in the background: all of them, interruptible, and without a model not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pastwork.distill.digest import digest
from pastwork.errors import ModelMissing
from pastwork.shapes import VectorStatus
from pastwork.store.vectors import recipe
from pastwork.sync import embedding
from pastwork.sync.run import Progress
from tests.sync.jotter import Home, ask


class Lengths:
    """An embedder whose vectors tell the text's length; counts its calls."""

    name = "lengths@1"
    dimension = 4

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.released = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.calls.append(len(texts))
        return np.array([[len(text), 1, 0, 0] for text in texts], np.float32)

    def release(self) -> None:
        self.released += 1


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.write("a.jot", *(ask(f"topic {number} " + "word " * (number % 17), number) for number in range(1, 101)))
    return made


def status(home: Home, name: str = recipe(Lengths.name)) -> VectorStatus:
    return home.writer.status_counts(name, 0.0).vectors


def test_everything_is_embedded_once(home: Home) -> None:
    embedder = Lengths()
    answer = home.sync(embedder=lambda: embedder).run_once()
    assert answer.vectors == VectorStatus(100, 0) == status(home)
    assert sum(embedder.calls) == 100
    assert max(embedder.calls) <= embedding.SLICE
    home.sync(embedder=lambda: embedder).run_once()
    assert sum(embedder.calls) == 100


def test_each_row_has_its_own_vector(home: Home) -> None:
    home.sync(embedder=Lengths).run_once()
    rows, matrix = home.writer.vectors(recipe(Lengths.name))
    for row, vector in zip(rows.tolist(), matrix, strict=True):
        kept = home.writer.kept([row])[row].object
        terms = " ".join(digest(home.writer.verbatim(row)).terms)
        assert vector[0] == len(f"{terms}\n{kept.exchange_core}\n{kept.specific_context}")


def test_only_what_changed_is_embedded_again(home: Home) -> None:
    embedder = Lengths()
    home.sync(embedder=lambda: embedder).run_once()
    home.append("a.jot", ask("one more", 101))
    home.sync(embedder=lambda: embedder).run_once()
    assert sum(embedder.calls[:-1]) == 100
    assert embedder.calls[-1] == 1


def test_what_was_computed_when_stopped_is_kept(home: Home) -> None:
    embedder = Lengths()
    sync = home.sync(embedder=lambda: embedder)
    sync.run_once(vectors=False)
    for done in (embedding.SLICE, 2 * embedding.SLICE):
        sync.embed(stop=iter([False, True, True]).__next__)
        assert status(home).ready == done
    sync.embed()
    assert status(home) == VectorStatus(100, 0)
    assert sum(embedder.calls) == 100


def test_without_a_model_a_note_and_with_one_later_the_rest(home: Home) -> None:
    def missing() -> Lengths:
        raise ModelMissing("there is none", "install it")

    answer = home.sync(embedder=missing).run_once()
    assert answer.vectors == VectorStatus(0, 100)
    assert answer.notes == ("vectors wait for the model: there is none; install it",)
    assert home.prompts()
    before = home.writer.content()
    assert home.sync(embedder=Lengths).run_once().vectors == VectorStatus(100, 0)
    assert home.writer.content() == before, "the rest is not made again"


def test_a_model_that_vanishes_half_way(home: Home) -> None:
    class Vanishing(Lengths):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            if self.calls:
                raise ModelMissing("it is gone", "install it")
            return super().embed(texts)

    answer = home.sync(embedder=Vanishing).run_once()
    assert "it is gone" in answer.notes[0]
    assert home.sync(embedder=Lengths).run_once().vectors.pending == 0


def test_vectors_of_another_model_stay_until_this_ones_are_all_there(home: Home) -> None:
    class Other(Lengths):
        name = "other@2"

    home.sync(embedder=Lengths).run_once()
    assert status(home, recipe("other@2")) == VectorStatus(0, 100)
    sync = home.sync(embedder=Other)
    sync.embed(stop=iter([False, True, True]).__next__)
    assert status(home) == VectorStatus(100, 0)
    sync.embed()
    assert status(home, recipe("other@2")) == VectorStatus(100, 0)
    assert status(home) == VectorStatus(0, 100)


def test_progress_and_release(home: Home) -> None:
    told: list[Progress] = []
    embedder = Lengths()
    sync = home.sync(embedder=lambda: embedder)
    sync.run_once(progress=told.append)
    assert Progress("vectors", 0, 100) in told
    sync.release()
    assert embedder.released == 1
