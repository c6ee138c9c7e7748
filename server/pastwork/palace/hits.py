"""A stored exchange as the ``Hit`` that every list shows."""

from __future__ import annotations

from pastwork.shapes import Hit, ObjectShape, Snippet, Tokens, Touched, Why
from pastwork.store import paths
from pastwork.store.records import Kept

_NOTHING_FOUND = Why()
_NO_SNIPPET = Snippet()


def hit(
    kept: Kept, score: float = 0.0, why: Why = _NOTHING_FOUND, snippet: Snippet = _NO_SNIPPET, session_note: str = ""
) -> Hit:
    """All but ``kept`` comes from a search; other lists have none of it."""
    return Hit(
        id=kept.id,
        agent=kept.agent,
        session_id=kept.session_id,
        turn=kept.turn,
        prompt=kept.prompt,
        object=object_shape(kept),
        score=score,
        why=why,
        title=kept.title,
        open=kept.open,
        fix=kept.fix,
        started_at=kept.started_at,
        time_source=kept.time_source,
        workspace=kept.workspace,
        branch=kept.branch,
        model=kept.model,
        snippet=snippet,
        tokens=Tokens(kept.tokens_verbatim, kept.tokens_distilled),
        session_note=session_note,
    )


def object_shape(kept: Kept) -> ObjectShape:
    """The palace object with its files relative to the workspace where they lie in it."""
    found = kept.object
    touched = (
        Touched(paths.relative(file.path, kept.workspace) or file.path, file.action) for file in found.files_touched
    )
    return ObjectShape(
        found.exchange_core, found.specific_context, found.room_assignments, tuple(touched), found.distilled_by
    )
