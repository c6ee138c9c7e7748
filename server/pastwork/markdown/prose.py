"""Whole passages of transcripts as Markdown that holds nothing active.

In: a prompt or an answer. Out: Markdown whose only structure is paragraphs, lists, code spans that
close on their own line and code blocks; in an agent's answer also emphasis. Links, images, HTML,
headings, quotes, rules and tables of the passage stand as the text they are. A passage keeps its
own characters as far as that allows, so that it reads the same in an editor that shows the source.

Why it is safe by lines: every run of back-ticks is closed on its line or escaped, and every fence
is printed anew at the margin, so no parser can see a code span or block where this module saw text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pastwork.marks import one_line, visible

#: List markers at the start of a line without its indentation; bounded, so that no line costs more than its length.
_MARKERS = r"(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)){0,8}"
_FENCE = re.compile(rf"(?P<before>{_MARKERS})(?P<fence>`{{3,}}|~{{3,}})[ \t]*(?P<info>[^`]*)$")
_BLOCK = re.compile(
    rf"(?P<before>{_MARKERS})"
    r"(?P<mark>\#{1,6}(?=[ \t]|$)|>|=+[ \t]*$|[-|:](?=[-|: \t]*$)|[*_](?=[*_ \t]*$)|~(?=~~))"
)
_LIST = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_DEEP = re.compile(r" {4}| {0,3}\t")
_BLANK = " \t"
_TICKS = re.compile(r"`+")
_ACTIVE = (
    r"`+|\\(?=[!-/:-@\[-`{-~]|$)|\](?=[(\[:])|/(?=/\S)|(?<=www)\.|(?<=\S)@(?=\S)|<(?=[A-Za-z/!?])|&(?=\#?\w{1,32};)|\$"
)
_LITERAL = re.compile(_ACTIVE + r"|[*~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", re.IGNORECASE)
_FORMATTED = re.compile(r"\\[!-/:-@\[-`{-~]|" + _ACTIVE, re.IGNORECASE)


def literal(text: str) -> str:
    """A prompt: its emphasis marks and backslashes stand for themselves too."""
    return "\n".join(_blocks(visible(text).split("\n"), _LITERAL))


def formatted(text: str) -> str:
    """An agent's answer, which is Markdown by convention: emphasis and backslash escapes keep their meaning."""
    return "\n".join(_blocks(visible(text).split("\n"), _FORMATTED))


def literal_line(text: str) -> str:
    """Plain text on one line, with only what would be active in it escaped."""
    return _line(one_line(text), _LITERAL)


def fence(text: str, language: str = "") -> str:
    """A code block at the margin, its fence longer than any run of back-ticks inside."""
    body = visible(text).rstrip("\n")
    ticks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(body)), default=0))
    return f"{ticks}{language if re.fullmatch(r'[A-Za-z0-9+#-]{1,20}', language) else ''}\n{body}\n{ticks}"


def _blocks(lines: list[str], active: re.Pattern[str]) -> Iterator[str]:
    """The lines as Markdown, code blocks set apart by blank lines."""
    at, in_list = 0, False
    while at < len(lines):
        line = lines[at]
        opened = _FENCE.match(line.lstrip(_BLANK))
        if opened:
            end = _fence_end(lines, at, opened["fence"])
            yield from _apart(_refenced(lines[at:end], opened, active))
            at = end + 1
            continue
        end = _preformatted_end(lines, at, in_list)
        if end > at:
            yield from _apart(fence("\n".join(lines[at:end])))
            at = end
            continue
        in_list = bool(_LIST.match(line.lstrip(_BLANK))) or (in_list and line[:1] in ("", " ", "\t"))
        yield _line(line, active) + ("  " if line.strip() and at + 1 < len(lines) and lines[at + 1].strip() else "")
        at += 1


def _apart(block: str) -> tuple[str, str, str]:
    return "", block, ""


def _fence_end(lines: list[str], start: int, opening: str) -> int:
    """Index of the closing fence, or past the last line where none closes it."""
    for at in range(start + 1, len(lines)):
        mark = lines[at].strip()
        if len(mark) >= len(opening) and mark == opening[0] * len(mark):
            return at
    return len(lines)


def _refenced(lines: list[str], opened: re.Match[str], active: re.Pattern[str]) -> str:
    """The lines after the first at the margin, under the list marker that stood before the fence."""
    indent = lines[0].index(opened["fence"])
    text = "\n".join(line[min(indent, len(line) - len(line.lstrip(_BLANK))) :] for line in lines[1:])
    block = fence(text, (opened["info"].split() or [""])[0])
    before = opened["before"].strip()
    return f"{_line(before, active)}\n\n{block}" if before else block


def _preformatted_end(lines: list[str], start: int, in_list: bool) -> int:
    """Past the last line of a table or of a passage indented like code; ``start`` where there is none."""
    at = start
    while at < len(lines) and lines[at].lstrip().startswith("|"):
        at += 1
    if at - start > 1:
        return at
    at = start
    while not in_list and at < len(lines) and _DEEP.match(lines[at]) and lines[at].strip():
        at += 1
    return at


def _line(line: str, active: re.Pattern[str]) -> str:
    rest = line.lstrip(_BLANK)
    indent = line[: len(line) - len(rest)]
    block = _BLOCK.match(rest)
    if block:
        return indent + block["before"] + "\\" + _inline(rest[block.start("mark") :], active).removeprefix("\\")
    markers = re.match(_MARKERS, rest)
    start = markers.end() if markers else 0
    return indent + rest[:start] + _inline(rest[start:], active)


def _inline(text: str, active: re.Pattern[str]) -> str:
    """Escapes what is active outside code spans; an unclosed run of back-ticks is escaped whole."""
    out: list[str] = []
    at = 0
    while found := active.search(text, at):
        out.append(text[at : found.start()])
        at = found.end()
        token = found[0]
        if token[0] == "`":
            end = _span_end(text, at, len(token))
            out.append(text[found.start() : end] if end else "\\`" * len(token))
            at = end or at
        else:
            out.append(token if len(token) == 2 else "\\" + token)
    out.append(text[at:])
    return "".join(out)


def _span_end(text: str, start: int, ticks: int) -> int:
    """End of the code span that opened before ``start``, or 0 where no run of that length closes it."""
    return next((run.end() for run in _TICKS.finditer(text, start) if len(run[0]) == ticks), 0)
