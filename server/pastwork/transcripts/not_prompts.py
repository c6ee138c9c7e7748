"""Text that stands where prompts stand but was not typed by a person, as data; pure.

``typed`` takes the envelopes off a message and gives what a person wrote, or None. Each agent's
reader adds its own beginnings to ``COMMON``.
"""

from __future__ import annotations

import re

#: Beginnings that any agent's transcript may hold.
COMMON: tuple[str, ...] = (
    "<system-reminder>",
    "<task-notification>",
    "<environment_context>",
    "<user_instructions>",
    "<hook_prompt>",
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
)

#: Claude Code, versions 1.0 to 2.1: echoes of commands, notices, expanded skills, hooks' words.
CLAUDE_CODE: tuple[str, ...] = (
    *COMMON,
    "<local-command-",
    "<command-contents>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<user-memory-input>",
    "<teammate-message",
    "Caveat: The messages below",
    "Base directory for this skill:",
    "Operation stopped by hook:",
    "Stop hook feedback:",
)

#: Codex, all eras: what the program itself says in the user's role.
CODEX: tuple[str, ...] = (
    *COMMON,
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<recommended_plugins>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<personality_spec>",
    "<model_switch>",
    "<INSTRUCTIONS>",
)

#: Cursor: context that its agent puts into user messages of their own.
CURSOR: tuple[str, ...] = (
    *COMMON,
    "<user_info>",
    "<git_status>",
    "<open_and_recently_viewed_files>",
    "<project_layout>",
    "<rules>",
    "<system_reminder>",
    "<timestamp>",
)

#: Gemini CLI and its kin: the context that opens a session, and contents of files that a prompt refers to.
GEMINI: tuple[str, ...] = (
    *COMMON,
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context",
    "This is the Qwen Code. We are setting up the context",
    "<qwen:user-prompt-submit-context>",
)

#: SpecStory: whatever the recorded agents have, with Claude Code's commands as it echoes them.
SPECSTORY: tuple[str, ...] = (
    *CLAUDE_CODE,
    *CODEX,
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<session_context>",
)

#: Codex in an editor: context comes first, the person's words after this line.
CODEX_REQUEST = "## My request for Codex:"

_ENVELOPE = re.compile(
    r"\s*<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics|post-tool-use-hook)[ >]", re.IGNORECASE
)
_REMINDER = ("<system-reminder>", "</system-reminder>")

#: The four fields of a palace object: a distiller asks for all of them.
_DISTILLER = ("exchange_core", "specific_context", "room_assignments", "files_touched")
#: Summarisers that ask memory tools to leave their sessions alone.
_LEAVE_ALONE = "DO NOT INDEX THIS CHAT"
_SUMMARISE = re.compile(
    r"\s*(?:please\s+)?(?:summari[sz]e|distil+|condense|compress|extract|analy[sz]e)\b[^\n]{0,80}?"
    r"\b(?:conversation|exchange|transcript|session|dialogue|chat)\b",
    re.IGNORECASE,
)
_FORMAT = re.compile(r"\bJSON\b|</?summary>", re.IGNORECASE)
_QUOTED = re.compile(r"<(?:transcript|conversation|exchange|session)>", re.IGNORECASE)
_ROLES = (
    re.compile(r"^(?:user|human)\s?:", re.IGNORECASE | re.MULTILINE),
    re.compile(r"^(?:agent|assistant|ai)\s?:", re.IGNORECASE | re.MULTILINE),
)
#: What is asked for stands at a summariser's beginning.
_HEAD = 2000


def typed(text: str, beginnings: tuple[str, ...] = COMMON) -> str | None:
    """What a person typed, without envelopes and outer white space; None where nothing is left."""
    while (found := _ENVELOPE.match(text)) and (end := text.find(f"</{found[1]}>")) >= 0:
        text = text[end + len(found[1]) + 3 :]
    text = text.strip()
    while text.endswith(_REMINDER[1]) and (start := text.rfind(_REMINDER[0])) > 0:
        text = text[:start].rstrip()
    return None if not text or text.startswith(beginnings) else text


def machine_made(text: str) -> bool:
    """Whether a summariser (this tool's or another's) wrote the prompt: its session must not be remembered.

    It asks for a summary of a conversation (or for a palace object's fields) in a format that
    programs read, and quotes the conversation; a person's prompt hardly does all three.
    """
    head = text[:_HEAD]
    if _LEAVE_ALONE in head:
        return True
    asks = _SUMMARISE.match(head) or all(field in head for field in _DISTILLER)
    return bool(asks and _FORMAT.search(head) and _quotes(text))


def _quotes(text: str) -> bool:
    return bool(_QUOTED.search(text)) or all(role.search(text) for role in _ROLES)
