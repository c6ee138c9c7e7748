"""The MCP inspector's command line against the server; `make test-mcp` gets the inspector and names it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.cli.conftest import Terminal, pastwork

__all__ = ["pastwork"]

INSPECTOR = os.environ.get("PASTWORK_INSPECTOR")
pytestmark = pytest.mark.skipif(INSPECTOR is None, reason="no MCP inspector; run `make test-mcp`")


def inspected(pastwork: Terminal, *words: str) -> dict[str, object]:
    """The JSON that the inspector prints."""
    environment = pastwork.environment()
    passed = [f"{name}={environment[name]}" for name in ("HOME", "PASTWORK_HOME", "PASTWORK_CONFIG", "PYTHONPATH")]
    given = [word for pair in passed for word in ("-e", pair)]
    done = subprocess.run(
        [str(INSPECTOR), "--cli", *given, sys.executable, "-m", "pastwork", "mcp", *words],
        cwd=pastwork.workspace,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    printed: dict[str, object] = json.loads(done.stdout)
    return printed


def test_tools_and_resources_are_listed(pastwork: Terminal) -> None:
    tools = inspected(pastwork, "--method", "tools/list")["tools"]
    assert isinstance(tools, list)
    assert len(tools) == 4
    templates = inspected(pastwork, "--method", "resources/templates/list")["resourceTemplates"]
    assert isinstance(templates, list)
    assert templates[0]["uriTemplate"] == "pastwork://exchange/{id}"


@pytest.mark.parametrize(
    ("words", "failed"),
    [
        (("search_past_work", "--tool-arg", "query=bookings hang"), False),
        (("list_rooms", "--tool-arg", "limit=3"), False),
        (("past_work_on_file", "--tool-arg", "path=ferryline/pool.py"), False),
        (("read_exchange", "--tool-arg", "id=nope"), True),
    ],
)
def test_tools_are_called(pastwork: Terminal, words: tuple[str, ...], failed: bool) -> None:
    answer = inspected(pastwork, "--method", "tools/call", "--tool-name", *words)
    assert bool(answer.get("isError")) is failed
    assert answer["content"]
