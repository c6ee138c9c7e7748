"""Small git repositories with given dates and authors, for tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

USER, COLLEAGUE = "user@example.org", "colleague@example.org"
NOON = 1_772_366_400  # 2026-03-01T12:00:00Z
DAY = 86_400


class Repository:
    """``root`` is made; the user's address is USER."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", USER)
        self.git("config", "user.name", "User")

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def commit(self, when: int = NOON, author: str = USER, committed: int | None = None) -> str:
        """Commits everything; gives the commit."""
        names = {
            "GIT_AUTHOR_NAME": author,
            "GIT_AUTHOR_EMAIL": author,
            "GIT_AUTHOR_DATE": f"{when} +0000",
            "GIT_COMMITTER_NAME": author,
            "GIT_COMMITTER_EMAIL": author,
            "GIT_COMMITTER_DATE": f"{when if committed is None else committed} +0000",
        }
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "work", env=names)
        return self.git("rev-parse", "HEAD").strip()

    def git(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments],
            check=True,
            capture_output=True,
            text=True,
            env=clean | quiet | (env or {}),
        )
        return done.stdout
