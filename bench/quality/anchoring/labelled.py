"""Texts whose lines' true authors are known, from the transcripts under a home folder.

Two kinds. ``created``: a session wrote the whole file first, so replaying its edits gives text and
authors. ``given``: Claude Code records the whole file before each edit, so even files that existed
before, and changes made in between by others, are known line by line; that whole file is read from
the transcript here and never shown to the product.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from bench.quality.anchoring.truth import Line, MismatchError, Page, squeezed
from pastwork.model import Exchange
from pastwork.store.records import StoredEdit
from pastwork.transcripts.base import Env, Turn
from pastwork.transcripts.registry import READERS

#: Files with fewer lines say nothing.
SHORTEST = 5
#: Ruler for repeated texts: the reference is quadratic.
LONGEST = 20_000


@dataclass
class Labelled:
    """One file at the end of one session; ``states`` are its lines after each edit."""

    kind: str
    agent: str
    path: str
    base: list[str]
    edits: list[StoredEdit]
    lines: list[Line]
    states: list[list[Line]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(line.text + "\n" for line in self.lines)


@dataclass
class Counts:
    """What was left out and why."""

    files: int = 0
    unplaced: int = 0
    short: int = 0
    outside_changes: int = 0


def labelled(home: Path, counts: Counts) -> Iterator[Labelled]:
    """Every file that can be replayed exactly, session by session."""
    for agent, source, exchanges in sessions(home):
        originals = _originals(source) if agent == "claude-code" else {}
        for path, edits in by_file(exchanges).items():
            counts.files += 1
            found = replayed(agent, path, edits, originals, counts)
            if found is None:
                counts.unplaced += 1
            elif not SHORTEST <= len(found.lines) <= LONGEST:
                counts.short += 1
            else:
                yield found


def across_sessions(home: Path, counts: Counts) -> Iterator[Labelled]:
    """Claude Code's files again, each through all sessions that edited it, in order of time."""
    originals: dict[str, str] = {}
    together: dict[str, list[StoredEdit]] = {}
    for agent, source, exchanges in sessions(home):
        if agent == "claude-code":
            originals |= _originals(source)
            for path, edits in by_file(exchanges).items():
                together.setdefault(path, []).extend(edits)
    for path, edits in together.items():
        edits.sort(key=lambda stored: (stored.edit.time or "", stored.order))
        ordered = [msgspec.structs.replace(stored, order=order) for order, stored in enumerate(edits)]
        found = replayed("claude-code", path, ordered, originals, counts)
        if found is not None and len(found.lines) >= SHORTEST:
            yield found


def sessions(home: Path) -> Iterator[tuple[str, Path, list[Exchange]]]:
    """(agent, transcript, exchanges) of every transcript below ``home``."""
    env = Env(home=home, variables={}, scans=(home,))
    for reader in READERS:
        for source in reader.locate(env):
            exchanges = [item.exchange for item in reader.read(source) if isinstance(item, Turn)]
            if exchanges:
                yield reader.agent, source.path, exchanges


def by_file(exchanges: Iterable[Exchange]) -> dict[str, list[StoredEdit]]:
    """The edits of one session, file by file, as the store would give them."""
    found: dict[str, list[StoredEdit]] = {}
    order = 0
    for row, exchange in enumerate(exchanges):
        for edit in exchange.edits:
            order += 1
            found.setdefault(edit.path, []).append(
                StoredEdit(row, exchange.id, exchange.session_id, order, None, edit, exchange.workspace)
            )
    return found


def replayed(
    agent: str, path: str, edits: list[StoredEdit], originals: dict[str, str], counts: Counts
) -> Labelled | None:
    """The labelled text, or None where the edits do not fit together."""
    edits = [stored for stored in edits if stored.edit.hunks or stored.edit.action == "deleted"]
    if not edits or any(stored.edit.previous_path for stored in edits):
        return None
    given = originals.get(edits[0].edit.tool_id or "")
    if given is None and edits[0].edit.action != "created":
        return None
    page, base, states = Page(), (given or "").splitlines(), list[list[Line]]()
    try:
        for stored in edits:
            before = originals.get(stored.edit.tool_id or "")
            if before is not None and _differs(page, before):
                counts.outside_changes += stored is not edits[0]
                page.outside(before)
            page.apply(stored.edit, stored.exchange_id)
            states.append([replace(line) for line in page.lines])
    except MismatchError:
        return None
    return Labelled("created" if given is None else "given", agent, path, base, edits, page.lines, states)


def _differs(page: Page, text: str) -> bool:
    return [squeezed(line.text) for line in page.lines] != [
        squeezed(line) for line in text.removesuffix("\n").split("\n")
    ]


def _originals(transcript: Path) -> dict[str, str]:
    """Tool id -> the whole file before that edit."""
    found: dict[str, str] = {}
    with transcript.open(encoding="utf-8", errors="replace") as rows:
        for row in rows:
            if '"originalFile"' not in row:
                continue
            record = _decoded(row)
            result, message = record.get("toolUseResult"), record.get("message")
            if not isinstance(result, dict) or not isinstance(message, dict):
                continue
            for block in message.get("content", ()):
                if isinstance(block, dict) and isinstance(result.get("originalFile"), str):
                    found[str(block.get("tool_use_id"))] = result["originalFile"]
    return found


def _decoded(row: str) -> dict[str, object]:
    try:
        record = json.loads(row)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}
