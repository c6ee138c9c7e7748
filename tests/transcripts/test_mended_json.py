"""Whole JSON documents, cut or overgrown ones too."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct
from msgspec.json import Decoder

from pastwork.model import Problem
from pastwork.transcripts import mended_json
from pastwork.transcripts.faults import Faults


class Lamp(Struct):
    name: str = ""
    wicks: list[Raw] = []
    height: int | None = None


LAMP: Decoder[Lamp] = Decoder(Lamp)
NUMBER: Decoder[int] = Decoder(int)
ANY: Decoder[object] = Decoder()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"name": "a"}', Lamp("a")),
        ('\ufeff{"name": "a"}', Lamp("a")),
        ('{"name": "a"}\0\0\0', Lamp("a")),
        ('{"name": "a"}]', Lamp("a")),
        ('{"name": "a"}}', Lamp("a")),
        ('{"name": "a"}{"name": "b"}', Lamp("a")),
        ('{"name": "a", "height": "tall"}', Lamp("a")),
        ('{"name": ["a"], "height": 4}', Lamp(height=4)),
        ('{"name": "\\ud800"}', Lamp("\ufffd")),
        ("", None),
        (" \0 ", None),
        ("[]", None),
        ("no JSON", None),
    ],
)
def test_value(text: str, expected: Lamp | None) -> None:
    assert mended_json.value(text.encode(), LAMP) == expected


def test_bytes_that_are_no_text() -> None:
    assert mended_json.value(b'{"name": "a\xffb", "height": 4}', LAMP) == Lamp("a\ufffdb", height=4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"a": 1}, {"b": 2', '[{"a": 1}]'),
        ('[{"a": 1}, {"b": [2]', '[{"a": 1}, {"b": [2]}]'),
        ('{"m": [{"a": "]}"}, {"b": "un', '{"m": [{"a": "]}"}]}'),
        ('[{"a": 1}]\n}]\n', '[{"a": 1}]'),
        ('[{"a": 1}}, {"b": 2}]', '[{"a": 1}]'),
        ('{"a": "\\"}", "b": [1]', '{"a": "\\"}", "b": [1]}'),
        ("[", ""),
        ("words", ""),
    ],
)
def test_repaired(text: str, expected: str) -> None:
    assert mended_json.repaired(text.encode())[0].decode() == expected


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    ),
    st.integers(0, 10_000),
)
def test_every_cut_document_is_mended_to_json_or_nothing(document: object, cut: int) -> None:
    text = json.dumps([document, {"end": [document]}])
    found, _ = mended_json.repaired(text[: cut % (len(text) + 1)].encode())
    assert not found or json.loads(found) is not None


def test_what_stands_before_a_cut_is_kept() -> None:
    whole = [{"id": number, "text": f"[{number}]"} for number in range(9)]
    text = json.dumps(whole)
    for cut in range(2, len(text)):
        kept = mended_json.value(text[:cut].encode(), ANY) or []
        assert kept == whole[: text[:cut].count("}")]


def test_items_are_decoded_one_by_one() -> None:
    items = [Raw(b"1"), Raw(b'"two"'), Raw(b"3"), Raw(b"{")]
    assert mended_json.each(items, NUMBER) == [1, 3]
    assert mended_json.each(None, NUMBER) == []


def test_a_document_too_deep_loses_its_depth_alone(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_bytes(b"[1, " + b"[" * 200_000 + b"]" * 200_000 + b", 2]")
    found = mended_json.document(tmp_path / "deep.json", ANY)
    assert isinstance(found, list)
    assert (found[0], found[2]) == (1, 2)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "lamp.json"
    path.write_text('{"name": "a"}', encoding="utf-8")
    assert mended_json.document(path, LAMP) == Lamp("a")
    with mock.patch.object(mended_json, "CAP", 5):
        assert "longer than 5 bytes" in problem(path)
    path.write_text("words", encoding="utf-8")
    assert problem(path) == "not the JSON that was expected"
    assert "cannot be read" in problem(tmp_path / "gone.json")
    assert "cannot be read" in problem(tmp_path)


def problem(path: Path) -> str:
    found = mended_json.document(path, LAMP)
    assert isinstance(found, Problem)
    return found.reason


@pytest.mark.parametrize(
    ("text", "names", "reason", "offset"),
    [
        ('[{"name": "a"}{"name": "b"}]', ["a"], "damaged, read up to here", 14),
        ('[{"name": "a"}, {"name": "b"}] old end"}]', ["a", "b"], "damaged, read up to here", 30),
        ('[{"name": "a"}, oops, {"name": "b"}]', ["a"], "damaged, read up to here", 14),
        ('\ufeff[{"name": "a"}]', ["a"], "", 0),
        ('[{"name": "a"}, \0\0{"name": "b"}]', ["a", "b"], "NUL bytes stripped", 0),
        (
            '[{"name": "a"}, {"height": ' + "[" * 20_000 + "]" * 20_000 + "}]",
            ["a", ""],
            "nested too deeply, left out",
            0,
        ),
    ],
)
def test_what_had_to_be_mended_is_told(tmp_path: Path, text: str, names: list[str], reason: str, offset: int) -> None:
    path = tmp_path / "lamps.json"
    path.write_text(text)
    faults = Faults(path)
    found = mended_json.document(path, Decoder(list[Raw]), faults)
    assert not isinstance(found, Problem)
    assert [lamp.name for lamp in mended_json.each(found, LAMP)] == names
    assert list(faults.taken()) == ([Problem(str(path), offset, reason)] if reason else [])


def test_each_bad_item_is_told_where_it_stands(tmp_path: Path) -> None:
    text = '{"title": null, "lamps": [null, {"name": "a"}, 7, {"name": ["b"]}]}'
    path = tmp_path / "lamps.json"
    path.write_text(text)
    faults = Faults(path)
    found = mended_json.document(path, Decoder(dict[str, Raw]), faults)
    assert not isinstance(found, Problem)
    faults = Faults(path)
    faults.page = text.encode()
    items = Decoder(list[Raw]).decode(found["lamps"])
    assert [lamp.name for lamp in mended_json.each(items, LAMP, faults, "lamp")] == ["a", ""]
    assert [(text[each.offset : each.offset + 4], each.reason) for each in faults.taken()] == [
        ("null", "lamp 1: not what was expected"),
        ("7, {", "lamp 3: not what was expected"),
        ('{"na', "lamp 4: of the wrong shape: name"),
    ]
