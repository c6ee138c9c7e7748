"""Palace objects packed into a token budget, ready for an agent's prompt.

In: exchanges, the most useful first. Out: one line each under the day it was, as many as fit; what is
nearly the same is told once. What is handed over is recorded text: it stands between marks that carry
a nonce, so that no text inside can close them, and the opening mark says what is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from pastwork.distill.redact import redact_all
from pastwork.errors import BadUsage
from pastwork.palace.alike import folded
from pastwork.palace.brief import brief
from pastwork.palace.projects import Projects
from pastwork.palace.show import find
from pastwork.shapes import ContextAnswer
from pastwork.store.reader import StoreReader
from pastwork.store.records import Kept
from pastwork.untrusted import closing, opening

if TYPE_CHECKING:
    from pastwork.palace.search import Typed

#: Texts in, tokens of each out; white space is no token, so that a text's are its lines'.
Count = Callable[[Sequence[str]], list[int]]
Form = Literal["text", "markdown"]
#: Less holds little but the marks.
LEAST = 150
#: Exchanges sorted by file or room at the most.
MANY = 10_000
HOW = (
    "an exchange a line: id, what was done; detail [files changed]; read_exchange or `pastwork show` tells all of an id"
)
#: A line of less than so many tokens is rare (the corpus' average is about 50), and so many lines may be folded.
SHORTEST, LOOKED = 12, 60
#: Numbers in the opening mark may take so many tokens more than they were taken to.
_SPARE = 6


class Tokenizer(Struct, frozen=True):
    """``name`` says in the answer what counted."""

    name: str
    count: Count


#: For a pack of no exchange, which is empty whatever counts.
NOTHING_TO_COUNT = Tokenizer("", lambda texts: [0] * len(texts))


class Packing(Struct, frozen=True):
    """How to pack; ``rest`` says what the exchanges behind the last line are: ``older``, ``weaker matches``."""

    budget: int
    form: Form = "text"
    rest: str = "older"
    tokenizer: Tokenizer = NOTHING_TO_COUNT
    nonce: str = ""
    masking: bool = True


class _Line(Struct, frozen=True):
    """One line and the heading it stands under; ``same`` exchanges are told by it."""

    id: str
    heading: str
    text: str
    same: int


def named(store: StoreReader, ids: Sequence[str]) -> list[Kept]:
    """The exchanges of these ids, each once, in this order. Raises NotFound."""
    found = [find(store, exchange_id) for exchange_id in ids]
    return list({kept.row: kept for kept in found}.values())


def likely(budget: int) -> int:
    """How many exchanges are worth a look: more than any budget of that size has held."""
    return LOOKED + budget // SHORTEST


def rest(asked: Typed) -> str:
    """What the exchanges are that did not fit."""
    if asked.query.words:
        return "weaker matches"
    return "with less to do with it" if asked.filters.file or asked.filters.room else "older"


def pack(
    found: Sequence[Kept], short: dict[str, str], packing: Packing, beyond: int = 0, notes: tuple[str, ...] = ()
) -> ContextAnswer:
    """As many of ``found``, in order, as the budget holds; ``short`` are their short ids.

    ``beyond`` more were not looked at and count as left out. Raises BadUsage for a budget that holds nothing.
    """
    if packing.budget < LEAST:
        raise BadUsage(f"a budget of {packing.budget} tokens holds nothing", f"Use at least {LEAST}.")
    every = len(found) + beyond
    projects = Projects.of(found, packing.masking)
    begin = [_head(every, packing), *_begin(projects, packing.form)]
    taken, used = _fitting(list(_lines(found, short, projects, packing)), begin, packing)
    told = sum(line.same for line in taken)
    begin[0] = _head(every - told, packing)
    used += sum(packing.tokenizer.count([*begin, closing(packing.nonce)]))
    if found and not taken:
        notes = (*notes, f"no exchange fits into {packing.budget} tokens")
    return ContextAnswer(
        budget=packing.budget,
        used=used if taken else 0,
        exchanges=told,
        left_out=every - told,
        text="\n".join([*begin, *_body(taken), *_end(packing)]) if taken else "",
        tokenizer=packing.tokenizer.name,
        notes=notes,
        folded=told - len(taken),
        ids=tuple(line.id for line in taken),
    )


def _fitting(lines: Sequence[_Line], begin: Sequence[str], packing: Packing) -> tuple[list[_Line], int]:
    """The lines that fit in order (a shorter one may fit where a longer did not), and their tokens."""
    headings = list(dict.fromkeys(line.heading for line in lines))
    frame = [*begin, closing(packing.nonce)]
    counts = packing.tokenizer.count([*frame, *headings, *(line.text for line in lines)])
    room = packing.budget - sum(counts[: len(frame)]) - _SPARE
    price = dict(zip(headings, counts[len(frame) :], strict=False))
    taken: list[_Line] = []
    used = 0
    for line, tokens in zip(lines, counts[len(frame) + len(headings) :], strict=True):
        new = not taken or line.heading != taken[-1].heading
        cost = tokens + (price[line.heading] if new else 0)
        if used + cost <= room:
            taken.append(line)
            used += cost
    return taken, used


def _lines(found: Sequence[Kept], short: dict[str, str], projects: Projects, packing: Packing) -> Iterator[_Line]:
    """One for each group of near-duplicates, where its first stands."""
    told = [brief(kept.object, kept.prompt) for kept in found]
    if packing.masking:
        told = redact_all(told)
    first = folded(told)
    same = Counter(first)
    for place, kept in enumerate(found):
        if first[place] == place:
            heading = _heading((kept.started_at or "undated")[:10], projects.of_exchange(kept), packing.form)
            yield _Line(kept.id, heading, _line(short[kept.id], told[place], same[place], packing.form), same[place])


def _begin(projects: Projects, form: Form) -> list[str]:
    """Where most of it was, so that headings need not say it."""
    if not projects.most:
        return []
    from pastwork.markdown import escape

    if form == "markdown":
        return ["", f"In {escape(projects.most)}, where no other project is named."]
    return [f"in {projects.most}, where no other project is named"]


def _line(short: str, told: str, same: int, form: Form) -> str:
    more = f" (+{same - 1} alike)" if same > 1 else ""
    if form == "markdown":
        from pastwork.markdown import escape

        return f"- `{short}` {escape(told)}{more}"
    return f"{short} {told}{more}"


def _heading(day: str, place: str, form: Form) -> str:
    if form == "markdown":
        from pastwork.markdown import escape

        return f"\n**{day}** {escape(place)}".rstrip() + "\n"
    return f"{day} {place}".rstrip()


def _head(left: int, packing: Packing) -> str:
    more = {"left_out": f"{left} {packing.rest}"} if left else {}
    return opening(packing.nonce, {"how": HOW, **more})


def _end(packing: Packing) -> list[str]:
    return [*([""] if packing.form == "markdown" else []), closing(packing.nonce)]


def _body(lines: Sequence[_Line]) -> Iterator[str]:
    heading = None
    for line in lines:
        if line.heading != heading:
            yield line.heading
        heading = line.heading
        yield line.text
