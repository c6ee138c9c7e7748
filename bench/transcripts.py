"""What reading transcripts reaches: ``python -m bench.transcripts --home HOME [--scan DIR] --readme FILE``.

Writes ``bench/results/<date>-transcripts.md``. Reading rates are those of one process on one core: bytes
of all transcripts of an agent divided by the seconds of processor time that its reader takes over them,
the best of three passes. Memory is the peak of a process that reads a session of 600 MB less that of one
that reads 1 kB. ``--readme`` is a Markdown table of counts by somebody else's reader: agent, layout,
sessions, exchanges.

The long runs are pytest's; their figures come from the files that it leaves:

    pytest -m soak -o junit_family=xunit1 --junitxml damage.xml tests/transcripts
    pytest -m soak -o junit_family=xunit1 --junitxml live.xml tests/sync/test_soak.py
    python -m bench.transcripts … --damage damage.xml --live live.xml
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from pastwork.model import Problem
from pastwork.transcripts.base import Env, Reader, Source, Turn
from pastwork.transcripts.registry import READERS, reader_of

ROOT = Path(__file__).resolve().parent.parent
PASSES = 3
BIG = 600_000_000
#: How the agents are called in the table of others' counts.
NAMES = {"Claude Code": "claude-code", "Codex": "codex", "Copilot CLI": "copilot-cli", "Cursor": "cursor"}
_ROW = re.compile(r"^\| (?P<agent>[^|]+?) \| `[^|]*\| (?P<sessions>\d+)[^|]*\| (?P<exchanges>[\d,]+) \|", re.MULTILINE)


@dataclass(frozen=True)
class Rate:
    """One agent's transcripts, read by one core."""

    agent: str
    files: int
    size: int
    seconds: float
    sessions: int
    exchanges: int
    edits: int
    problems: int

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return self.size / 1e6 / self.seconds


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--scan", type=Path, action="append", default=[])
    parser.add_argument("--readme", type=Path, help="counts by another reader")
    parser.add_argument("--damage", type=Path, action="append", default=[], help="junit file of the damage run")
    parser.add_argument("--live", type=Path, action="append", default=[], help="junit file of the live run")
    parser.add_argument("--peak", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.peak:
        print(_peak(given.peak))
        return
    env = Env(given.home, {}, scans=tuple(given.scan))
    parts = [_heading(), *_memory(), *_rates(env, given.readme), *_damage(given.damage), *_live(given.live)]
    path = ROOT / "bench" / "results" / f"{datetime.now(UTC):%Y-%m-%d}-transcripts.md"
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(path)


def _heading() -> str:
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    machine += f", load {os.getloadavg()[0]:.0f}"
    return f"# Reading transcripts, {datetime.now(UTC):%Y-%m-%d}\n\n`python -m bench.transcripts`; {machine}.\n"


def _rates(env: Env, readme: Path | None) -> Iterator[str]:
    found = [rate for reader in READERS if (rate := _rate(reader, env)) is not None]
    theirs = _counted(readme.read_text(encoding="utf-8")) if readme else {}
    yield "## Rate and counts\n"
    yield "| agent | files | MB | MB/s | sessions | exchanges | edits | problems | by another reader |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for rate in found:
        other = theirs.get(rate.agent)
        said = f"{other[0]}, {other[1]:,}" if other else ""
        yield (
            f"| {rate.agent} | {rate.files} | {rate.size / 1e6:.1f} | {rate.speed:.0f} | {rate.sessions}"
            f" | {rate.exchanges:,} | {rate.edits:,} | {rate.problems} | {said} |"
        )
    total = sum(rate.size for rate in found) / 1e6
    seconds = sum(rate.seconds for rate in found)
    yield f"| all | {sum(rate.files for rate in found)} | {total:.1f} | **{total / seconds:.0f}** | | | | | |\n"
    yield 'The rule behind each difference of counts is in docs/agents.md, "Counts on the shared corpus".\n'


def _rate(reader: Reader, env: Env) -> Rate | None:
    sources = list(reader.locate(env))
    if not sources:
        return None
    passes = [_pass(reader, sources) for _ in range(PASSES)]
    seconds = min(each[0] for each in passes)
    items = passes[0][1]
    exchanges = {item.exchange.id: item.exchange for item in items if isinstance(item, Turn)}
    return Rate(
        reader.agent,
        sum(1 + len(source.parts) for source in sources),
        sum(path.stat().st_size for source in sources for path in (source.path, *source.parts)),
        seconds,
        len({each.session_id for each in exchanges.values()}),
        len(exchanges),
        sum(len(each.edits) for each in exchanges.values()),
        sum(isinstance(item, Problem) for item in items),
    )


def _pass(reader: Reader, sources: Iterable[Source]) -> tuple[float, list[object]]:
    begun = time.process_time()
    items: list[object] = [item for source in sources for item in reader.read(source)]
    return time.process_time() - begun, items


def _counted(text: str) -> dict[str, tuple[int, int]]:
    """Sessions and exchanges by agent, from a Markdown table."""
    return {
        NAMES.get(found["agent"], found["agent"].lower()): (
            int(found["sessions"]),
            int(found["exchanges"].replace(",", "")),
        )
        for found in _ROW.finditer(text)
    }


def _memory() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        small, big = Path(folder, "small.jsonl"), Path(folder, "big.jsonl")
        size = _session(big, BIG)
        _session(small, 0)
        before, after, seconds = _measured(small)[0], *_measured(big)
    yield "## Memory\n"
    yield (
        f"A session of {size / 1e6:.0f} MB (records of 200 kB that say nothing, an exchange at each end) adds"
        f" {(after - before) / 1024:.1f} MiB to the {before / 1024:.1f} MiB of a process that reads 1 kB, and takes"
        f" {seconds:.1f} s.\n"
    )


def _session(path: Path, size: int) -> int:
    """A Claude Code session of about that size; its bytes."""
    noise = json.dumps({"type": "file-history-snapshot", "snapshot": {"files": {"a": "x" * 200_000}}}).encode() + b"\n"
    with path.open("wb") as file:
        for number in range(2):
            for kind, words in (("user", f"topic {number}"), ("assistant", f"about topic {number}")):
                row = {
                    "type": kind,
                    "uuid": f"{kind}-{number:020}",
                    "cwd": "/w",
                    "message": {"role": kind, "content": words},
                }
                file.write(json.dumps(row).encode() + b"\n")
            if number == 0:
                for _ in range(size // len(noise)):
                    file.write(noise)
    return path.stat().st_size


def _measured(path: Path) -> tuple[int, float]:
    """Kilobytes and seconds of a process that reads a transcript."""
    begun = time.monotonic()
    command = [sys.executable, "-m", "bench.transcripts", "--home", "/", "--peak", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout), time.monotonic() - begun


def _peak(path: Path) -> int:
    reader = reader_of("claude-code")
    assert reader is not None
    found = sum(isinstance(item, Turn) for item in reader.read(Source("claude-code", path)))
    assert found == 2, found
    status = Path("/proc/self/status").read_text(encoding="utf-8")  # getrusage would count the parent's, too
    return int(status.partition("VmHWM:")[2].split()[0])


def _damage(runs: list[Path]) -> Iterator[str]:
    every = (case for run in runs for case in ElementTree.parse(run).iter("testcase"))
    last = {str(case.get("name")): case for case in every}  # of a test that was run again, the later run counts
    told = [(case, int(files)) for case in last.values() if (files := _properties(case).get("files"))]
    if not told:
        return
    failed = [str(case.get("name")) for case, _ in told if case.find("failure") is not None]
    seconds = sum(float(case.get("time") or 0) for case, _ in told)
    names = [str(case.get("name")) for case, _ in told]
    shapes = [name.partition("[")[2].rstrip("]") or name.rpartition("damaged_")[2].replace("_", " ") for name in names]
    yield "## Damaged transcripts\n"
    yield (
        f"{sum(files for _, files in told):,} generated files over {len(told)} shapes, {told[0][1]:,} each, damaged in"
        " nine ways and read while they grow, with restarts between. To hold: no exit, no good exchange lost, none"
        " twice, each bad record told once."
        f" Shapes that failed: {', '.join(failed) or 'none'} ({seconds / 60:.0f} minutes).\n"
    )
    yield f"{', '.join(shapes)}.\n"


def _live(runs: list[Path]) -> Iterator[str]:
    cases = [
        case for run in runs for case in ElementTree.parse(run).iter("testcase") if _properties(case).get("seconds")
    ]
    if not cases:
        return
    yield "## Beside an agent that appends every 100 ms\n"
    yield (
        "The wait is from the last byte of an exchange until it is whole in the store. `load` is the machine's mean"
        " load average meanwhile: what the child, which has low priority, shared the cores with.\n"
    )
    yield "| format | s | exchanges, each once | worst wait, s | p99, s | median, s | busy | idle | memory | load |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for case in cases:
        told = _properties(case)
        name = str(case.get("name")).partition("[")[2].rstrip("]")
        state = "" if case.find("failure") is None else " (failed)"
        waits = " | ".join(told[f"{name}_wait_s"] for name in ("worst", "p99", "median"))
        yield (
            f"| {name}{state} | {float(told['seconds']):.0f} | {told['exchanges']} | {waits}"
            f" | {float(told['busy_share']):.1%} | {float(told['idle_share']):.2%}"
            f" | x{told['memory_ratio']} | {told['load']} |"
        )


def _properties(case: ElementTree.Element) -> dict[str, str]:
    return {str(each.get("name")): str(each.get("value")) for each in case.iter("property")}


if __name__ == "__main__":
    main()
