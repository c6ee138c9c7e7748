"""Synthetic homes of any size, shaped like a real one.

    python -m bench.homes OUT --like HOME [--scan DIR]... --exchanges 14000 --seed 1

Learns sentences, commands, outputs, added code lines, file names and sizes from the transcripts of a
real home (one's own, or any other), then writes Claude Code and Codex transcripts of invented work
into OUT. Every exchange mixes one to three real ones sentence by sentence, so that lengths, word
frequencies and vectors are mixtures of real ones; identifiers get a suffix of their session now and
then, so that the vocabulary keeps growing with the history as real ones do. The same seed gives the
same files, byte for byte. OUT holds pieces of the home it learned from: keep it private.
"""

from __future__ import annotations

import argparse
import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from demo.formats import WRITERS, Applied, Scene
from demo.story import Change, Look, Run, Sitting, Step, Talk

from pastwork.model import Exchange
from pastwork.transcripts.base import Env, Turn
from pastwork.transcripts.registry import READERS

FIRST_DAY = datetime(2025, 1, 6, 9, tzinfo=UTC)
IDENTIFIER = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+(?:[A-Z][a-z]+)+\b")
SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")
PROSE_CAP, OUTPUT_CAP, FILE_LINES = 20_000, 4_000, 120


@dataclass(frozen=True)
class Piece:
    """What one real exchange lends: sentences of both sides, commands with outputs."""

    prompt: tuple[str, ...]
    answer: tuple[str, ...]
    runs: tuple[tuple[str, str], ...]


@dataclass
class Material:
    """Everything learned from a home; lists are resampled uniformly."""

    pieces: list[Piece] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    session_lengths: list[int] = field(default_factory=list)


def learn(home: Path, scans: tuple[Path, ...] = ()) -> Material:
    """Reads every transcript below ``home``; raises ValueError where there is nothing to learn from."""
    material = Material()
    lengths: dict[str, int] = {}
    for exchange in exchanges(home, scans):
        lengths[exchange.session_id] = lengths.get(exchange.session_id, 0) + 1
        material.pieces.append(_piece(exchange))
        for edit in exchange.edits:
            material.names.append(edit.path.replace("\\", "/").rsplit("/", 1)[-1])
            material.lines += [line[1:200] for hunk in edit.hunks for line in hunk.lines[:80] if line.startswith("+")]
    if not material.pieces or not material.lines:
        raise ValueError(f"{home} holds no transcripts with edits to learn from")
    material.session_lengths = list(lengths.values())
    return material


def exchanges(home: Path, scans: tuple[Path, ...] = ()) -> Iterator[Exchange]:
    """Every exchange of a home, copies included, as the readers give them."""
    env = Env(home=home, variables={}, projects=scans, scans=scans)
    for reader in READERS:
        for source in sorted(reader.locate(env), key=lambda source: source.path):
            for item in reader.read(source):
                if isinstance(item, Turn):
                    yield item.exchange


def write(material: Material, out: Path, count: int, seed: int) -> int:
    """Writes transcripts of ``count`` exchanges into the home ``out``; gives the number of files."""
    chance = random.Random(seed)
    files: dict[str, dict[str, str]] = {}
    left, number = count, 0
    while left > 0:
        length = min(left, max(1, chance.choice(material.session_lengths)), 60)
        scene = _scene(material, chance, out, number, length, count, files)
        writer, _ = WRITERS[scene.sitting.agent]
        path, text = writer(scene)
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")
        os.utime(target, (scene.start.timestamp(), scene.start.timestamp()))
        left, number = left - length, number + 1
    return number


def _piece(exchange: Exchange) -> Piece:
    answer = "\n".join(entry.text for entry in exchange.entries if entry.role == "assistant")
    runs = [
        (entry.tool.summary[:300], entry.tool.output[:OUTPUT_CAP])
        for entry in exchange.entries
        if entry.tool is not None and entry.tool.summary and entry.tool.output
    ]
    return Piece(_sentences(exchange.prompt), _sentences(answer), tuple(runs[:40]))


def _sentences(text: str) -> tuple[str, ...]:
    return tuple(part for part in SENTENCE.split(text[:PROSE_CAP]) if part.strip()) or (text[:200],)


def _scene(
    material: Material,
    chance: random.Random,
    out: Path,
    number: int,
    length: int,
    total: int,
    files: dict[str, dict[str, str]],
) -> Scene:
    """One session in one of about sqrt(total) / 3 projects, some hours after the one before."""
    project = f"{out}/code/project-{chance.randrange(max(1, int(total**0.5 / 3)))}"
    state = files.setdefault(project, {})
    acts = tuple(_act(material, chance, number, state) for _ in range(length))
    agent = chance.choices(("claude-code", "codex"), (2, 1))[0]
    sitting = Sitting(
        agent=agent,
        key=f"synthetic-{number}",
        title=acts[0][0].prompt[:60],
        days_ago=0,
        hour=0,
        talks=tuple(talk for talk, _ in acts),
    )
    return Scene(sitting, project, FIRST_DAY + timedelta(hours=3 * number), acts)


def _act(
    material: Material, chance: random.Random, session: int, state: dict[str, str]
) -> tuple[Talk, tuple[Step | Applied, ...]]:
    pieces = chance.choices(material.pieces, k=chance.choices((1, 2, 3), (5, 3, 2))[0])
    rename = _Renamer(session, chance)
    prompt = rename(_mix(chance, [piece.prompt for piece in pieces], len(pieces[0].prompt)))
    answer = rename(_mix(chance, [piece.answer for piece in pieces], len(pieces[0].answer)))
    steps: list[Step | Applied] = [Run(*run) for run in pieces[0].runs[: chance.randrange(12)]]
    if material.names and chance.random() < 0.55:
        name = f"src/{chance.choice(material.names)}"
        steps += [Look(name), _edit(material, chance, name, state)]
    talk = Talk(prompt=prompt or "continue", answer=answer, minutes=chance.randrange(1, 20))
    return talk, tuple(steps)


@dataclass
class _Renamer:
    """Gives every tenth identifier the session's suffix."""

    session: int
    chance: random.Random

    def __call__(self, text: str) -> str:
        return IDENTIFIER.sub(lambda m: f"{m[0]}{self.session}" if self.chance.random() < 0.1 else m[0], text)


def _mix(chance: random.Random, sources: list[tuple[str, ...]], length: int) -> str:
    """``length`` sentences, each the next unused one of a source chosen at random."""
    places = [0] * len(sources)
    out: list[str] = []
    for _ in range(length):
        which = chance.randrange(len(sources))
        source = sources[which]
        out.append(source[places[which] % len(source)])
        places[which] += 1
    return "\n".join(out)


def _edit(material: Material, chance: random.Random, name: str, state: dict[str, str]) -> Applied:
    """Creates the file, or replaces a few of its lines."""
    before = state.get(name, "")
    lines = before.splitlines()
    fresh = chance.choices(material.lines, k=chance.randrange(3, 25))
    at = chance.randrange(len(lines)) if lines else 0
    cut = len(lines) if not lines else min(len(lines), at + chance.randrange(0, 8))
    if len(lines) > FILE_LINES:
        cut = len(lines)
    old = "".join(f"{line}\n" for line in lines[at:cut]) or (f"{lines[at]}\n" if lines else "")
    if lines and cut == at:
        fresh, cut = [lines[at], *fresh], at + 1
    new = "".join(f"{line}\n" for line in fresh)
    after = "".join(f"{line}\n" for line in [*lines[:at], *fresh, *lines[cut:]])
    state[name] = after
    return Applied(Change(name, old, new), before, after)


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--like", type=Path, required=True, help="a real home to learn from")
    parser.add_argument("--scan", type=Path, action="append", default=[], help="projects that hold transcripts")
    parser.add_argument("--exchanges", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    files = write(learn(given.like, tuple(given.scan)), given.out.resolve(), given.exchanges, given.seed)
    print(f"{given.exchanges} exchanges in {files} transcripts below {given.out}")


if __name__ == "__main__":
    main()
