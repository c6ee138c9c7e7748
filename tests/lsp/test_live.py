"""What an agent writes while the editor is open is there within two seconds, and what is forgotten is gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import SLACK
from tests.lsp.conftest import Sample
from tests.lsp.raw import RICH, RawClient, raw_client
from tests.lsp.transcript import appended, transcript_with

#: Seconds from the last byte of an exchange until it is in lens and search.
LIVE = 2.0 * SLACK
PROMPT = "Bookings hang for ever"


def until(true: Callable[[], Any], seconds: float = 40.0) -> float:
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < seconds, "it did not happen in time"
        time.sleep(0.02)
    return time.monotonic() - begun


def title(client: RawClient, uri: str) -> str:
    lenses = client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return str(lenses[0]["command"]["title"]) if lenses else ""


def ready(client: RawClient) -> None:
    until(lambda: client.result("pastwork/status")["writer"]["mine"])
    until(lambda: client.result("pastwork/status")["index"]["state"] == "idle")


def found(client: RawClient, words: str) -> list[Any]:
    hits: list[Any] = client.result("pastwork/search", {"query": words, "mode": "verbatim-okapi"})["hits"]
    return hits


def test_an_appended_exchange_is_in_lens_hover_and_search(client: RawClient, sample: Sample) -> None:
    path = sample.workspace / "ferryline" / "signin.py"
    uri = client.open(path, path.read_text())
    ready(client)
    before = title(client, uri)
    refreshes = len(client.heard("workspace/codeLens/refresh"))
    transcript = transcript_with(sample.home, PROMPT)
    appended(transcript, "Make the quayside lantern blink twice", "The lantern blinks twice now.", path)
    written = time.monotonic()
    until(lambda: title(client, uri) != before, LIVE)
    until(lambda: found(client, "quayside lantern"), LIVE - (time.monotonic() - written))
    assert time.monotonic() - written < LIVE
    hit = found(client, "quayside lantern")[0]
    assert hit["prompt"] == "Make the quayside lantern blink twice"
    where = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    assert "lantern" in client.result("textDocument/hover", where)["contents"]["value"]
    until(lambda: len(client.heard("workspace/codeLens/refresh")) > refreshes, 2)
    appended(transcript, "And thrice on Sundays", "It does.", None)
    until(lambda: found(client, "thrice Sundays"), LIVE)


def test_a_first_transcript_of_a_new_home(sample: Sample, tmp_path: Path) -> None:
    """An editor that is open before any agent ever ran."""
    source = transcript_with(sample.home, PROMPT)
    empty = Sample(tmp_path / "new", sample.workspace, tmp_path / "new-data")
    empty.home.mkdir()
    path = sample.workspace / "ferryline" / "pool.py"
    with raw_client(empty.variables()) as client:
        client.initialize(sample.workspace, capabilities=RICH)
        uri = client.open(path, path.read_text())
        assert title(client, uri) == ""
        assert client.result("pastwork/search", {"query": "pool"})["notes"]
        until(lambda: client.result("pastwork/status")["writer"]["mine"])
        target = empty.home / source.relative_to(sample.home)
        target.parent.mkdir(parents=True)
        target.write_bytes(source.read_bytes())
        until(lambda: title(client, uri), 10)
        until(lambda: found(client, "bookings hang"), 2)
        assert client.shut_down() == 0


def test_forgotten_is_gone_from_lens_hover_symbols_and_search(client: RawClient, sample: Sample) -> None:
    path = sample.workspace / "ferryline" / "pool.py"
    uri = client.open(path, path.read_text())
    ready(client)
    before = title(client, uri)
    assert before.startswith("2 past exchanges")
    hit = found(client, "bookings hang")[0]
    answer = client.result("workspace/executeCommand", {"command": "pastwork.server.forget", "arguments": [hit["id"]]})
    assert answer == {"forgotten": 1}
    until(lambda: title(client, uri).startswith("1 past exchange "), 2)
    assert hit["id"] not in [one["id"] for one in found(client, "bookings hang")]
    assert client.ask("pastwork/exchange", {"id": hit["id"]})["error"]["data"]["code"] == "not_found"
    assert not client.result("workspace/symbol", {"query": "Bookings hang"})


def test_two_windows_one_writer_and_both_are_live(client: RawClient, sample: Sample) -> None:
    path = sample.workspace / "ferryline" / "signin.py"
    ready(client)
    with raw_client(sample.variables()) as second:
        second.initialize(sample.workspace, capabilities=RICH)
        uri = second.open(path, path.read_text())
        status = second.result("pastwork/status")
        assert not status["writer"]["mine"]
        before = title(second, uri)
        appended(transcript_with(sample.home, PROMPT), "Paint the buoy green", "It is green.", path)
        until(lambda: title(second, uri) != before, LIVE)
        client.process.kill()
        client.process.wait(5)
        took = until(lambda: second.result("pastwork/status")["writer"]["mine"], 5)
        assert took <= 2.0 + 1.0
        appended(transcript_with(sample.home, PROMPT), "Paint the buoy red again", "It is red.", path)
        until(lambda: found(second, "buoy red again"), LIVE + 2)
        assert second.shut_down() == 0


def test_folders_that_come_and_go(client: RawClient, sample: Sample, tmp_path: Path) -> None:
    path = sample.workspace / "ferryline" / "pool.py"
    uri = client.open(path, path.read_text())
    until(lambda: title(client, uri))
    folder = {"uri": sample.workspace.as_uri(), "name": "ferryline"}
    other = {"uri": tmp_path.as_uri(), "name": "other"}
    client.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [other], "removed": [folder]}})
    until(lambda: not client.result("workspace/symbol", {"query": "pool"}))
    assert client.result("pastwork/search", {"query": "pool"})["scope"] == "all"
    client.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    until(lambda: client.result("workspace/symbol", {"query": "pool"}))
    assert client.result("pastwork/search", {"query": "pool"})["scope"] == "workspace"


def test_a_file_outside_of_the_folders_has_its_history_too(sample: Sample, tmp_path: Path) -> None:
    path = sample.workspace / "ferryline" / "pool.py"
    for folders in ([], [tmp_path]):
        with raw_client(sample.variables()) as client:
            client.initialize(*folders, capabilities=RICH)
            uri = client.open(path, path.read_text())
            until(lambda: title(client, uri))  # noqa: B023 - called at once
            assert client.result("pastwork/history", {"textDocument": {"uri": uri}})["matches"]
            assert client.shut_down() == 0
