"""Which transcripts there are: every enabled reader's, the configured extra folders', all projects'."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from pastwork import config as settings
from pastwork.store.paths import absolute
from pastwork.there import is_folder, is_there
from pastwork.transcripts.base import Env, Reader, Source
from pastwork.transcripts.projects import git_root


@runtime_checkable
class Anywhere(Protocol):
    """A reader that also finds its transcripts below any folder it is pointed at."""

    def within(self, folder: Path) -> Iterator[Source]: ...


class Found(Struct, frozen=True):
    """A transcript and the reader of its shape."""

    reader: Reader
    source: Source


def enabled(readers: Iterable[Reader], config: settings.Sources, agents: Collection[str] = ()) -> list[Reader]:
    """The readers that the settings allow, of these agents only where some are named."""
    wanted = [reader for reader in readers if config.agents is None or reader.agent in config.agents]
    return [reader for reader in wanted if not agents or reader.agent in agents]


def locate(readers: Sequence[Reader], env: Env, config: settings.Sources) -> list[Found]:
    """Each transcript once, in the readers' order."""
    found: dict[tuple[str, Path], Found] = {}
    for reader in readers:
        for source in (*reader.locate(env), *_extra(reader, env, config)):
            if not _excluded(source.path, config.exclude):
                found.setdefault((source.agent, source.path), Found(reader, source))
    return list(found.values())


def unusable_extras(readers: Iterable[Reader], env: Env, config: settings.Sources) -> list[str]:
    """One sentence for each ``sources.extra`` that can't be followed."""
    known = {reader.agent: reader for reader in readers}
    notes = []
    for extra in config.extra:
        if extra.agent not in known or not isinstance(known[extra.agent], Anywhere):
            notes.append(f"sources.extra: {extra.agent!r} is no agent whose transcripts can be read from any folder")
        elif not is_there(_expand(extra.path, env)):
            notes.append(f"sources.extra: {extra.path} does not exist")
    return notes


def projects(env: Env, recorded: Iterable[str]) -> tuple[Path, ...]:
    """The client's folders, those that transcripts name and that exist here, and the git roots of both."""
    folders = dict.fromkeys(env.projects)
    folders.update(dict.fromkeys(Path(folder) for folder in recorded if absolute(folder)))
    for folder in list(folders):
        if not is_folder(folder):
            del folders[folder]
        elif root := git_root(folder):
            folders[root] = None
    folders.pop(env.home, None)
    return tuple(folders)


def widened(env: Env, recorded: Iterable[str], scans: Iterable[str], config: settings.Sources) -> Env:
    """The environment with every project and remembered scan in it."""
    walked = dict.fromkeys((*env.scans, *map(Path, scans), *(_expand(scan, env) for scan in config.scan)))
    return replace(env, projects=projects(env, recorded), scans=tuple(walked))


def _extra(reader: Reader, env: Env, config: settings.Sources) -> Iterator[Source]:
    if isinstance(reader, Anywhere):
        for extra in config.extra:
            if extra.agent == reader.agent and is_there(folder := _expand(extra.path, env)):
                yield from reader.within(folder)


def _expand(path: str, env: Env) -> Path:
    """``~`` is the environment's home, which need not be the process's."""
    return env.home / path[2:] if path.startswith("~/") else Path(path)


def _excluded(path: Path, patterns: Iterable[str]) -> bool:
    text = path.as_posix()
    return any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns)
