"""Programs of the system that some tests need."""

from __future__ import annotations

import shutil
import subprocess


def works(*command: str) -> bool:
    """Whether the program is there and the command succeeds; it is run."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
