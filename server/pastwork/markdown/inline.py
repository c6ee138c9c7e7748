"""One line of text as Markdown: escaped, as a code span, or as a link of our own."""

from __future__ import annotations

import re

from pastwork.marks import one_line

#: What means something anywhere in a line; the rest only at its start, or (``#``) at a heading's end.
_ACTIVE = re.compile(
    r"[\\`*\[\]<|$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|~(?=~)|(?<=~)~|&(?=\#?\w{1,32};)|/(?=/\S)|(?<=www)\."
    r"|(?<=\S)@(?=\S)|(?<=\s)\#(?=\#*$)|^[-+=\#>:~]|(?<=^\d)[.)]",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^(\d{2,9})(?=[.)](?:\s|$))")
_TICKS = re.compile(r"`+")
_EXCHANGE_ID = re.compile(r"[0-9a-f]{16}")


def escape(text: str) -> str:
    """Plain text on one line: every character stands for itself."""
    return _NUMBERED.sub(r"\1\\", _ACTIVE.sub(r"\\\g<0>", one_line(text)))


def code(text: str) -> str:
    """A code span on one line, whatever back-ticks the text holds; nothing for nothing."""
    line = one_line(text)
    if not line:
        return ""
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(line)), default=0))
    pad = " " if "`" in (line[0], line[-1]) else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def document_address(exchange_id: str) -> str:
    """The address of an exchange's own document. Raises ValueError for what is no id."""
    if not _EXCHANGE_ID.fullmatch(exchange_id):
        raise ValueError(exchange_id)
    return f"pastwork://exchange/{exchange_id}.md"


def document_link(label: str, exchange_id: str) -> str:
    """A link to an exchange's own document."""
    return f"[{escape(label)}](<{document_address(exchange_id)}>)"
