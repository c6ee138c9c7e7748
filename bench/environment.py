"""The environment in which pastwork is run to be measured."""

from __future__ import annotations

import json
import os
from pathlib import Path

#: Where agents and settings would be found instead of below the home.
ELSEWHERE = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")


def environment(home: Path, data: Path, model: Path, config: Path) -> dict[str, str]:
    """This process's, for that home, data folder and embedding model; writes the settings to ``config``."""
    config.write_text(f"[embedding]\nmodel = {json.dumps(str(model.resolve()))}\n", encoding="utf-8")
    own = {"HOME": str(home.resolve()), "PASTWORK_HOME": str(data), "PASTWORK_CONFIG": str(config)}
    return {name: value for name, value in os.environ.items() if name not in ELSEWHERE} | own
