"""The invented samples of ``tests/data``: each agent's folder is a home folder; and exchanges as short text."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from pastwork.model import Edit, Entry, Exchange, Hunk, Problem, Session
from pastwork.transcripts.base import Env, Reader, Source, Turn

DATA = Path(__file__).parent.parent / "data"
#: The invented project that all samples tell of.
PLACE = "/home/dev/lantern"


#: Agents that keep what another does under other names.
LIKE: dict[str, tuple[str, dict[str, str]]] = {
    "oh-my-pi": ("pi", {".pi/": ".omp/"}),
    "kilo": ("opencode", {"opencode": "kilo"}),
    "kilo-code": ("roo-code", {"rooveterinaryinc.roo-cline": "kilocode.kilo-code"}),
}


def lay(agent: str, home: Path) -> Env:
    """An agent's samples as a home folder; SQL files become databases."""
    like, names = LIKE.get(agent, (agent, {}))
    for sample in sorted((DATA / like).rglob("*")):
        place = sample.relative_to(DATA / like).as_posix()
        for old, new in names.items():
            place = place.replace(old, new)
        path = home / place
        if sample.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".sql":
                database(path.with_suffix(""), sample.read_text(encoding="utf-8"))
            else:
                shutil.copy(sample, path)
    return Env(home, {}, scans=(home,))


def sources(reader: Reader, home: Path) -> list[Source]:
    """An agent's samples laid out; of one that keeps nothing by itself, what a user points at."""
    env = lay(reader.agent, home)
    within = getattr(reader, "within", None)
    assert within is not None, "every reader serves sources.extra"
    return list(reader.locate(env)) or list(within(home))


def database(path: Path, script: str) -> Path:
    """A database that the script makes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path


def told(reader: Reader, sources: Iterable[Source], home: Path) -> str:
    """All that a reader tells, as short text."""
    return "\n".join(line for source in sources for line in _source(reader, source, home)) + "\n"


def _source(reader: Reader, source: Source, home: Path) -> Iterator[str]:
    parts = "".join(f" + {part.name}" for part in source.parts)
    yield f"# {source.path.relative_to(home)}{parts}"
    for item in reader.read(source):
        if isinstance(item, Turn):
            yield from _exchange(item.exchange, str(home))
        elif isinstance(item, Session):
            parent = f" below {item.parent_id}" if item.parent_id else ""
            yield f"session {item.id}{parent}: {item.title or '-'}, {_clock(item.started_at)}"
        else:
            assert isinstance(item, Problem)
            yield f"problem {item.reason}"


def _exchange(told: Exchange, home: str) -> Iterator[str]:
    where = [f"in {_short(told.cwd, home)}"] if told.cwd else []
    what = [told.model] if told.model else []
    branch = [f"on {told.branch}"] if told.branch else []
    more = ["open"] if told.open else []
    time = f"{_clock(told.started_at)} {told.time_source}" if told.time_source != "mtime" else "mtime"
    yield f"{told.turn}. {told.prompt!r} {', '.join([time, *what, *where, *branch, *more])}"
    for entry in told.entries[1:]:
        yield f"   {_entry(entry, home)}"
    for edit in told.edits:
        yield f"   = {_edit(edit, home)}"
    if told.reads:
        yield f"   = read {', '.join(_short(path, home) for path in told.reads)}"


def _clock(time: str | None) -> str:
    return time[11:19] if time and time.startswith("2026-03-04") else time or "-"


def _short(path: str | None, home: str) -> str:
    return (path or "").replace(home, "~").replace(PLACE, "@")


def _entry(entry: Entry, home: str) -> str:
    if entry.tool is None:
        return f"{'<' if entry.role == 'user' else '>'} {entry.text!r}"
    how = {True: "ok", False: "failed", None: "running"}[entry.tool.ok]
    output = f" -> {entry.tool.output!r}" if entry.tool.output else ""
    return f"{entry.tool.name or '?'}({_short(entry.tool.summary, home)}) {how}{output}"


def _edit(edit: Edit, home: str) -> str:
    return f"{edit.action} {_short(edit.path, home)} by {edit.evidence}{''.join(map(_hunk, edit.hunks))}"


def _hunk(hunk: Hunk) -> str:
    start = f"{hunk.old_start or '?'},{hunk.new_start or '?'}"
    return f" @{start} {' '.join(repr(line) for line in hunk.lines)}"
