"""Params and arguments: what is taken, and that everything else is an error that says why."""

from __future__ import annotations

from typing import Any

import pytest

from pastwork.errors import BadUsage
from pastwork.lsp import params
from pastwork.worker.questions import Context, Rooms, Search, Show

URI = "file:///a.py"


@pytest.mark.parametrize(
    ("sent", "kind", "expected"),
    [
        ({"query": "pool"}, Search, Search(query="pool")),
        ({"query": "", "limit": 5, "fixes": True}, Search, Search(query="", limit=5, fixes=True)),
        ({"query": "x", "agent": None, "workDoneToken": "t", "partialResultToken": 1}, Search, Search(query="x")),
        (None, Rooms, Rooms()),
        ({"room": "file:a.py", "scope": "all"}, Rooms, Rooms(room="file:a.py", scope="all")),
        ({"id": "0123456789abcdef"}, Show, Show("0123456789abcdef")),
        ({"textDocument": {"uri": URI}}, params.InDocument, params.InDocument(params.TextDocument(URI))),
        (
            {"textDocument": {"uri": URI, "version": 3}, "position": {"line": 4, "character": 1}},
            params.InDocument,
            params.InDocument(params.TextDocument(URI), params.Position(4, 1)),
        ),
        (
            {"id": "0123456789abcdef", "textDocument": {"uri": URI}},
            params.ExchangeInDocument,
            params.ExchangeInDocument("0123456789abcdef", params.TextDocument(URI)),
        ),
        ({"ids": ["a", "b"], "budget": 900}, Context, Context(ids=("a", "b"), budget=900)),
        ({"room": "concept:pool", "scope": "all"}, Context, Context(room="concept:pool", scope="all")),
        ({"anything": 1}, params.Nothing, params.Nothing()),
    ],
)
def test_params(sent: Any, kind: Any, expected: object) -> None:
    assert params.params(sent, kind) == expected


@pytest.mark.parametrize(
    ("sent", "kind", "told"),
    [
        ({}, Search, "query"),
        (None, Search, "query"),
        ([], Search, "object"),
        ("x", Search, "object"),
        ({"qery": "x"}, Search, "qery"),
        ({"query": 5}, Search, "$.query"),
        ({"query": "x", "limit": "10"}, Search, "$.limit"),
        ({"query": "x", "limit": 0}, Search, "$.limit"),
        ({"query": "x", "limit": 1e9}, Search, "$.limit"),
        ({"query": "x", "scope": "everything"}, Search, "$.scope"),
        ({"query": "x", "agnet": "codex"}, Search, "agnet"),
        ({"room": ["x"]}, Rooms, "$.room"),
        ({}, Show, "id"),
        ({"id": ""}, Show, "$.id"),
        ({"id": 7}, Show, "$.id"),
        ({"id": "x"}, params.ExchangeInDocument, "textDocument"),
        ({"textDocument": {"uri": URI}}, params.ExchangeInDocument, "id"),
        ({"ids": "a"}, Context, "$.ids"),
        ({"ids": [""]}, Context, "$.ids"),
        ({"budget": 0}, Context, "$.budget"),
        ({"textDocument": URI}, params.InDocument, "$.textDocument"),
        ({"textDocument": {"uri": URI}, "position": {"line": -1}}, params.InDocument, "$.position.line"),
        ({"textDocument": {"uri": URI}, "position": {"line": 2**31}}, params.InDocument, "$.position.line"),
    ],
)
def test_bad_params(sent: Any, kind: Any, told: str) -> None:
    with pytest.raises(BadUsage, match=r"bad params") as raised:
        params.params(sent, kind)
    assert told in raised.value.message


@pytest.mark.parametrize(
    ("given", "kind", "expected"),
    [
        (["pool"], params.QueryArgument, params.QueryArgument("pool")),
        ([URI], params.FileArgument, params.FileArgument(URI)),
        ((URI, 3), params.FileArgument, params.FileArgument(URI, 3)),
        ([URI, None], params.FileArgument, params.FileArgument(URI)),
        ([], params.NoArgument, params.NoArgument()),
        ([None], params.NoArgument, params.NoArgument()),
        ([], params.FullArgument, params.FullArgument()),
        ([True], params.FullArgument, params.FullArgument(full=True)),
    ],
)
def test_arguments(given: Any, kind: Any, expected: object) -> None:
    assert params.arguments(given, kind) == expected


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ([], params.QueryArgument),
        ([1], params.QueryArgument),
        (["a", "b"], params.QueryArgument),
        ([URI, 0], params.FileArgument),
        ([URI, "3"], params.FileArgument),
        ([None, 3], params.FileArgument),
        ([""], params.IdArgument),
        (["x"], params.NoArgument),
        ([{}], params.FullArgument),
    ],
)
def test_bad_arguments(given: Any, kind: Any) -> None:
    with pytest.raises(BadUsage, match=r"bad params"):
        params.arguments(given, kind)
