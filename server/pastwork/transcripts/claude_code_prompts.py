"""What a person said in a row of a Claude Code transcript, and what only looks like it; pure."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from pastwork.transcripts import not_prompts
from pastwork.transcripts.claude_code_rows import Block, Line, text

#: ``command``: a slash command, a prompt only if the agent works on it; ``echo``: the program's reply to
#: one it ran itself; ``stop``: the person interrupted; ``machine``: a summariser's prompt.
Kind = Literal["prompt", "aside", "command", "echo", "stop", "machine"]

_TAG = re.compile(r"<command-(name|args)>(.*?)</command-\1>", re.DOTALL)
_STOP = "[Request interrupted by user"
_ECHOES = ("<local-command-stdout>", "<local-command-stderr>")
_REJECTED = "the user said:\n"


class Said(Struct, frozen=True):
    kind: Kind
    text: str = ""


def said(line: Line) -> Said | None:
    """What a user row says; None for tool results, notices and everything else no person typed."""
    if line.message is None or line.is_sidechain or _not_human(line):
        return None
    content = line.message.content
    if isinstance(content, list) and any(block.type == "tool_result" for block in content):
        return _beside_result(content)
    whole = _words(content)
    if line.is_meta or line.is_compact_summary or line.is_visible_in_transcript_only:
        return None
    if whole.startswith(_STOP):
        return Said("stop")
    if whole.startswith(_ECHOES):
        return Said("echo")
    if whole.startswith(("<command-name>", "<command-message>")):
        return _command(whole)
    return _prompt(whole)


def queued(prompt: str | list[Block] | None) -> str | None:
    """A prompt typed while the agent works, as the queue holds it."""
    return not_prompts.typed(_words(prompt), not_prompts.CLAUDE_CODE)


def rejection(output: str) -> str | None:
    """What a person answered to a tool call they refused."""
    _, found, words = output.partition(_REJECTED)
    return words.strip() or None if found and "user doesn't want to proceed" in output else None


def _not_human(line: Line) -> bool:
    kind = line.origin.kind if line.origin else None
    return kind not in (None, "human") or line.prompt_source == "system"


def _words(content: str | list[Block] | None) -> str:
    """The typed text; the marks of images only where there is none."""
    if isinstance(content, list):
        return "\n".join(block.text for block in content if block.type == "text" and block.text) or text(content)
    return content or ""


def _beside_result(content: list[Block]) -> Said | None:
    words = "\n".join(block.text for block in content if block.type == "text" and block.text)
    if words.startswith(_STOP):
        return Said("stop")
    typed = not_prompts.typed(words, not_prompts.CLAUDE_CODE)
    return Said("aside", typed) if typed else None


def _command(whole: str) -> Said | None:
    parts = {name: value.strip() for name, value in _TAG.findall(whole)}
    words = parts.get("args") or parts.get("name")
    return Said("command", words) if words else None


def _prompt(whole: str) -> Said | None:
    typed = not_prompts.typed(whole, not_prompts.CLAUDE_CODE)
    if typed is None:
        return None
    return Said("machine" if not_prompts.machine_made(typed) else "prompt", typed)
