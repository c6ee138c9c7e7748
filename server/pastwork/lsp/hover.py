"""What a hover says, from memory: who wrote this line, what happened to this file or to the one named here.

Short enough to be read in two seconds: for each exchange its core, its context, with which agent and
when, and a way to the verbatim; three exchanges at the most. Elsewhere nothing, so that other
servers' hovers stay clean.
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
from pastwork.markdown import code, escape
from pastwork.marks import one_line
from pastwork.worker.questions import Author

#: Exchanges shown; the rest is one command away.
SHOWN = 3
_CORE_WIDTH = 200
_CONTEXT_WIDTH = 240
_LABEL = "verbatim"

#: Exchange id -> a Markdown link to its verbatim.
Link = Callable[[str], str]


class Told(Struct, frozen=True):
    """Markdown, and the exchanges whose verbatim it links to."""

    markdown: str
    ids: tuple[str, ...]


def joined(parts: Iterable[Told]) -> Told | None:
    """One hover of several; None of none."""
    found = list(parts)
    if not found:
        return None
    ids = dict.fromkeys(one for part in found for one in part.ids)
    return Told("\n\n---\n\n".join(part.markdown for part in found), tuple(ids))


def of_line(author: Author, link: Link, now: datetime) -> Told:
    """The exchange that wrote the line."""
    standing = "" if author.survival is None else f"{author.survival:.0%} of its lines here stand"
    return Told(_entry(author.glance, link, now, standing), (author.glance.id,))


def of_file(works: Sequence[Glance], link: Link, now: datetime, name: str = "") -> Told:
    """A file's past work; ``name`` where it is another file than the one that is open."""
    title = f"**{escape(counts(works))}**" + (f" on {code(name)}" if name else "")
    shown = works[:SHOWN]
    more = len(works) - len(shown)
    rest = [f"*{more} more in the file's history*"] if more else []
    return Told(
        "\n\n".join([title, *(_entry(work, link, now, "") for work in shown), *rest]), tuple(w.id for w in shown)
    )


def document_link(exchange_id: str) -> str:
    """For clients that show ``pastwork:`` documents."""
    return markdown.document_link(_LABEL, exchange_id)


def command_link(exchange_id: str) -> str:
    """For clients that let our own command links through and nobody else's."""
    return f"[{_LABEL}](command:pastwork.openExchange?{quote(json.dumps([exchange_id]))})"


def file_link(path: Path) -> str:
    """For all others: a file of our own, see ``worker/cache.py``."""
    return f"[{_LABEL}](<{path.as_uri()}>)"


def _entry(work: Glance, link: Link, now: datetime, standing: str) -> str:
    context = escape(one_line(work.context, _CONTEXT_WIDTH))
    lines = [f"**{escape(one_line(work.core, _CORE_WIDTH))}**", context, " · ".join(_facts(work, link, now, standing))]
    return "  \n".join(line for line in lines if line)


def _facts(work: Glance, link: Link, now: datetime, standing: str) -> Iterator[str]:
    yield escape(work.agent)
    if when := ago(work.started_at, now):
        yield when
    if work.fix:
        yield "a fix"
    if work.open:
        yield "still at work"
    if standing:
        yield standing
    yield link(work.id)
