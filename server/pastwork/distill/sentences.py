"""Cuts a message into the sentences a person would read aloud.

In: plain text, often Markdown. Out: sentences without markup, in order, each knowing where it stood.
Fenced code, tables, quoted logs and bare links are no sentences.
"""

from __future__ import annotations

import re

from msgspec import Struct

_FENCE = re.compile(r"^\s{0,12}(```|~~~)")
_BULLET = re.compile(r"^\s{0,40}(?:[-*+•]|\d{1,3}[.)]|[a-z][.)]|#{1,6}|>+|\[[ xX]\]|[✅✔☑❌⚠️🔧🎯✨🚀📝🔍💡]+)\s{1,8}")
_LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\s]{0,500}(?: \"[^\"\n]{0,200}\")?\)")
#: Of HTML, or with attributes, or what agents wrap things in (``<system-reminder>``); ``<name>`` stands for something.
_TAG = re.compile(
    r"</[A-Za-z][\w-]{0,40}>|<(?:(?:a|b|br|code|details|div|em|h[1-6]|hr|i|img|kbd|li|ol|p|pre|span|strong|sub|summary"
    r"|sup|table|tbody|td|th|thead|tr|u|ul|(?<![\w/=.-]<)[A-Za-z]{1,20}[-_][\w-]{1,30})(?: [^<>\n]{0,200})?"
    r"|[A-Za-z]\w{0,20} [^<>\n]{0,200})/?>"
)
_EMPHASIS = re.compile(r"(?<![\w*/])\*(?=[^\s*])([^*\n]{0,120}[^\s*])\*(?![\w*/])")
_END = re.compile(r"(?<=[.!?])[\"')\]]{0,2}\s+(?=[A-Z`\"'(\[@/#0-9])|(?<=[?!])\s+|\s[—–]\s(?=[A-Z])|;\s+(?=[A-Z])")
_LOG = re.compile(
    r"^\s{0,40}(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\[\d|at \S+ ?\(|File \"|Traceback|[=*_~#-]{4,}|\||[+-]{1,3} ?\S+:\d"
    r"|=== |--- |diff --git |index [0-9a-f]{7}|\"[\w-]{1,60}\"\s?: "
    r"|\$ |% |>>> |[{}\[\]();,]+$|(?:INFO|WARN|ERROR|DEBUG)\b)"
)
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|mr|dr|st)|\b[A-Z])\.$", re.IGNORECASE)
#: Characters of a line that are looked at.
LONGEST = 3_000


class Sentence(Struct, frozen=True, gc=False):
    """``text`` as it reads; ``block`` counts paragraphs and list items; ``heading`` titles what follows."""

    text: str
    block: int
    heading: bool = False
    item: bool = False


def sentences(text: str, limit: int = 400) -> list[Sentence]:
    """At most ``limit`` sentences."""
    found: list[Sentence] = []
    for block, (line, heading, item) in enumerate(_blocks(text)):
        found += [Sentence(piece, block, heading, item) for piece in split(line)]
        if len(found) >= limit:
            break
    return found[:limit]


def split(line: str) -> list[str]:
    """The sentences of one paragraph."""
    pieces: list[str] = []
    for piece in _END.split(line):
        piece = piece.strip()
        if pieces and _ABBREVIATION.search(pieces[-1]):
            pieces[-1] = f"{pieces[-1]} {piece}"
        elif piece:
            pieces.append(piece)
    return pieces


def unmarked(line: str) -> str:
    """A line without list marks, emphasis, link targets and tags; code spans keep their text, not their ticks."""
    while bullet := _BULLET.match(line):
        line = line[bullet.end() :]
    if "](" in line:
        line = _LINK.sub(r"\1", line)
    if "<" in line:
        line = _TAG.sub(" ", line)
    line = line.replace("**", "").replace("`", "")
    if "*" in line:
        line = _EMPHASIS.sub(r"\1", line)
    return " ".join(line.split())


def _blocks(text: str) -> list[tuple[str, bool, bool]]:
    """Paragraphs and items as single lines: text, is it a heading, is it a list item."""
    blocks: list[tuple[str, bool, bool]] = []
    paragraph: list[str] = []
    fenced = False

    def flush() -> None:
        if paragraph:
            blocks.append((" ".join(paragraph), False, False))
            paragraph.clear()

    for line in text.split("\n"):
        fence = _FENCE.match(line) is not None
        fenced ^= fence
        shown = "" if fence or fenced or _is_noise(line) else unmarked(line[:LONGEST])
        if not shown:
            flush()
            continue
        item, heading = _BULLET.match(line) is not None, _is_heading(line.strip())
        if item or heading:
            flush()
            blocks.append((shown, heading, item))
        else:
            paragraph.append(shown)
    flush()
    return blocks


def _is_noise(line: str) -> bool:
    """A line of a log or table, or one that nobody wrote: far too long for the blanks in it."""
    return _LOG.match(line) is not None or (len(line) > LONGEST and line.count(" ") * 20 < len(line))


def _is_heading(line: str) -> bool:
    return line.startswith("#") or (line.startswith("**") and line.rstrip(":").endswith("**"))
