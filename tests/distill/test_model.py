"""A real small model behind the real client: `make test-llm`. What it writes is poor; the way there and back is real."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pastwork.distill import guard, prompt
from pastwork.distill.digest import digest
from pastwork.distill.ollama import Limits, OllamaDistiller
from pastwork.distill.text import read
from tests.distill.samples import FEATURE, POOL, QUESTION

PLACE = os.environ.get("PASTWORK_TEST_LLM", "")
pytestmark = [
    pytest.mark.skipif(not PLACE, reason="needs the model and runtime that `make test-llm` installs"),
    pytest.mark.timeout(3_600),
]
PORT = 18_437


@pytest.fixture(scope="module")
def distiller() -> Iterator[OllamaDistiller]:
    """Of a server that lives as long as the module's tests."""
    place = Path(PLACE)
    command = ["node", str(place / "model_server.mjs"), str(place / "model.gguf"), str(PORT)]
    with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stdout is not None
        assert any("listening" in line for line in server.stdout)
        with OllamaDistiller("small", f"http://127.0.0.1:{PORT}", Limits(reply=900.0)) as made:
            yield made
        os.killpg(server.pid, signal.SIGTERM)  # node may run behind a wrapper


def test_every_exchange_gets_an_object_that_the_guard_lets_pass_or_keeps_its_own(distiller: OllamaDistiller) -> None:
    distiller.check()
    for told in (POOL, FEATURE, QUESTION):
        found = digest(told).object
        begun = time.monotonic()
        outcome = distiller.distil(told, found)
        took = time.monotonic() - begun
        print(f"{outcome.verdict} in {took:.0f} s, {outcome.tries} tries: {outcome.reason or outcome.object}")  # noqa: T201 `make test-llm` shows it
        assert outcome.verdict != "failed", outcome.reason
        if outcome.object is not None:
            said = prompt.Reply(outcome.object.exchange_core, outcome.object.specific_context)
            assert not guard.faults(said, guard.source(read(told)))
            assert outcome.object.room_assignments == found.room_assignments
