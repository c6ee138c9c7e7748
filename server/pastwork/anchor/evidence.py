"""What git knows of the open files, asked in the background and kept until HEAD moves.

A question waits for git only so long; what came too late is there for the next one. Everything git
says is about one commit, so nothing is asked twice while HEAD and the user's settings stay.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Lock, Thread
from typing import Generic, TypeVar

from msgspec import Struct

from pastwork.anchor.blame import asked, witness
from pastwork.anchor.gather import Name
from pastwork.anchor.git import Git
from pastwork.anchor.renames import earlier_names
from pastwork.anchor.witness import Witness

#: Files whose answers are kept.
MOST_FILES = 64

T = TypeVar("T")
#: When these files of a git folder are as they were, HEAD and the user's address are, too.
Stamp = tuple[tuple[str, int, int], ...]


class Known(Struct, Generic[T], frozen=True):
    """An answer, or None where git has none; ``settled`` says that waiting longer would not change it."""

    value: T | None
    settled: bool


class Evidence:
    """``variables`` is the process environment; a question waits at most ``patience`` seconds."""

    def __init__(self, variables: Mapping[str, str], patience: float) -> None:
        self.variables = variables
        self.patience = patience
        self._turn = Lock()
        self._asked: OrderedDict[tuple[str, str, Stamp], Future[object]] = OrderedDict()

    def names(self, file: Path) -> Known[tuple[Name, ...]]:
        """The earlier names of a file."""
        return self._known("names", file, earlier_names)

    def witness(self, file: Path) -> Known[Witness]:
        """Who git says made its lines."""
        return self._known("witness", file, _witness)

    def close(self) -> None:
        """Forgets all answers; a git that runs is left to end by its own timeout, and holds nobody up."""
        self._asked.clear()

    def _known(self, what: str, file: Path, question: Callable[[Git, Path], T | None]) -> Known[T]:
        git = Git.around(file, self.variables)
        if git is None:
            return Known(None, settled=True)
        name = (what, str(file), _stamp(git.root))
        found = self._asked.get(name)
        if found is None:
            found = self._asked[name] = self._ask(question, git, file)
            if len(self._asked) > MOST_FILES:
                self._asked.popitem(last=False)
        self._asked.move_to_end(name)
        try:
            return Known(found.result(self.patience), settled=True)  # type: ignore[arg-type]
        except TimeoutError:
            return Known(None, settled=False)

    def _ask(self, question: Callable[[Git, Path], T | None], git: Git, file: Path) -> Future[object]:
        """In a thread that the process does not wait for when it ends; one git at a time."""
        future: Future[object] = Future()

        def answer() -> None:
            with self._turn:
                try:
                    future.set_result(question(git, file))
                except Exception as error:  # noqa: BLE001 - handed to whoever asked, whatever it is
                    future.set_exception(error)

        Thread(target=answer, name="pastwork-git", daemon=True).start()
        return future


def _witness(git: Git, file: Path) -> Witness | None:
    found = asked(git, file)
    return None if found is None else witness(git, found)


def _stamp(root: Path) -> Stamp:
    """Size and time of the files that change whenever HEAD or the settings do.

    Without a log of HEAD the index stands in: it changes with every commit, if also without one.
    """
    folder = git_folder(root / ".git")
    marks: list[tuple[str, int, int]] = []
    logged = (folder / "logs/HEAD").exists()
    for name in ("HEAD", "logs/HEAD" if logged else "index", "config"):
        try:
            found = (folder / name).stat()
        except OSError:
            continue
        marks.append((name, found.st_size, found.st_mtime_ns))
    return tuple(marks)


def git_folder(pointer: Path) -> Path:
    """The folder behind ``.git``: itself, or where a worktree's or submodule's ``.git`` file leads."""
    try:
        line = pointer.read_text(encoding="utf-8", errors="replace") if pointer.is_file() else ""
    except OSError:
        line = ""
    if not line.startswith("gitdir:"):
        return pointer
    return Path(os.path.normpath(pointer.parent / line.removeprefix("gitdir:").strip()))
