"""A git repository whose lines' true authors are known: one replayed file among the work of others.

What happens, in order, each step a commit: somebody's older lines (also beside the file, some equal
to lines the session is going to write); the session's own edits; the user's later changes, older
lines moved in from the neighbouring file, pasted copies; a colleague's changes and copies; work of
sessions on other machines, in the colleague's and in the user's name, which writes some of the very
lines that the session wrote and took back. Last, changes that nobody committed.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.quality.anchoring.alterations import altered, copy, typed
from bench.quality.anchoring.labelled import Labelled
from bench.quality.anchoring.truth import Line, informative, squeezed
from pastwork.anchor.remembered import seconds

DAY = 86400.0
USER, COLLEAGUE = "user@example.org", "colleague@example.org"
#: The session's edits are committed in this many commits.
SESSION_COMMITS = 4


@dataclass
class Told:
    """The repository's file today, line by line."""

    file: Path
    lines: list[Line]


class Story:
    """Writes and commits one file in a fresh repository under ``root``."""

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.file, self.old = root, root / name, root / f"old_{name}"
        root.mkdir(parents=True)
        self._git("init", "-q", "-b", "main")
        self._git("config", "user.email", USER)
        self._git("config", "user.name", "User")

    def commit(self, author: str, when: float, lines: Sequence[Line], old: Sequence[str] | None = None) -> None:
        """One commit at a time in seconds; ``old`` are the lines of the neighbouring file."""
        _write(self.file, [line.text for line in lines])
        if old is not None:
            _write(self.old, old)
        self._git("add", "-A")
        stamp = f"{int(when)} +0000"
        self._git("commit", "-q", "--allow-empty", "-m", "work", env={
            "GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": author, "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_NAME": author, "GIT_COMMITTER_EMAIL": author, "GIT_COMMITTER_DATE": stamp,
        })  # fmt: skip

    def _git(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", "-C", str(self.root), *arguments], check=True, env=clean | quiet | (env or {}))


def tell(root: Path, case: Labelled, strangers: Sequence[Line], dice: random.Random) -> Told:
    """Builds the repository; ``strangers`` are lines of other files, for the work of others."""
    story = Story(root, Path(case.path.replace("\\", "/")).name)
    times = [seconds(stored.edit.time) or 0.0 for stored in case.edits]
    begin, end = times[0], times[-1]
    own = [line.text for line in case.lines if line.author and informative(line.text)]
    older = [line.text for line in _sample(strangers, 30, dice)] + dice.sample(own, min(6, len(own)))
    dice.shuffle(older)
    story.commit(COLLEAGUE, begin - 30 * DAY, [Line(text) for text in case.base], older)
    for index in _spread(len(case.states)):
        story.commit(USER, times[index] + 600, case.states[index])
    lines = altered(case.lines, 4, dice)
    story.commit(USER, end + DAY, lines)
    lines = _put(lines, [Line(text) for text in older[:12]], dice)
    story.commit(USER, end + 1.5 * DAY, lines, older[12:])
    lines = altered(lines, 1, dice, (copy,))
    story.commit(USER, end + 2 * DAY, lines)
    lines = altered(lines, 4, dice)
    story.commit(COLLEAGUE, end + 5 * DAY, lines)
    lines = altered(lines, 1, dice, (copy,))
    story.commit(COLLEAGUE, end + 6 * DAY, lines)
    lines = _put(lines, _elsewhere(case, strangers, dice), dice)
    story.commit(COLLEAGUE, end + 7 * DAY, lines)
    lines = _put(lines, _elsewhere(case, strangers, dice), dice)
    story.commit(USER, end + 8 * DAY, lines)
    lines = altered(lines, 2, dice)
    _write(story.file, [line.text for line in lines])
    return Told(story.file, lines)


def _elsewhere(case: Labelled, strangers: Sequence[Line], dice: random.Random) -> list[Line]:
    """Work of a session on another machine: mostly its own lines, some that this session wrote and lost again."""
    standing = {squeezed(line.text) for line in case.lines}
    lost = {line.text for state in case.states for line in state if line.author and squeezed(line.text) not in standing}
    block = [Line(line.text) for line in _sample(strangers, 10, dice)]
    block += [Line(text) for text in sorted(lost)[:3]] + [Line(typed(dice))]
    return block


def _put(lines: list[Line], block: Sequence[Line], dice: random.Random) -> list[Line]:
    at = dice.randint(0, len(lines))
    return [*lines[:at], *(replace(line) for line in block), *lines[at:]]


def _sample(strangers: Sequence[Line], count: int, dice: random.Random) -> list[Line]:
    start = dice.randint(0, max(0, len(strangers) - count))
    return list(strangers[start : start + count])


def _spread(count: int) -> list[int]:
    """Indices of states to commit, the last among them."""
    return sorted({(count - 1) * step // SESSION_COMMITS for step in range(1, SESSION_COMMITS + 1)})


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
