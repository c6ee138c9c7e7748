"""Whether file rights mean anything to this process."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest


def _all_powerful() -> bool:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "closed"
        path.touch(mode=0)
        return os.access(path, os.R_OK)


#: Root may read and write anything, and Windows has other rights.
RIGHTS = pytest.mark.skipif(os.name == "nt" or _all_powerful(), reason="rights do not bind this user")
