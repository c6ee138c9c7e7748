"""Where the files that an exchange touched are today.

A file is looked for where it was, then where aliases, worktrees and other checkouts put it, then where
git says that it was moved to. What lies in none of the asked folders is nowhere: the same relative path
in another project is another file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pastwork.anchor.git import Git
from pastwork.anchor.paths import Places, is_absolute
from pastwork.anchor.placer import PATIENCE
from pastwork.anchor.renames import later_names
from pastwork.palace.show import find
from pastwork.shapes import TouchedAnswer, TouchedFile
from pastwork.store.reader import StoreReader
from pastwork.store.records import Kept
from pastwork.there import is_file


def touched(
    store: StoreReader, exchange_id: str, places: Places, folders: Sequence[Path], variables: Mapping[str, str]
) -> TouchedAnswer:
    """Raises NotFound."""
    kept = find(store, exchange_id)
    spots = {file.path: _spots(file.path, kept, places, folders) for file in kept.object.files_touched}
    today = {name: spot for name, found in spots.items() for spot in reversed(found) if is_file(spot)}
    missing = {name: found[-1] for name, found in spots.items() if found and name not in today}
    moved = _moved(missing.values(), kept.started_at, variables)
    today |= {name: moved[spot] for name, spot in missing.items() if spot in moved}
    known = {name: str(spot) for name, spot in today.items()}
    files = kept.object.files_touched
    return TouchedAnswer(kept.id, tuple(TouchedFile(file.path, file.action, known.get(file.path)) for file in files))


def _spots(name: str, kept: Kept, places: Places, folders: Sequence[Path]) -> list[Path]:
    """As recorded, then as today's folders have it; only what lies in one of them."""
    if not is_absolute(name) and not kept.workspace:
        return []
    found = [Path(kept.workspace or "/", name), Path(places.today(name, kept.workspace))]
    return [spot for spot in found if ".." not in spot.parts and any(spot.is_relative_to(each) for each in folders)]


def _moved(missing: Collection[Path], since: str | None, variables: Mapping[str, str]) -> dict[Path, Path]:
    """By git, which is asked once for each repository."""
    trees = {git.root: git for file in missing if (git := Git.around(file, variables, PATIENCE))}
    found = [later_names(git, missing, since) for git in trees.values()]
    return {old: new for names in found for old, new in names.items() if is_file(new)}
