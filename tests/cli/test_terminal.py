"""What a terminal gets: colour only there, and nothing from a transcript that it would act upon."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pastwork.model import FileTouch, ToolCall
from tests.cli.conftest import Terminal
from tests.palace.world import World, digest, exchange, room

#: Colour and style as rich prints them; anything else that begins with ESC came from elsewhere.
STYLE = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;\x1b\\")
HOSTILE = (
    "\x1b]52;c;cm0gLXJm\x07 \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1b[2J\x9b31m \x07 a\rb \x00 \x08"
    " \u202eexe.txt\u202c \u200b\ufeff tag\U000e0041 [bold red]markup[/] :smile:"
)
ACTIVE = re.compile(
    "[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def on_a_terminal(terminal: Terminal, *words: str) -> str:
    """Runs the command on a pseudo terminal and gives what arrives there."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "pastwork", *words],
        cwd=terminal.workspace,
        env=terminal.environment(TERM="xterm-256color", COLUMNS="120"),
        stdin=other,
        stdout=other,
        stderr=subprocess.PIPE,
    )
    os.close(other)
    pieces = []
    try:
        while piece := os.read(main, 65536):
            pieces.append(piece)
    except OSError:
        pass
    os.close(main)
    process.communicate(timeout=60)
    return b"".join(pieces).decode("utf-8", "replace").replace("\r\n", "\n")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """One exchange whose every text is hostile."""
    base = tmp_path_factory.mktemp("hostile")
    workspace = base / "w"
    workspace.mkdir()
    world = World(base / "data")
    tools = [ToolCall(f"Bash{HOSTILE}", HOSTILE, '{"command": "x"}', HOSTILE, None, False)]
    tools.append(ToolCall("Edit", "a.py", "{}", "", f"-{HOSTILE}\n+{HOSTILE}", True))
    found = exchange(1, str(workspace), HOSTILE, HOSTILE, tools=tools, branch=HOSTILE)
    touched = [FileTouch(f"{workspace}/{HOSTILE}", "edited"), FileTouch(f"{workspace}/a.py", "edited")]
    world.put(found, digest(found, HOSTILE, [room("concept", HOSTILE)], touched))
    world.close()
    return Terminal(base, workspace, base / "data")


COMMANDS = [
    ["show", f"{1:016x}"],
    ["show", f"{1:016x}", "--format", "markdown"],
    ["rooms"],
    ["history", "a.py"],
    ["context"],
    ["status"],
]


@pytest.mark.parametrize("words", COMMANDS)
def test_nothing_active_reaches_the_terminal(hostile: Terminal, words: list[str]) -> None:
    shown = on_a_terminal(hostile, *words)
    assert shown
    rest = STYLE.sub("", shown)
    assert "\x1b" not in rest
    assert ACTIVE.search(rest) is None
    if words[0] != "status":
        assert ("␛]52" if words[0] == "context" else "⟨U+202E⟩") in rest


@pytest.mark.parametrize("words", COMMANDS)
def test_nothing_active_reaches_a_pipe(hostile: Terminal, words: list[str]) -> None:
    done = hostile(*words)
    assert done.returncode == 0, done.stderr
    for shown in (done.stdout, done.stderr):
        assert "\x1b" not in shown
        assert ACTIVE.search(shown) is None


def test_markup_is_text(hostile: Terminal) -> None:
    shown = hostile("show", f"{1:016x}").stdout
    assert "[bold red]markup[/]" in shown
    assert ":smile:" in shown


def test_colour_only_on_a_terminal(pastwork: Terminal) -> None:
    assert "\x1b[" in on_a_terminal(pastwork, "rooms")
    assert "\x1b" not in pastwork("rooms").stdout
    assert "\x1b" not in pastwork("rooms", "--json").stdout


def test_a_narrow_locale_is_no_error(pastwork: Terminal, tmp_path: Path) -> None:
    """ASCII terminals get question marks, not a traceback."""
    done = pastwork("doctor", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert "Traceback" not in done.stderr
    assert "fault of pastwork" not in done.stderr
