"""Resident memory of processes, from the operating system's own accounting."""

from __future__ import annotations

from pathlib import Path

import psutil


def resident_mb(pid: int) -> float:
    """Resident megabytes (10^6 bytes) of one process now."""
    return float(psutil.Process(pid).memory_info().rss) / 1e6


def family(pid: int) -> dict[str, float]:
    """Resident megabytes of a process and of its children, by what they run."""
    root = psutil.Process(pid)
    out = {"server": resident_mb(pid)}
    for child in root.children(recursive=True):
        words = " ".join(child.cmdline())
        name = next((part for part in ("pastwork.worker", "pastwork.sync") if part in words), Path(child.name()).name)
        out[name.removeprefix("pastwork.")] = resident_mb(child.pid)
    return out
