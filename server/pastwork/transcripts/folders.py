"""The reader of an agent that keeps its transcripts in a folder of its own: roots, patterns, a read function.

Most readers are one ``FolderReader`` and one function. ``within`` also serves ``sources.extra``: the
same patterns below any folder a user names, or a single file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from pastwork.transcripts.base import Env, Item, Position, Proof, Source

Read = Callable[[Source, Position | None], Iterator[Item]]
_DATABASES = (".db", ".vscdb", ".sqlite3")


def no_parts(path: Path) -> tuple[Path, ...]:
    """For transcripts of one file."""
    return ()


def wal(path: Path) -> tuple[Path, ...]:
    """The write-ahead log beside an SQLite database, where there is one."""
    log = path.with_name(f"{path.name}-wal")
    return (log,) if log.exists() else ()


def mtime(path: Path) -> float | None:
    """When the file was last written, the last resort for a time; None where it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return None


class FolderReader(Struct):
    """One on-disk shape below known folders.

    ``places`` names the roots under an environment; ``patterns`` are globs below a root (fixed depth,
    no ``**``), the first that holds a file wins it; ``parts`` names the files that belong to one;
    ``loose`` are more patterns for folders that a user names, too wide for an agent's own.
    """

    agent: str
    proof: Proof
    places: Callable[[Env], Iterable[Path]]
    patterns: tuple[str, ...]
    reading: Read
    parts: Callable[[Path], tuple[Path, ...]] = no_parts
    loose: tuple[str, ...] = ()

    def roots(self, env: Env) -> tuple[Path, ...]:
        """The folders looked at."""
        return tuple(dict.fromkeys(self.places(env)))

    def locate(self, env: Env) -> Iterator[Source]:
        """The transcripts below the roots, by name."""
        for root in self.roots(env):
            if root.is_dir():
                yield from self.below(root, self.patterns)

    def within(self, folder: Path) -> Iterator[Source]:
        """The transcripts below a folder that a user names; a file stands for itself."""
        if folder.is_file():
            yield self._source(folder)
        else:
            yield from self.below(folder, (*self.patterns, *self.loose))

    def below(self, folder: Path, patterns: tuple[str, ...]) -> Iterator[Source]:
        """What one of the patterns names below a folder, each once; what is no file is told by who opens it."""
        seen: set[Path] = set()
        for pattern in patterns:
            for path in sorted(folder.glob(pattern)):
                if path not in seen:
                    seen.add(path)
                    yield self._source(path)

    def _source(self, path: Path) -> Source:
        return Source(self.agent, path, self.parts(path), in_place=path.suffix in _DATABASES)

    def read(self, source: Source, since: Position | None = None) -> Iterator[Item]:
        """The reader's function."""
        return self.reading(source, since)
