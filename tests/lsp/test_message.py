"""Bodies that are messages, and those that are not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygls.exceptions import JsonRpcInvalidRequest, JsonRpcParseError

from pastwork.lsp.message import Message, Rejected, decoded


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"method": "exit"}', {"method": "exit"}),
        (b'{"id": 0, "method": "x", "params": null}', {"id": 0, "method": "x", "params": None}),
        (b'{"id": "a", "result": null}', {"id": "a", "result": None}),
        (b'{"id": 1, "error": {}}', {"id": 1, "error": {}}),
        (b'{"method": "a \\ud83c b", "params": ["\\udcb2", {"\\ud800": "\\ud83d\\ude00"}]}',
         {"method": "a \ufffd b", "params": ["\ufffd", {"\ufffd": "😀"}]}),
        ('{"method": "x", "params": "\u2028 外"}'.encode(), {"method": "x", "params": "\u2028 外"}),
    ],
)  # fmt: skip
def test_messages(body: bytes, expected: Message) -> None:
    assert decoded(body) == expected


@pytest.mark.parametrize(
    ("body", "code", "number"),
    [
        (b"", JsonRpcParseError.CODE, None),
        (b'{"json":}', JsonRpcParseError.CODE, None),
        (b"\xff", JsonRpcParseError.CODE, None),
        (b"[" * 100_000, JsonRpcParseError.CODE, None),
        (b"1" * 10_000, JsonRpcParseError.CODE, None),
        (b'"text"', JsonRpcInvalidRequest.CODE, None),
        (b"[]", JsonRpcInvalidRequest.CODE, None),
        (b"{}", JsonRpcInvalidRequest.CODE, None),
        (b'{"id": 7}', JsonRpcInvalidRequest.CODE, 7),
        (b'{"id": [], "method": "x"}', JsonRpcInvalidRequest.CODE, None),
        (b'{"id": null, "method": "x"}', JsonRpcInvalidRequest.CODE, None),
        (b'{"id": false, "method": "x"}', JsonRpcInvalidRequest.CODE, None),
        (b'{"id": 1.5, "method": "x"}', JsonRpcInvalidRequest.CODE, None),
        (b'{"id": 7, "method": 8}', JsonRpcInvalidRequest.CODE, 7),
    ],
)
def test_rejected(body: bytes, code: int, number: int | None) -> None:
    with pytest.raises(Rejected) as raised:
        decoded(body)
    assert (raised.value.error.code, raised.value.number) == (code, number)


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_any_json_is_a_message_or_rejected_and_can_be_sent_on(params: object) -> None:
    message = decoded(json.dumps({"method": "x", "params": params}).encode())
    json.dumps(message, ensure_ascii=False).encode()


@given(st.binary(max_size=100))
def test_any_bytes_are_a_message_or_rejected(body: bytes) -> None:
    try:
        assert isinstance(decoded(body), dict)
    except Rejected:
        return
