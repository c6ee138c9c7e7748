"""The distiller's request to a language model, and how to know one again.

Pure text. ``is_own`` finds distilling requests (ours or another tool's of the same schema) inside
transcripts, so that they never come back as exchanges.
"""

from __future__ import annotations

#: First line of every request; the number is the prompt's version and part of ``distilled_by``.
VERSION = 1
SIGNATURE = f"[pastwork distiller {VERSION}]"
_FIELDS = ("exchange_core", "specific_context", "room_assignments", "files_touched")


def is_own(prompt: str) -> bool:
    """Whether a prompt asks to distil an exchange into the palace schema."""
    head = prompt[:20_000]
    if "[pastwork distiller " in head[:400]:
        return True
    lowered = head.lower()
    return (
        all(field in lowered for field in _FIELDS)
        and "exchange" in lowered.replace("exchange_core", "")
        and any(mark in lowered for mark in ("<transcript", "<exchange", "following", "json"))
        and any(verb in lowered[:400] for verb in ("summari", "distil", "extract", "compress", "condense"))
    )
