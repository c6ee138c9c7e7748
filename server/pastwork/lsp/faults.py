"""What is logged of a fault: where it happened, never what it was about."""

from __future__ import annotations

import asyncio
import logging
import traceback
from typing import Any

log = logging.getLogger("pastwork.lsp")


def log_fault(error: BaseException) -> None:
    """File and line of each step, without the message, which may quote transcripts."""
    steps = "; ".join(
        f"{step.filename}:{step.lineno} {step.name}" for step in traceback.extract_tb(error.__traceback__)
    )
    log.error("%s at %s", type(error).__name__, steps)


def log_loop_fault(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """For ``loop.set_exception_handler``: background work whose fault nobody waits for."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        log_fault(error)
    else:
        log.error("%s", context.get("message"))
