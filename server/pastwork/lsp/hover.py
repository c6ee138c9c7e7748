"""What a hover says, from memory: who wrote this line, what happened to this file or to the one named here.

Short enough to be read in two seconds: for each exchange its core, its context, with which agent and
when, and a way to the verbatim; three exchanges at the most. Elsewhere nothing, so that other
servers' hovers stay clean. Text of transcripts is inert in it, whatever it holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from pastwork import markdown
from pastwork.age import ago
from pastwork.glance import Glance
from pastwork.lsp.code_lens import counts
from pastwork.marks import one_line
from pastwork.palace.lines import Author

#: Exchanges shown; the rest is one command away.
SHOWN = 3
_CORE_WIDTH = 200
_CONTEXT_WIDTH = 240
_LABEL = "verbatim"


class Style(Struct, frozen=True):
    """How text is written: as Markdown, or as plain text for clients that show no other.

    ``link`` makes an exchange id a way to its verbatim.
    """

    link: Callable[[str], str]
    text: Callable[[str], str] = markdown.literal_line
    code: Callable[[str], str] = markdown.code
    strong: str = "**{}**"
    faint: str = "*{}*"
    line_end: str = "  \n"
    rule: str = "\n\n---\n\n"


def plain() -> Style:
    """No marks at all; an exchange is named by its id."""
    return Style(lambda exchange_id: exchange_id, one_line, one_line, "{}", "{}", "\n", "\n\n")


class Told(Struct, frozen=True):
    """A hover's text, and the exchanges whose verbatim it links to."""

    text: str
    ids: tuple[str, ...]


def joined(parts: Iterable[Told], style: Style) -> Told | None:
    """One hover of several; None of none."""
    found = list(parts)
    if not found:
        return None
    ids = dict.fromkeys(one for part in found for one in part.ids)
    return Told(style.rule.join(part.text for part in found), tuple(ids))


def of_line(author: Author, style: Style, now: datetime) -> Told:
    """The exchange that wrote the line."""
    standing = f"{author.standing} of {author.added} lines stand" if author.added else ""
    return Told(_entry(author.glance, style, now, standing), (author.glance.id,))


def of_file(works: Sequence[Glance], style: Style, now: datetime, name: str = "") -> Told:
    """A file's past work; ``name`` where it is another file than the one that is open."""
    title = style.strong.format(counts(works)) + (f" on {style.code(name)}" if name else "")
    shown = works[:SHOWN]
    more = len(works) - len(shown)
    rest = [style.faint.format(f"{more} more in the file's history")] if more else []
    entries = [_entry(work, style, now) for work in shown]
    return Told("\n\n".join([title, *entries, *rest]), tuple(work.id for work in shown))


def document_link(exchange_id: str) -> str:
    """For clients that show ``pastwork:`` documents."""
    return markdown.document_link(_LABEL, exchange_id)


def command_link(exchange_id: str) -> str:
    """For clients that let our own command links through and nobody else's."""
    return f"[{_LABEL}](command:pastwork.openExchange?{quote(json.dumps([exchange_id]))})"


def file_link(path: Path) -> str:
    """For all others: a file of our own, see ``worker/cache.py``."""
    return f"[{_LABEL}](<{path.as_uri()}>)"


def _entry(work: Glance, style: Style, now: datetime, standing: str = "") -> str:
    core = style.text(one_line(work.core, _CORE_WIDTH))
    core = core and style.strong.format(core)  # four stars and nothing between them are a rule
    context = style.text(one_line(work.context, _CONTEXT_WIDTH))
    facts = " · ".join(_facts(work, style, now, standing))
    return style.line_end.join(line for line in (core, context, facts) if line)


def _facts(work: Glance, style: Style, now: datetime, standing: str) -> Iterator[str]:
    yield style.text(work.agent)
    if when := ago(work.started_at, now):
        yield when
    if work.fix:
        yield "a fix"
    if work.open:
        yield "still at work"
    if standing:
        yield standing
    yield style.link(work.id)
