"""The kind of work an exchange was, from a small closed list, by rules on the prompt and the deeds."""

from __future__ import annotations

import re

from pastwork.distill.text import Reading
from pastwork.model import Room


def _said(pattern: str) -> re.Pattern[str]:
    """For text in lower case."""
    return re.compile(rf"\b(?:{pattern})\b")


#: Key and what the prompt's first 400 characters say; the first that matches counts.
_PROMPT: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("merge conflicts", _said(r"(?:merge|rebase) conflicts?|conflicts? (?:in|with)")),
    ("release", _said(r"release|publish|changelog|bump (?:the )?version|cut a (?:new )?version|tag v?\d\S*")),
    ("review", _said(r"code review|review(?:er|ed|ing)?|observations?|feedback|pr comments?|nits?")),
    (
        "refactoring",
        _said(r"refactor\w*|rename|extract|move .{1,40} (?:in)?to|dedup\w*|simplif\w+|clean ?up|dead code"),
    ),
    ("testing", _said(r"(?:add|write|run|more|unit|integration|e2e|missing) tests?|test coverage|tests? for")),
    (
        "debugging",
        _said(
            r"debug\w*|bugs?|why (?:is|does|did|are|do|isn't|doesn't)|errors?|fail\w*|crash\w*|broken|not work\w*"
            r"|investigate"
        ),
    ),
    ("documentation", _said(r"docs?|documentation|readme|docstrings?|comments?")),
    ("planning", _said(r"plan|design|proposal|approach|architecture|brainstorm|spec")),
    ("dependencies", _said(r"upgrade|dependenc\w+|go mod|npm (?:install|update)|pip install|lockfile")),
    ("version control", _said(r"commit|push|pull request|pr|branch|rebase|merge")),
)
#: The same of the commands that were run.
_COMMANDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("release", _said(r"npm publish|twine upload|gh release|goreleaser|cargo publish")),
    ("version control", _said(r"git (?:commit|push|rebase|merge)|gh pr (?:create|merge)")),
)


def workflow(reading: Reading) -> Room | None:
    """The workflow room, or None where no rule is sure."""
    ran = "\n".join(reading.commands)[:1_500].lower()
    for rules, text, relevance in ((_PROMPT, reading.prompt[:400].lower(), 0.6), (_COMMANDS, ran, 0.4)):
        for label, pattern in rules:
            if pattern.search(text):
                return Room("workflow", label.replace(" ", "_"), label, relevance)
    return None
