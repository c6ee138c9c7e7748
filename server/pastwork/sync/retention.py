"""How long agents keep their transcripts before they delete them."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from pastwork.transcripts.base import Env

#: Claude Code's own default (days).
CLAUDE_DAYS = 30


class _Settings(Struct):
    """The one key of Claude Code's ``settings.json`` that matters here."""

    cleanupPeriodDays: int | None = None  # noqa: N815 the agent's own spelling


def keep_days(agent: str, env: Env) -> int | None:
    """Days after a transcript's last change at which its agent deletes it; None for agents that keep theirs."""
    if agent != "claude-code":
        return None
    chosen = env.variables.get("CLAUDE_CONFIG_DIR")
    folder = env.home.joinpath(chosen) if chosen else env.home / ".claude"
    try:
        found = msgspec.json.decode((folder / "settings.json").read_bytes(), type=_Settings)
    except (OSError, msgspec.DecodeError, RecursionError):
        return CLAUDE_DAYS
    return CLAUDE_DAYS if found.cleanupPeriodDays is None else found.cleanupPeriodDays
