"""A command imports what it needs and no more."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pastwork.cli.main import COMMANDS
from tests.cli.conftest import Terminal

HEAVY = {
    "faiss",
    "onnxruntime",
    "whoosh",
    "ollama",
    "numpy",
    "pygls",
    "lsprotocol",
    "torch",
    "tokenizers",
    "tree_sitter",
    "mcp",
}
PRINTING = {"rich"}
WATCHING = {"watchfiles", "re2"}

PROBE = """
import sys
from pastwork.cli.main import run
code = run({words!r})
print("loaded", *sorted({{name.split(".")[0] for name in sys.modules}}), file=sys.stderr)
sys.exit(code)
"""


def loaded(pastwork: Terminal, *words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(words=list(words))],
        cwd=pastwork.workspace,
        env=pastwork.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    ("words", "foreign"),
    [
        (["--help"], HEAVY | PRINTING | WATCHING),
        (["--version"], HEAVY | PRINTING | WATCHING),
        (["status", "--json"], HEAVY | PRINTING | WATCHING),
        (["search", "pool", "--mode", "verbatim-okapi", "--json"], HEAVY - {"numpy"} | PRINTING | WATCHING),
        (["rooms", "--json"], HEAVY | PRINTING | WATCHING),
        (["rooms"], HEAVY | WATCHING),
        (["history", "ferryline/pool.py", "--json"], HEAVY | PRINTING | WATCHING),
        (["index", "--no-vectors", "--json"], HEAVY - {"numpy"} | PRINTING),
    ],
)
def test_nothing_heavy_is_imported(pastwork: Terminal, words: list[str], foreign: set[str]) -> None:
    assert loaded(pastwork, *words) & foreign == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_is_light_and_has_an_example(pastwork: Terminal, name: str) -> None:
    done = pastwork(name, "--help")
    assert done.returncode == 0, done.stderr
    assert "Example: pastwork" in done.stdout
    assert loaded(pastwork, name, "--help") & (HEAVY | PRINTING | WATCHING) == set()


def test_the_group_lists_every_command(pastwork: Terminal) -> None:
    shown = pastwork("--help").stdout
    assert [line.split()[0] for line in shown.split("Commands:\n")[1].splitlines()[: len(COMMANDS)]] == list(COMMANDS)
