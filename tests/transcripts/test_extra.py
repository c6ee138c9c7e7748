"""``[[sources.extra]]``: any folder or file, by the agent whose shape it has; from the settings file to the store."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pastwork.config import load
from pastwork.store.writer import StoreWriter
from pastwork.sync.run import Sync
from pastwork.transcripts.base import Env, Reader
from pastwork.transcripts.registry import READERS
from tests.palace.world import clock
from tests.transcripts.samples import lay


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.agent)
def test_every_shape_is_read_from_a_folder_elsewhere(tmp_path: Path, reader: Reader) -> None:
    """What an agent's reader finds below its own roots, moved somewhere else."""
    old = tmp_path / "old"
    lay(reader.agent, old)
    here = [root for root in reader.roots(Env(old, {}, scans=(old,))) if root.exists()] or [old]
    elsewhere = tmp_path / "backup"
    shutil.copytree(here[0], elsewhere)
    settings = tmp_path / "config.toml"
    settings.write_text(f'[[sources.extra]]\nagent = "{reader.agent}"\npath = "{elsewhere}"\n')
    loaded = load(settings)
    assert list(loaded.notes) == []
    with StoreWriter.open(tmp_path / "data") as writer:
        Sync(Env(tmp_path / "home", {}), loaded.config, writer, READERS, clock).run_once(vectors=False)
        agents = {agent for (agent,) in writer.connection.execute("SELECT DISTINCT agent FROM exchange")}
    assert agents == {reader.agent}
