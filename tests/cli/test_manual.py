"""``docs/cli.md`` is what the commands say of themselves, and what it shows runs."""

from __future__ import annotations

import re
import shlex

import pytest

from pastwork.cli.main import COMMANDS
from pastwork.cli.manual import manual
from tests.cli.conftest import ROOT, Terminal

PAGE = ROOT / "docs" / "cli.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == manual(), "run: python -m pastwork.cli.manual docs/cli.md"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_on_the_page_with_an_example(name: str) -> None:
    section = re.search(
        rf"^## `pastwork {name}.*?(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert section
    assert f"Example: `pastwork {name}" in section[0]


def examples() -> list[str]:
    """All but those that talk to a network or an editor, or take long."""
    found = re.findall(r"^Example: `(pastwork .*)`$", manual(), re.MULTILINE)
    return [line for line in found if line.split()[1] not in ("lsp", "mcp", "eval") and "install" not in line]


@pytest.mark.parametrize("line", examples())
def test_examples_are_understood(pastwork: Terminal, line: str) -> None:
    """Ids and folders of the examples are not this home's; the usage is right all the same."""
    words = shlex.split(line.replace("$HOME/code", str(pastwork.workspace)))[1:]
    done = pastwork(*words)
    assert done.returncode in (0, 1), done.stderr
    assert "fault of pastwork" not in done.stderr
