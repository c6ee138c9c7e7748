"""The command that takes a session up again in its own agent."""

from __future__ import annotations

import re

#: Agents whose command line resumes a session by its id, by their own documentation.
_COMMANDS: dict[str, str] = {
    "claude-code": "claude --resume {}",
    "codex": "codex resume {}",
    "copilot-cli": "copilot --resume {}",
    "gemini-cli": "gemini --resume {}",
    "goose": "goose session --resume --session-id {}",
    "opencode": "opencode --session {}",
    "pi": "pi --session {}",
    "qwen-code": "qwen --resume {}",
    "droid": "droid --resume {}",
    "mistral-vibe": "vibe --resume {}",
}
#: Ids come from transcripts: only what no shell gives a meaning to is put into a command.
_PLAIN_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}")


def resume_command(agent: str, session_id: str) -> str | None:
    """None where the agent has no such command or the id is not a plain word."""
    command = _COMMANDS.get(agent)
    return command.format(session_id) if command and _PLAIN_ID.fullmatch(session_id) else None
