"""A real terminal (tmux) and its picture: escape sequences to HTML, HTML to PNG in Chromium."""

from __future__ import annotations

import html
import math
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

FOREGROUND, BACKGROUND = "#e0e2ea", "#14161b"  # Neovim's own
_CELL_WIDTH, _CELL_HEIGHT, _PADDING = 8.43, 16, 14
_SEQUENCE = re.compile(r"\x1b\[([0-9;:]*)m")
_BASIC = ("#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8")


class Style(Struct, frozen=True):
    """How a run of cells is drawn; colours are CSS, None the default."""

    foreground: str | None = None
    background: str | None = None
    bold: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False

    def css(self) -> str:
        front, back = self.foreground or FOREGROUND, self.background or BACKGROUND
        if self.reverse:
            front, back = back, front
        parts = [f"color:{front}", f"background:{back}", "display:inline-block", f"height:{_CELL_HEIGHT}px"]
        parts += ["font-weight:bold"] if self.bold else []
        parts += ["font-style:italic"] if self.italic else []
        parts += ["text-decoration:underline"] if self.underline else []
        return ";".join(parts)


def styled(style: Style, codes: Sequence[int]) -> Style:
    """The style after one SGR sequence. Sequences that nothing here draws (blink, …) change nothing."""
    at = 0
    while at < len(codes):
        code = codes[at]
        if code in (38, 48):
            colour, used = _extended(codes[at + 1 :])
            style = replace(style, foreground=colour) if code == 38 else replace(style, background=colour)
            at += used
        else:
            style = _simple(style, code)
        at += 1
    return style


def _simple(style: Style, code: int) -> Style:
    if code == 0:
        return Style()
    switches = {1: ("bold", True), 22: ("bold", False), 3: ("italic", True), 23: ("italic", False)}
    switches |= {4: ("underline", True), 24: ("underline", False), 7: ("reverse", True), 27: ("reverse", False)}
    if code in switches:
        name, value = switches[code]
        return replace(style, **{name: value})
    if code in (39, 49):
        return replace(style, foreground=None) if code == 39 else replace(style, background=None)
    if 30 <= code <= 37 or 90 <= code <= 97:
        return replace(style, foreground=_BASIC[code % 10])
    if 40 <= code <= 47 or 100 <= code <= 107:
        return replace(style, background=_BASIC[code % 10])
    return style


def _extended(codes: Sequence[int]) -> tuple[str | None, int]:
    """(colour, how many codes it took) of ``2;r;g;b`` or ``5;n``."""
    if codes[:1] == [2] and len(codes) >= 4:
        return "#{:02x}{:02x}{:02x}".format(*codes[1:4]), 4
    if codes[:1] == [5] and len(codes) >= 2:
        return _BASIC[codes[1] % 8] if codes[1] < 16 else _cube(codes[1]), 2
    return None, 0


def _cube(number: int) -> str:
    """A colour of the 6x6x6 cube or the grey ramp behind it."""
    if number >= 232:
        level = 8 + 10 * (number - 232)
        return f"#{level:02x}{level:02x}{level:02x}"
    steps = (0, 95, 135, 175, 215, 255)
    red, rest = divmod(number - 16, 36)
    return f"#{steps[red]:02x}{steps[rest // 6]:02x}{steps[rest % 6]:02x}"


def as_html(captured: str) -> str:
    """A page of the captured terminal."""
    rows, style = [], Style()
    for row in captured.rstrip("\n").split("\n"):
        parts = _SEQUENCE.split(row)
        spans = []
        for number, part in enumerate(parts):
            if number % 2:
                style = styled(style, [int(code or 0) for code in re.split("[;:]", part)])
            elif part:
                spans.append(f'<span style="{style.css()}">{html.escape(part)}</span>')
        rows.append("".join(spans) or " ")
    look = (
        f"margin:{_PADDING}px;font:14px 'DejaVu Sans Mono',monospace;line-height:{_CELL_HEIGHT}px;white-space:pre;"
        f"color:{FOREGROUND};letter-spacing:0"
    )
    body = "".join(f'<div style="height:{_CELL_HEIGHT}px">{row}</div>' for row in rows)
    return f'<!doctype html><meta charset="utf-8"><body style="margin:0;background:{BACKGROUND}"><div style="{look}">{body}</div>'


def picture(captured: str, columns: int, file: Path) -> None:
    """Draws the captured terminal into a PNG. Raises RuntimeError where there is no Chromium."""
    program = (
        os.environ.get("CHROMIUM")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if not program:
        raise RuntimeError("no Chromium; install chromium, or name it in $CHROMIUM")
    width = math.ceil(columns * _CELL_WIDTH) + 2 * _PADDING
    height = (captured.rstrip("\n").count("\n") + 1) * _CELL_HEIGHT + 2 * _PADDING
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(as_html(captured), encoding="utf-8")
        words = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"]
        words += [
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--force-device-scale-factor=1.5",
        ]
        words += [
            f"--user-data-dir={folder}/profile",
            f"--window-size={width},{height}",
            f"--screenshot={file.resolve()}",
            page.as_uri(),
        ]
        subprocess.run([program, *words], check=True, capture_output=True, timeout=120)


class Terminal:
    """A private tmux with one window."""

    def __init__(
        self, command: Sequence[str], variables: Mapping[str, str], cwd: Path, columns: int, rows: int
    ) -> None:
        self.columns = columns
        self._socket = f"pastwork-{os.getpid()}-{time.monotonic_ns()}"
        own = {name: value for name, value in variables.items() if name != "TMUX"}
        self._variables = {**own, "TERM": "xterm-256color"}
        size = ["-x", str(columns), "-y", str(rows)]
        self._tmux("new-session", "-d", "-s", "n", *size, "-c", str(cwd), "exec " + shlex.join(command))
        self._tmux("set-option", "-g", "status", "off")
        self._tmux("set-option", "-s", "escape-time", "0")

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-L", self._socket, "-f", os.devnull, "-u", *words]
        return subprocess.run(
            command, env=self._variables, check=True, capture_output=True, text=True, timeout=30
        ).stdout

    def keys(self, *keys: str) -> None:
        """Each is a key's name (``Enter``, ``C-f``) or text."""
        for key in keys:
            self._tmux("send-keys", "-t", "n", key)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-t", "n", "-l", text)

    def text(self) -> str:
        return self._tmux("capture-pane", "-p", "-t", "n")

    def captured(self) -> str:
        """With escape sequences and trailing blanks."""
        return self._tmux("capture-pane", "-e", "-N", "-p", "-t", "n")

    def wait(self, *words: str, seconds: float = 40.0) -> str:
        """The screen, once all the words stand on it."""
        deadline = time.monotonic() + seconds
        while not all(word in (seen := self.text()) for word in words):
            assert time.monotonic() < deadline, f"{words} did not appear:\n{seen}"
            time.sleep(0.1)
        return seen

    def escape(self, word: str) -> None:
        """The Escape key, until the word is gone; a key right behind it would be taken for an Alt key."""
        self.keys("Escape")
        deadline = time.monotonic() + 20
        while word in self.text():
            assert time.monotonic() < deadline, f"{word} stays:\n{self.text()}"
            time.sleep(0.1)

    def close(self) -> None:
        subprocess.run(
            ["tmux", "-L", self._socket, "kill-server"],
            env=self._variables,
            check=False,
            capture_output=True,
            timeout=30,
        )


@contextmanager
def terminal(
    command: Sequence[str], variables: Mapping[str, str], cwd: Path, columns: int = 110, rows: int = 28
) -> Iterator[Terminal]:
    opened = Terminal(command, variables, cwd, columns, rows)
    try:
        yield opened
    finally:
        opened.close()
