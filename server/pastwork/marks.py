"""Invisible and active characters made visible.

Text of transcripts is data: it may carry terminal escapes, bidirectional overrides, zero-width or
tag characters. ``visible`` replaces each by a mark that a person can see and nothing acts upon;
every place that shows such text (terminal, Markdown, hover, agents' tools) passes it through here.
"""

from __future__ import annotations

import re

#: Controls but tab and newline, invisible format characters, line and paragraph
#: separators, lone surrogates, invisible fillers, and the variation selectors that can hide bytes.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """``text`` with ``\\r\\n`` as ``\\n`` and every hidden character as a mark: ``␛``, ``⟨U+202E⟩``."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_mark, text.replace("\r\n", "\n"))


def one_line(text: str, width: int | None = None) -> str:
    """``visible`` text on one line, runs of blanks as one space, cut to ``width`` characters."""
    line = " ".join(visible(text).split())
    return line if width is None or len(line) <= width else line[: max(width - 1, 0)].rstrip() + "…"


def _mark(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"
