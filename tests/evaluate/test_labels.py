"""Labelled sets: what is read, and the one message for what can't be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pastwork.errors import BadUsage
from pastwork.evaluate import labels

from .samples import labelled_files

GOOD = b'{"query": "q", "type": "phrase", "relevant": {"a": 3}, "note": "ignored"}\n'
KEYED = b'{"key": "a", "agent": "codex", "session_id": "s", "started_at": "2026-01-01T00:00:00Z", "prompt": "p"}\n'
OBJECT = b'{"key": "a", "exchange_core": "c", "specific_context": "d", "rooms": []}\n'


def test_whole_set(tmp_path: Path) -> None:
    queries, exchanges, objects = labelled_files(tmp_path)
    asked, keyed, references = (
        labels.read_queries(queries),
        labels.read_exchanges(exchanges),
        labels.read_objects(objects),
    )
    assert (len(asked), len(keyed), len(references)) == (6, 8, 8)
    assert asked[0].relevant == {"key-0": 3}
    assert references[0].rooms[0].key == "made_up_room"
    labels.check_keys(asked, keyed, references)


@pytest.mark.parametrize(
    ("read", "data", "says"),
    [
        (labels.read_queries, b"", "holds nothing"),
        (labels.read_queries, b"\n \n", "holds nothing"),
        (labels.read_queries, GOOD + b"{", "line 2"),
        (labels.read_queries, GOOD + b"\n" + b"not json\n", "line 3"),
        (labels.read_queries, b"\xff\xfe\n", "line 1"),
        (labels.read_queries, GOOD.replace(b'"relevant": {"a": 3}', b'"relevant": {"a": 4}'), "line 1"),
        (labels.read_queries, GOOD.replace(b'"relevant": {"a": 3}', b'"relevant": {"a": true}'), "line 1"),
        (labels.read_queries, GOOD.replace(b', "relevant": {"a": 3}', b""), "relevant"),
        (labels.read_queries, GOOD.replace(b'{"a": 3}', b"{}"), "nothing is relevant"),
        (labels.read_queries, GOOD.replace(b'{"a": 3}', b'{"a": 0}'), "nothing is relevant"),
        (labels.read_queries, GOOD.replace(b'"q"', b'" "'), "the query is empty"),
        (labels.read_exchanges, KEYED + KEYED, "'a' occurs twice"),
        (labels.read_exchanges, KEYED.replace(b'"prompt": "p"', b'"prompt": 1'), "prompt"),
        (labels.read_objects, OBJECT + OBJECT, "'a' occurs twice"),
        (labels.read_objects, OBJECT.replace(b"[]", b"[1]"), "rooms"),
    ],
)
def test_what_can_not_be_used(tmp_path: Path, read: Callable[[Path], object], data: bytes, says: str) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(data)
    with pytest.raises(BadUsage, match=r"file\.jsonl") as raised:
        read(path)
    assert says in raised.value.message
    assert "\n" not in raised.value.message


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match=r"nowhere\.jsonl can't be read: No such file"):
        labels.read_queries(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize(
    ("queries", "keys", "objects", "says"),
    [
        ({"a": 3, "x": 2}, ["a"], None, "no exchange has: x"),
        ({"a": 3}, ["a"], ["a", "y"], "objects have keys that no exchange has: y"),
        ({"a": 3}, ["a", "b"], ["a"], "without a reference object: b"),
        (dict.fromkeys("tuvwxyz", 3), ["a"], None, "t, u, v, w, x and 2 more"),
    ],
)
def test_keys_must_match(queries: dict[str, int], keys: list[str], objects: list[str] | None, says: str) -> None:
    keyed = [labels.Keyed(key, "codex", "s", None, "p") for key in keys]
    references = None if objects is None else [labels.ReferenceObject(key, "c", "d") for key in objects]
    with pytest.raises(BadUsage) as raised:
        labels.check_keys([labels.Query("q", "phrase", queries)], keyed, references)
    assert says in raised.value.message
