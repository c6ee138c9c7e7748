"""Hits of one session in a ranked list: each stays at its rank and says which hit above it belongs with.

Nothing is moved: to list them together costs .004 to .016 MRR (bench/quality/results, "Hits of one session").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pastwork.marks import one_line
from pastwork.store.records import Kept

#: Said of a hit right beneath one of its session.
BENEATH = "↳ same session"
#: Characters of the best hit's core that the others name.
WIDTH = 40


def session_notes(ranked: Iterable[Kept]) -> Iterator[str]:
    """For each exchange what it has to do with those above it; "" for the first of its session."""
    best: dict[tuple[str, str], str] = {}
    before = None
    for kept in ranked:
        session = kept.agent, kept.session_id
        if session == before:
            yield BENEATH
        elif session in best:
            yield f"same session as “{best[session]}”"
        else:
            best[session] = one_line(kept.object.exchange_core or kept.prompt, WIDTH)
            yield ""
        before = session
