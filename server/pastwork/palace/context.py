"""Palace objects packed into a token budget, ready for an agent's prompt.

In: exchanges, the most useful first. Out: one line each, as many as fit. What is handed over is
recorded text: it stands between marks that carry a nonce, so that no text inside can close them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from pastwork.errors import BadUsage
from pastwork.marks import one_line
from pastwork.palace.show import find
from pastwork.shapes import ContextAnswer
from pastwork.store import paths
from pastwork.store.reader import StoreReader
from pastwork.store.records import Kept
from pastwork.untrusted import closing, opening

#: Texts in, tokens of each out.
Count = Callable[[Sequence[str]], list[int]]
#: Less holds nothing but the marks.
LEAST = 100
#: Exchanges looked at unless a limit is given: more than a large budget holds.
MANY = 5_000
#: Files named in a line.
_FILES = 4


class Tokenizer(Struct, frozen=True):
    """``name`` says in the answer what counted."""

    name: str
    count: Count


#: For a pack of no exchange, which is empty whatever counts.
NOTHING_TO_COUNT = Tokenizer("", lambda texts: [0] * len(texts))


def named(store: StoreReader, ids: Sequence[str]) -> list[Kept]:
    """The exchanges of these ids, each once, in this order. Raises NotFound."""
    found = [find(store, exchange_id) for exchange_id in ids]
    return list({kept.row: kept for kept in found}.values())


def pack(found: Sequence[Kept], budget: int, tokenizer: Tokenizer, nonce: str, notes: tuple[str, ...]) -> ContextAnswer:
    """As many lines of ``found``, in order, as the budget holds. Raises BadUsage for a budget that holds nothing."""
    if budget < LEAST:
        raise BadUsage(f"a budget of {budget} tokens holds nothing", f"Use at least {LEAST}.")
    head, tail = opening(nonce), closing(nonce)
    lines = [line(kept) for kept in found]
    counts = tokenizer.count([head, tail, *lines])
    used, taken = counts[0] + counts[1], []
    for text, tokens in zip(lines, counts[2:], strict=True):
        if used + tokens <= budget:
            taken.append(text)
            used += tokens
    text = "\n".join([head, *taken, tail]) if taken else ""
    left_out = len(lines) - len(taken)
    return ContextAnswer(budget, used if taken else 0, len(taken), left_out, text, tokenizer.name, notes)


def line(kept: Kept) -> str:
    """``2026-01-24 9f2c0a1b44d07e35 core; context [src/auth.py]``."""
    found = kept.object
    changed = [file for file in found.files_touched if file.action in ("edited", "created", "deleted")]
    names = [paths.relative(file.path, kept.workspace) or file.path for file in changed[:_FILES]]
    more = f" +{len(changed) - _FILES}" if len(changed) > _FILES else ""
    about = "; ".join(part for part in (found.exchange_core, found.specific_context) if part) or kept.prompt
    files = f" [{', '.join(names)}{more}]" if names else ""
    return one_line(f"{(kept.started_at or 'undated')[:10]} {kept.id} {about}{files}")
