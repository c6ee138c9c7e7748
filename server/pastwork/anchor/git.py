"""Git asked read-only, by a repository that may be hostile: nothing it configures is ever run.

In: a folder and arguments. Out: what git printed, or None where there is no answer (no git, no
repository, a timeout, an owner git does not trust). For the background only: a call may take seconds.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

#: Settings that would make git run programs or follow hooks.
_HARMLESS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.quotePath=false",
    "core.untrackedCache=false",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}


class Git(Struct, frozen=True):
    """One working tree: ``root`` its top folder, ``variables`` the process environment, ``timeout`` in seconds."""

    root: Path
    variables: Mapping[str, str]
    timeout: float = 20.0

    @classmethod
    def around(cls, file: Path, variables: Mapping[str, str] | None = None, timeout: float = 20.0) -> Git | None:
        """The tree that ``file`` lies in, found without running git; None outside of one."""
        root = next((folder for folder in file.parents if os.path.lexists(folder / ".git")), None)
        return None if root is None else cls(root, os.environ if variables is None else variables, timeout)

    def head(self) -> str | None:
        """The current commit."""
        found = self.ask(["rev-parse", "--verify", "--quiet", "HEAD"])
        return found.decode().strip() if found else None

    def ask(self, arguments: Sequence[str]) -> bytes | None:
        """Git's output; None where it failed, is not installed, or took too long."""
        settings = [part for setting in _HARMLESS for part in ("-c", setting)]
        command = ["git", "--no-pager", *settings, "-C", str(self.root), *arguments]
        try:
            done = subprocess.run(  # a list, no shell, and git only
                command,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=self.timeout,
                check=False,
                env=self._environment(),
            )
        except (OSError, subprocess.TimeoutExpired, ValueError):
            return None
        return done.stdout if done.returncode == 0 else None

    def _environment(self) -> dict[str, str]:
        """Without variables that point git elsewhere or make it run or log something."""
        return {name: value for name, value in self.variables.items() if not name.startswith("GIT_")} | _ENVIRONMENT
