"""The formula, piece by piece, with numbers worked out by hand."""

from __future__ import annotations

import math
import sqlite3

import numpy as np
import pytest

from pastwork.index.base import Fields
from pastwork.index.bm25 import gain, idf, norms
from pastwork.index.okapi import OkapiLane


@pytest.mark.parametrize(
    ("documents", "holding", "expected"),
    [(10, 1, math.log(1 + 9.5 / 1.5)), (10, 10, math.log(1 + 0.5 / 10.5)), (1, 1, math.log(4 / 3))],
)
def test_idf(documents: int, holding: int, expected: float) -> None:
    assert idf(documents, holding) == pytest.approx(expected)
    assert idf(documents, holding) > 0


def test_a_document_of_average_length_has_the_norm_k1() -> None:
    found = norms(np.array([10, 20, 5], np.float32), 10.0, k1=1.2, b=0.75)
    assert found == pytest.approx([1.2, 1.2 * 1.75, 1.2 * 0.625])
    assert norms(np.array([0], np.float32), 0.0, k1=1.2) == pytest.approx([1.2])


def test_gain_grows_and_saturates() -> None:
    norm = np.full(4, 1.5, np.float32)
    found = gain(np.array([0, 1, 1.5, 1e6], np.float32), norm, k1=1.5)
    assert found == pytest.approx([0, 1, 1.25, 2.5], rel=1e-4)


@pytest.mark.parametrize(("k1", "b", "first"), [(1.5, 0.0, 1), (1.5, 1.0, 2)])
def test_b_decides_how_much_length_counts(k1: float, b: float, first: int) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    lane = OkapiLane(connection, k1=k1, b=b)
    lane.prepare()
    lane.add([(1, Fields(prose="needle needle " + "hay " * 60)), (2, Fields(prose="needle"))])
    assert lane.search("needle", 1)[0].row == first
    connection.close()


def test_weights_of_terms_scale_their_share() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    lane = OkapiLane(connection)
    lane.prepare()
    lane.add([(1, Fields(prose="alpha")), (2, Fields(prose="beta")), (3, Fields(prose="gamma"))])
    scores = {hit.row: hit.score for hit in lane.lookup({"alpha": 1.0, "beta": 0.5}, 5).top}
    assert scores[2] == pytest.approx(scores[1] / 2)
    connection.close()


def test_field_weights_can_be_chosen() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    lane = OkapiLane(connection, weights={"prompt": 0, "prose": 2, "commands": 8, "errors": 0})
    lane.prepare()
    lane.add([(1, Fields(prompt="needle x")), (2, Fields(prose="needle x")), (3, Fields(commands="needle x"))])
    assert [hit.row for hit in lane.search("needle", 5)] == [3, 2]
    assert lane.holding(["needl"]) == {"needl": 2}
    connection.close()
