"""What every reader gives and takes.

A reader is a module-level object with two deeds: ``locate`` names the transcripts an agent has
under an environment, ``read`` turns one of them into turns, streaming. Readers never raise on bad
input and never write; what they can't use is yielded as ``Problem``.

Resuming: each ``Turn`` carries the ``Position`` at which a later ``read`` sees that same exchange
again from its prompt. A source that grew is read from its last turn's position, so the exchange
that was open is rebuilt whole and nothing before it is touched. Documents that are rewritten whole
ignore ``since`` and yield everything; ids make that harmless. Databases with many sessions carry up to
which change they were read (``Source.in_place``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from pastwork.model import Exchange, Problem, Session

#: Whether the reader was proven on real transcripts or on invented samples only.
Proof = Literal["real", "fixture-only"]


class Env(Struct, frozen=True):
    """Where to look: the home folder, the environment's variables, and project folders known so far.

    ``projects`` are folders named by the client, by other transcripts or by ``index --scan``;
    ``scans`` only the last kind: those may be walked (bounded), the others are looked at directly.
    """

    home: Path
    variables: Mapping[str, str]
    projects: tuple[Path, ...] = ()
    scans: tuple[Path, ...] = ()


class Source(Struct, frozen=True):
    """One transcript: ``path`` is its main file; ``parts`` belong to it and are read with it
    (sub-agents' files, an SQLite WAL, a side file with times).

    ``in_place``: a database whose rows change where they are, so that a position holds however the
    file's bytes changed.
    """

    agent: str
    path: Path
    parts: tuple[Path, ...] = ()
    workspace: str | None = None
    in_place: bool = False


class Position(Struct, frozen=True):
    """A place to resume: byte offset of a record's start and the reader's own carried state (JSON)."""

    offset: int = 0
    carry: bytes = b""


class Turn(Struct, frozen=True):
    """One exchange as read, and where to find it again."""

    exchange: Exchange
    at: Position


#: ``Session`` comes whenever more is known of it (title, parent); the last one counts.
Item = Turn | Session | Problem


class Reader(Protocol):
    """One on-disk shape."""

    agent: str
    proof: Proof

    def locate(self, env: Env) -> Iterator[Source]:
        """The transcripts present; a missing root yields nothing. Looks at names, opens no transcript
        (but SpecStory's, whose first lines tell which files are one session)."""
        ...

    def roots(self, env: Env) -> tuple[Path, ...]:
        """The folders looked at, present or not (for ``status``) and for watching."""
        ...

    def read(self, source: Source, since: Position | None = None) -> Iterator[Item]:
        """Turns in file order. ``since`` is a position this reader gave earlier for the same file."""
        ...
