"""Writes the sample home and its workspace: ``python -m demo.build TARGET [--today YYYY-MM-DD]``.

TARGET/home gets the transcripts, TARGET/home/code/ferryline the project as it is today. Everything
depends on TARGET and the day only.
"""

from __future__ import annotations

import argparse
import os
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from demo.formats import WRITERS, Applied, Scene
from demo.story import FILES, SESSIONS, Change, Sitting, Step, replay


def build(target: Path, today: date) -> tuple[Path, Path]:
    """Writes everything below ``target``; gives (home, workspace)."""
    home = target / "home"
    workspace = home / "code" / "ferryline"
    files = dict(FILES)
    for sitting in SESSIONS:
        scene = _scene(sitting, str(workspace), today, files)
        writer, in_project = WRITERS[sitting.agent]
        path, text = writer(scene)
        _write((workspace if in_project else home) / path, text, scene.start + timedelta(minutes=30))
        if sitting.agent == "gemini-cli":
            _write((home / path).parent.parent / ".project_root", str(workspace), scene.start)
    for name, text in files.items():
        _write(workspace / name, text, datetime.combine(today, time(8), UTC))
    return home, workspace


def _scene(sitting: Sitting, workspace: str, today: date, files: dict[str, str]) -> Scene:
    start = datetime.combine(today - timedelta(days=sitting.days_ago), time(sitting.hour, 7), UTC)
    acts = tuple((talk, tuple(_apply(step, files) for step in talk.steps)) for talk in sitting.talks)
    return Scene(sitting, workspace, start, acts)


def _apply(step: Step, files: dict[str, str]) -> Step | Applied:
    if not isinstance(step, Change):
        return step
    before = files.get(step.path, "")
    files[step.path] = replay(before, step)
    return Applied(step, before, files[step.path])


def _write(path: Path, text: str, modified: datetime) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    os.utime(path, (modified.timestamp(), modified.timestamp()))


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("--today", type=date.fromisoformat, default=datetime.now(UTC).date())
    given = parser.parse_args()
    home, workspace = build(given.target.resolve(), given.today)
    print(f"sample home: {home}\nsample workspace: {workspace}")


if __name__ == "__main__":
    main()
