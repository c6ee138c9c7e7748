"""What is logged of a fault: where it happened, never what it was about."""

from __future__ import annotations

import logging
import traceback

log = logging.getLogger("pastwork.lsp")


def log_fault(error: BaseException) -> None:
    """File and line of each step, without the message, which may quote transcripts."""
    steps = "; ".join(
        f"{step.filename}:{step.lineno} {step.name}" for step in traceback.extract_tb(error.__traceback__)
    )
    log.error("%s at %s", type(error).__name__, steps)
