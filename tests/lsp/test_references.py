"""Imports and paths in a line: which file with past work is meant, and when none is."""

from __future__ import annotations

import pytest

from pastwork.glance import Glance
from pastwork.lsp.filemap import build
from pastwork.lsp.references import referenced

ROOT = "/home/dev/shop"
FILES = (
    "pool.py",
    "shop/__init__.py",
    "shop/pool.py",
    "shop/db/session.py",
    "shop/db/__init__.py",
    "server/core/config.py",
    "web/cart.ts",
    "web/views/index.tsx",
    "web/style.css",
    "src/lib.rs",
    "src/net/mod.rs",
    "src/net/retry.rs",
    "include/ring.h",
    "docs/setup.md",
    "twice/a/same.py",
    "twice/b/same.py",
)
MAP = build(
    {1: Glance("1", "core", "", "codex")},
    frozenset(),
    [(1, f"{ROOT}/{name}") for name in FILES] + [(1, "/home/dev/other/shop/pool.py"), (1, "/etc/hosts.conf")],
    [],
)


def at(marked: str) -> tuple[str, int]:
    """The line without its ``|``, and where that stood."""
    return marked.replace("|", "", 1), marked.index("|")


def check(file: str, marked: str, expected: str | None) -> None:
    line, column = at(marked)
    found = referenced(line, column, f"{ROOT}/{file}", ROOT, MAP)
    assert found == (expected if expected is None or expected.startswith("/") else f"{ROOT}/{expected}")


@pytest.mark.parametrize(
    ("file", "marked", "expected"),
    [
        ("app.py", "import p|ool", "pool.py"),
        ("app.py", "import shop.po|ol as pool", "shop/pool.py"),
        ("app.py", "from sho|p import pool", "shop/__init__.py"),
        ("app.py", "from shop import po|ol", "shop/pool.py"),
        ("app.py", "from shop.pool import take, fre|sh", "shop/pool.py"),
        ("app.py", "from shop.db import sess|ion, engine", "shop/db/session.py"),
        ("app.py", "from shop.db import eng|ine", "shop/db/__init__.py"),
        ("shop/db/session.py", "from .|.pool import take", "shop/pool.py"),
        ("shop/db/session.py", "from .. import po|ol", "shop/pool.py"),
        ("shop/app.py", "    from .db import sess|ion", "shop/db/session.py"),
        ("tests/test_it.py", "from core.conf|ig import load", "server/core/config.py"),
        ("tests/test_it.py", "import sa|me", None),
        ("tests/test_it.py", "import a.sa|me", "twice/a/same.py"),
        ("shop/pool.py", "import po|ol", "pool.py"),
        ("pool.py", "import po|ol", None),
        ("app.py", "import o|s", None),
        ("app.py", "from nowhere.pool import ta|ke", None),
        ("app.py", "f|rom shop import pool", None),
        ("app.go", "import shop.po|ol", None),
    ],
)
def test_python(file: str, marked: str, expected: str | None) -> None:
    check(file, marked, expected)


@pytest.mark.parametrize(
    ("file", "marked", "expected"),
    [
        ("web/main.ts", "import { cart } from './ca|rt'", "web/cart.ts"),
        ("web/main.ts", "import { cart } from './ca|rt.ts'", "web/cart.ts"),
        ("web/main.ts", 'const v = require("./vie|ws")', "web/views/index.tsx"),
        ("web/views/a.tsx", "import '../sty|le.css'", "web/style.css"),
        ("web/main.ts", "imp|ort { cart } from './cart'", None),
        ("web/main.ts", "import { x } from 'rea|ct'", None),
        ("src/main.rs", "mod li|b;", "src/lib.rs"),
        ("src/lib.rs", "pub mod n|et;", "src/net/mod.rs"),
        ("src/main.rs", "use crate::net::ret|ry::Backoff;", "src/net/retry.rs"),
        ("src/net/mod.rs", "use self::ret|ry;", "src/net/retry.rs"),
        ("src/net/mod.rs", "use super::li|b;", "src/lib.rs"),
        ("src/ring.c", "#include <../include/ri|ng.h>", "include/ring.h"),
        ("src/ring.c", '#include "include/ri|ng.h"', "include/ring.h"),
    ],
)
def test_other_languages(file: str, marked: str, expected: str | None) -> None:
    check(file, marked, expected)


@pytest.mark.parametrize(
    ("file", "marked", "expected"),
    [
        ("README.md", "see docs/se|tup.md for more", "docs/setup.md"),
        ("README.md", "see [setup](docs/se|tup.md)", "docs/setup.md"),
        ("README.md", "broken in shop/pool.py:1|2:4", "shop/pool.py"),
        ("README.md", "broken in po|ol.py", "pool.py"),
        ("docs/a.md", "broken in shop\\db\\ses|sion.py", "shop/db/session.py"),
        ("docs/a.md", "at /home/dev/other/shop/po|ol.py", "/home/dev/other/shop/pool.py"),
        ("docs/a.md", "at /etc/ho|sts.conf", "/etc/hosts.conf"),
        ("docs/a.md", "at ../../other/shop/po|ol.py", None),
        ("docs/a.md", "at ../../../etc/ho|sts.conf", None),
        ("docs/a.md", "at /etc/pas|swd", None),
        ("docs/a.md", "sa|me.py", None),
        ("docs/setup.md", "this is docs/se|tup.md", None),
        ("docs/a.md", "a|nd so on", None),
        ("docs/a.md", "x|", None),
        ("docs/a.md", "|", None),
        ("docs/a.md", "shop/po|ol.py" + " " * 3000, None),
    ],
)
def test_paths(file: str, marked: str, expected: str | None) -> None:
    check(file, marked, expected)


def test_a_file_outside_of_its_root_names_nothing_by_relative_path() -> None:
    assert referenced("import pool", 8, "/tmp/app.py", ROOT, MAP) is None


@pytest.mark.parametrize("line", ["a/" * 900, "." * 1900, "from " + "." * 1800 + " import x", "'" * 1999, "\\/" * 900])
def test_hostile_lines_take_no_time(line: str) -> None:
    for column in (0, len(line) // 2, len(line)):
        assert referenced(line, column, f"{ROOT}/app.py", ROOT, MAP) is None
