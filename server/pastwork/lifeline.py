"""A child process that never outlives the process that started it, however that one ends.

Two ties: the child's stdin ends when the last holder of its other end is gone (the child watches
that itself), and on Linux the kernel kills the child when the parent dies (``PR_SET_PDEATHSIG``),
even in the middle of a native call.
"""

from __future__ import annotations

import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def tie_to_parent() -> None:
    """The kernel ends this process when its parent ends. Elsewhere than on Linux: nothing."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def alive(pid: int) -> bool:
    """Whether a process of that number runs; True where that can't be told."""
    if os.name == "nt":  # os.kill would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
