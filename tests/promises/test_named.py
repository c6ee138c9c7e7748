"""The pages that promise name tests that exist, and sizes that are those of the tests."""

from __future__ import annotations

import ast
import re

import pytest

from tests.conftest import ROOT
from tests.sizes import SIZES

PAGES = ("SECURITY.md", "docs/reliability.md")
NAMED = re.compile(r"`(tests/[a-z_/]+\.py)::(test_\w+)`")


@pytest.mark.parametrize("page", PAGES)
def test_each_named_test_exists(page: str) -> None:
    named = NAMED.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(named) >= 20
    assert [f"{file}::{name}" for file, name in named if name not in listed_in(file)] == []
    for file, name in re.findall(r"(tests/[\w/.]+)::(\w+)", (ROOT / page).read_text(encoding="utf-8")):
        assert (file, name) in named, "a test is named in one form only"


def listed_in(file: str) -> set[str]:
    path = ROOT / file
    if not path.is_file():
        return set()
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.name for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_the_table_of_sizes_is_that_of_the_tests() -> None:
    page = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `PASTWORK_([A-Z_]+)` \|[^|]*\| ([\d,]+) \| ([\d,]+|every one) \|", page, re.MULTILINE)
    told = {name: (int(share.replace(",", "")), whole.replace(",", "")) for name, share, whole in rows}
    assert told == {
        name: (share, "every one" if whole == 1_000_000 else str(whole)) for name, (share, whole) in SIZES.items()
    }
