"""The kind of work an exchange was, from a small closed list, by rules on the prompt and the deeds."""

from __future__ import annotations

import re

from pastwork.distill.text import Reading
from pastwork.model import Room

#: Key, label, and what the prompt (first 400 characters) or the commands say.
_PROMPT: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("merge_conflict", "merge conflicts", re.compile(r"\b(?:merge|rebase) conflicts?|\bconflicts? (?:in|with)\b", re.IGNORECASE)),
    ("release", "release", re.compile(r"\b(?:release|publish|changelog|bump (?:the )?version|cut a (?:new )?version|tag v?\d)\b", re.IGNORECASE)),
    ("review", "review", re.compile(r"\b(?:code review|review(?:er|ed|ing)?|observations?|feedback|pr comments?|nits?)\b", re.IGNORECASE)),
    ("refactoring", "refactoring", re.compile(r"\b(?:refactor\w*|rename|extract|move .{1,40} (?:in)?to|dedup\w*|simplif\w+|clean ?up|dead code)\b", re.IGNORECASE)),
    ("testing", "testing", re.compile(r"\b(?:(?:add|write|run|more|unit|integration|e2e|missing) tests?|test coverage|tests? for)\b", re.IGNORECASE)),
    ("debugging", "debugging", re.compile(r"\b(?:debug\w*|bug|why (?:is|does|did|are|do|isn't|doesn't)|error|fail\w*|crash\w*|broken|not work\w*|investigate)\b", re.IGNORECASE)),
    ("documentation", "documentation", re.compile(r"\b(?:docs?|documentation|readme|docstrings?|comments?)\b", re.IGNORECASE)),
    ("planning", "planning", re.compile(r"\b(?:plan|design|proposal|approach|architecture|brainstorm|spec)\b", re.IGNORECASE)),
    ("dependencies", "dependencies", re.compile(r"\b(?:upgrade|dependenc\w+|go mod|npm (?:install|update)|pip install|lockfile)\b", re.IGNORECASE)),
    ("version_control", "version control", re.compile(r"\b(?:commit|push|pull request|\bpr\b|branch|rebase|merge)\b", re.IGNORECASE)),
)  # fmt: skip
_COMMANDS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("release", "release", re.compile(r"\b(?:npm publish|twine upload|gh release|goreleaser|cargo publish)\b")),
    (
        "version_control",
        "version control",
        re.compile(r"\bgit (?:commit|push|rebase|merge)\b|\bgh pr (?:create|merge)\b"),
    ),
)


def workflow(reading: Reading) -> Room | None:
    """The workflow room, or None where no rule is sure."""
    prompt = reading.prompt[:400]
    for key, label, pattern in _PROMPT:
        if pattern.search(prompt):
            return Room("workflow", key, label, 0.6)
    ran = "\n".join(reading.commands)[:4_000]
    for key, label, pattern in _COMMANDS:
        if pattern.search(ran):
            return Room("workflow", key, label, 0.4)
    return None
