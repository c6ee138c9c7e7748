"""``workspace/symbol``: words of core and rooms."""

from __future__ import annotations

import pytest

from pastwork.glance import Glance
from pastwork.lsp.symbols import matching, symbol

POOL = Glance("a", "Give the Pool a timeout", "", "codex", rooms=("pool.py", "retry timeout"))
LOGIN = Glance("b", "Straße: anmelden", "pool", "codex", rooms=("signin.py",))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [POOL, LOGIN]),
        ("  ", [POOL, LOGIN]),
        ("pool", [POOL]),
        ("TIMEOUT pool", [POOL]),
        ("retry", [POOL]),
        ("STRASSE", [LOGIN]),
        ("pool signin", []),
        ("*", []),
    ],
)
def test_matching(query: str, expected: list[Glance]) -> None:
    assert list(matching([POOL, LOGIN], query)) == expected


def test_symbol() -> None:
    made = symbol(POOL, "pastwork://exchange/a.md")
    assert (made.name, made.container_name) == ("Give the Pool a timeout", "pool.py, retry timeout")
    assert symbol(Glance("a", "\n", "", "codex"), "x").name == "a"
    assert symbol(Glance("a", "x" * 500, "", "codex"), "x").name == "x" * 159 + "…"
