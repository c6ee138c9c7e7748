"""The invented store, filled once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.config import Config
from pastwork.palace import Palace
from tests.palace.world import POOL, World, clock, fill


@pytest.fixture(scope="session")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``work/shop`` and ``play/shop`` with a file each, and a data folder."""
    base = tmp_path_factory.mktemp("palace")
    for project in ("work", "play"):
        (base / project / "shop" / ".git").mkdir(parents=True)
        (base / project / "shop" / "src").mkdir()
    (base / "work" / "shop" / "src" / "pool.py").write_text(POOL)
    (base / "play" / "shop" / "src" / "pool.py").write_text("class Swimming:\n    depth_in_metres = 3\n")
    world = World(base / "data")
    fill(world, str(base / "work" / "shop"), str(base / "play" / "shop"))
    world.close()
    return base


@pytest.fixture
def palace(disk: Path) -> Iterator[Palace]:
    with Palace(disk / "data", Config(), disk, clock) as opened:
        yield opened
