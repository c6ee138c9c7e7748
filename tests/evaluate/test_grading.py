"""Grades by models: pool, majority, what is kept, agreement."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pastwork.errors import BadUsage, Unavailable
from pastwork.evaluate import grading
from pastwork.evaluate.grading import Graders, Pair
from pastwork.evaluate.ollama import local
from pastwork.evaluate.ranked import Ranked

from .samples import documents, queries


class Models:
    """Each model gives its own grade, or text that is none."""

    def __init__(self, **replies: str | int) -> None:
        self.replies, self.asked = replies, list[str]()

    def __call__(self, model: str, prompt: str, schema: Mapping[str, object]) -> str:
        self.asked.append(model)
        reply = self.replies[model]
        return json.dumps({"grade": reply}) if isinstance(reply, int) else reply


def grade(folder: Path, models: Models, names: list[str], tie_breaker: str | None = None) -> dict[Pair, int]:
    graders = Graders(names, tie_breaker, models, folder)
    return graders.grade([Pair(0, 0), Pair(1, 2)], queries(), documents(), lambda *told: None)[0]


@pytest.mark.parametrize(
    ("replies", "tie_breaker", "want"),
    [
        ({"a": 3, "b": 3, "c": 0}, None, 3),
        ({"a": 3, "b": 1}, None, 1),
        ({"a": 3, "b": 1, "t": 3}, "t", 3),
        ({"a": 3, "b": 1, "t": 2}, "t", 1),
        ({"a": 3, "b": "what?"}, None, 3),
        ({"a": 3, "b": '{"grade": 7}', "c": 0, "d": 0}, None, 0),
    ],
)
def test_consensus(tmp_path: Path, replies: dict[str, str | int], tie_breaker: str | None, want: int) -> None:
    names = [name for name in replies if name != tie_breaker]
    assert grade(tmp_path, Models(**replies), names, tie_breaker) == {Pair(0, 0): want, Pair(1, 2): want}


def test_what_nobody_graded_is_left_out(tmp_path: Path) -> None:
    assert grade(tmp_path, Models(a="?"), ["a"]) == {}


def test_tie_breaker_is_asked_only_where_there_is_a_tie(tmp_path: Path) -> None:
    models = Models(a=2, b=2, t=0)
    grade(tmp_path, models, ["a", "b"], "t")
    assert "t" not in models.asked


def test_each_pair_is_asked_once_ever(tmp_path: Path) -> None:
    models = Models(a=2, b=2)
    grade(tmp_path, models, ["a", "b"])
    assert len(models.asked) == 4
    grade(tmp_path, models, ["a", "b"])
    assert len(models.asked) == 4


def test_killed_while_grading(tmp_path: Path) -> None:
    """Half a line at the end costs one answer."""
    models = Models(a=2)
    grade(tmp_path, models, ["a"])
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-10])
    assert grade(tmp_path, models, ["a"]) == {Pair(0, 0): 2, Pair(1, 2): 2}
    assert len(models.asked) == 3


@pytest.mark.parametrize("names", [[], ["a", "a"], list("abcdef")])
def test_too_many_or_none(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(BadUsage, match="graders were named"):
        Graders(names, None, Models(), tmp_path)


def test_pool_is_what_any_configuration_found() -> None:
    keys = ["a", None, "b", "c"]
    pairs = grading.pool([Ranked("x", [[1, 0, 2], [3]]), Ranked("y", [[2, 3], []])], keys, depth=1)
    assert pairs == [Pair(0, 0), Pair(0, 2), Pair(1, 3)]


def test_grades_take_the_place_of_labels() -> None:
    keys = [d.key for d in documents()]
    found = grading.with_grades(queries(), {Pair(0, 0): 1, Pair(0, 4): 2}, keys)
    assert found[0].relevant == {"key-0": 1, "key-4": 2}
    assert found[1:] == queries()[1:]


def test_agreement_needs_two() -> None:
    assert grading.agreements([[1], [2]], ["a"]) == {}
    found = grading.agreements([[1, 1], [2, 2], [0, 0]], ["a", "b"])
    assert set(found) == {"Fleiss' kappa", "Krippendorff's alpha", "Cohen's kappa, a and b"}
    assert set(found.values()) == {1.0}


@pytest.mark.parametrize("url", ["http://example.org:11434", "https://10.0.0.7", "nonsense"])
def test_other_machines_are_refused(url: str) -> None:
    with pytest.raises(BadUsage, match="is not this machine"):
        local(url)


def test_nobody_answers() -> None:
    """Port 9 is discard: nothing listens there."""
    with pytest.raises(Unavailable, match="no Ollama answers"):
        local("http://127.0.0.1:9")("m", "p", {})
