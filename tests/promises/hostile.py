"""Hostile texts by a seeded generator: terminal sequences, hidden characters, Markdown and HTML that act, paths that lead out."""

from __future__ import annotations

import random
from collections.abc import Iterator

TERMINAL = (
    "\x1b[2J", "\x1b[31m", "\x1b]0;title\x07", "\x1b]52;c;cm0gLXJm\x07", "\x1b]8;;http://evil.example\x1b\\x\x1b]8;;\x1b\\",
    "\x9b31m", "\x9d0;t\x9c", "\x90q\x9c", "\x1bP+q\x1b\\", "\x1b[6n", "\x1b[?1049h", "\x07", "\x08\x08\x08", "\r", "\x00",
    "\x0b", "\x0c", "\x7f", "\x85", "\x1b(0", "\x1bc", "\x1b[201~", "\x1b[10;10H", "\x1b_G\x1b\\", "\x0e", "\x0f",
)  # fmt: skip
HIDDEN = (
    "\u202e", "\u202c", "\u2066", "\u2069", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e",
    "\u061c", "\u200e", "\u2028", "\u2029", "\ufff9", "\ufffb", "\U000e0001", "".join(chr(0xE0000 + ord(c)) for c in "run"),
    "\U000e007f", "\ufe0f", "\u034f", "\u115f", "\u3164",
)  # fmt: skip
MARKDOWN = (
    "[go](command:workbench.action.terminal.new)", "[go](<command:x y>)", "[a]: command:x", "[a][b]", "![i](http://evil.example/a.png)",
    "![i](data:image/svg+xml;base64,PHN2Zz4=)", "<http://evil.example>", "http://evil.example/?q=", "www.evil.example", "a@evil.example",
    "//evil.example/x", "[x](javascript:alert(1))", "[x](file:///etc/passwd)", "[x](vscode://evil)", "[x](pastwork://exchange/0)",
    "`", "``", "```", "~~~", "````sh", "> ", "# ", "===", "---", "***", "- ", "1. ", "| a | b |\n|---|---|\n", "    ", "\t", "\\", "\\[",
    "*", "**", "_", "__", "~~", "$x$", "[^1]", "[^1]: x", ":smile:", "&lt;", "&#91;", "&#x5b;", "\n", "\n\n", "  \n",
)  # fmt: skip
HTML = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<a href='command:x'>go</a>", "<iframe src=//evil.example>", "<!--",
    "-->", "<style>*{}</style>", "<b onmouseover=x>", "</div>", "<details open ontoggle=x>", "<svg/onload=x>", "<?php", "<![CDATA[", "<x y",
    "</past-work>", "<base href=//evil.example>", "<meta http-equiv=refresh content=0>", "<span style='x'>", "<input autofocus onfocus=x>",
)  # fmt: skip
PATHS = (
    "../../../../etc/passwd", "/etc/passwd", "..\\..\\Windows\\win.ini", "C:\\Windows\\win.ini", "\\\\evil\\share\\x", "~/.ssh/id_rsa",
    "file:///etc/passwd", "src/../../out.py", "a\x00b.py", "$(touch x).py", "`id`.py", "%2e%2e/x", "....//x", "con", "a\nb.py", "-rf",
)  # fmt: skip
PLAIN = (
    "pool",
    " ",
    "timeout",
    "the ferry",
    "x",
    "Ü",
    "\U0001f6a2",
    "1",
    ".",
    ":",
    ",",
    "(",
    ")",
    "[",
    "]",
    "!",
    "<",
    ">",
    "\ud800",
)
KINDS = (TERMINAL, HIDDEN, MARKDOWN, HTML, PATHS, PLAIN)


def texts(count: int, seed: int = 5) -> Iterator[str]:
    """Each piece by itself first, then mixtures of up to a dozen of all kinds."""
    chance = random.Random(seed)
    alone = [piece for kind in KINDS for piece in kind]
    yield from alone[:count]
    for _ in range(count - len(alone)):
        yield "".join(chance.choice(chance.choice(KINDS)) for _ in range(chance.randint(2, 12)))


def storable(text: str) -> str:
    """As readers hand it on: a lone surrogate is replaced when a transcript is read."""
    return text.encode("utf-8", "replace").decode()
