"""Runs the default grid on the labelled set and compares ``cross`` with the recorded best.

    python -m bench.quality.gate [--home HOME] [--record]

Ends with 1 when ``cross`` is more than ``TOLERANCE`` below the record in MRR, for the extractive or the
reference objects; ``--record`` raises the record where it was beaten.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.quality import corpus
from pastwork.config import Config, data_home
from pastwork.errors import PastworkError
from pastwork.evaluate.grid import chosen
from pastwork.evaluate.session import Asked, Session
from pastwork.index import weights
from pastwork.index.embed import Embedder, OnnxEmbedder

ROOT = Path(__file__).resolve().parents[3]
RECORD = Path(__file__).with_name("best.json")
#: How far MRR may fall below the record.
TOLERANCE = 0.01
MODE = "cross"


class Best(Struct, frozen=True):
    """The recorded best MRR by kind of objects, and when and on what it was measured."""

    mrr: dict[str, float]
    measured: str
    machine: str


def fallen(best: dict[str, float], now: dict[str, float]) -> list[str]:
    """A sentence for each kind of objects whose MRR fell by more than the tolerance."""
    return [
        f"{MODE}, {name} objects: MRR {now[name]:.4f}, recorded {best[name]:.4f}, least {best[name] - TOLERANCE:.4f}"
        for name in best
        if now[name] < best[name] - TOLERANCE
    ]


def raised(best: dict[str, float], now: dict[str, float]) -> dict[str, float]:
    """The record with what beat it."""
    return {name: max(value, best.get(name, 0.0)) for name, value in now.items()}


def measure(home: Path, shared: Path, work: Path, embedder: Embedder, processes: int) -> dict[str, float]:
    """MRR of the default mode, by kind of objects; the whole grid is printed."""
    folder = shared / "eval"
    queries, found = corpus.questions(folder), corpus.documents(home)
    kinds = {name: corpus.labelled(found, folder, name == "reference") for name in ("extractive", "reference")}
    reached = {}
    for name, those in kinds.items():
        asked = Asked(
            "gate", those, queries, chosen(["default"]), work / name, work / "vectors", processes=processes, timed=0
        )
        session = Session(asked, embedder)
        session.search(lambda phase, done, total: None)
        facts = session.facts()
        for measured in facts.outcome.measured:
            print(f"{name:>10}  {measured.name:<36} MRR {measured.mean():.4f}  all hits {measured.mean('mrr_all'):.4f}")
        reached[name] = facts.outcome.named(MODE).mean()
    return reached


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    begun = time.monotonic()
    try:
        embedder = OnnxEmbedder(weights.find(Config(), data_home()))
        with tempfile.TemporaryDirectory(prefix="pastwork-gate-") as work:
            home = options.home or _unpacked(options.shared, Path(work))
            cache = options.work or Path(work)
            now = measure(home, options.shared, cache, embedder, options.processes)
    except PastworkError as error:
        print(f"{error.message}; {error.remedy}", file=sys.stderr)
        return error.exit_code
    best = msgspec.json.decode(RECORD.read_bytes(), type=Best) if RECORD.exists() else None
    print(f"{time.monotonic() - begun:.0f} s")
    if options.record:
        _record(raised(best.mrr if best else {}, now))
        return 0
    faults = fallen(best.mrr, now) if best else ["no best is recorded: run with --record"]
    for fault in faults:
        print(f"FELL: {fault}", file=sys.stderr)
    return 1 if faults else 0


def _record(mrr: dict[str, float]) -> None:
    kept = Best(
        {name: round(value, 4) for name, value in mrr.items()}, f"{datetime.now(UTC):%Y-%m-%d}", platform.machine()
    )
    RECORD.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=2) + b"\n")


def _unpacked(shared: Path, work: Path) -> Path:
    home = work / "home"
    corpus.unpack(shared / "corpus" / "home.tar.xz", home)
    return home


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="the unpacked corpus; default: unpacked anew")
    parser.add_argument("--shared", type=Path, default=corpus.shared(), help="holds eval/ and corpus/")
    parser.add_argument("--work", type=Path, help="keeps vectors from one run to the next")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--record", action="store_true", help="record what was reached where it is better")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
