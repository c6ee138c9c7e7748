"""A data folder that can't be read or written, or is gone: said once, and everything else is served."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import Sample
from tests.lsp.raw import RICH, RawClient, raw_client


def until(true: Callable[[], Any], seconds: float = 40.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def open_pool(client: RawClient, sample: Sample) -> str:
    path = sample.workspace / "ferryline" / "pool.py"
    return client.open(path, path.read_text())


def lens(client: RawClient, uri: str) -> list[Any]:
    lenses: list[Any] = client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return lenses


def notes(client: RawClient) -> list[str]:
    found: list[str] = client.result("pastwork/status")["notes"]
    return found


def test_a_damaged_store_is_told_once_and_nothing_ends(sample: Sample) -> None:
    store = sample.data / "palace.db"
    for stale in sample.data.glob("palace.db-*"):
        stale.unlink()
    store.write_bytes(b"\0garbage" * 4096)
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace, capabilities=RICH)
        uri = open_pool(client, sample)
        assert lens(client, uri) == []
        until(lambda: any("palace.db" in note for note in notes(client)))
        error = client.ask("pastwork/search", {"query": "pool"})["error"]
        assert error["data"]["code"] == "store_unusable"
        assert error["data"]["remedy"]
        time.sleep(3)
        told = [params["message"] for params in client.heard("window/showMessage")]
        assert told
        assert len(told) == len(set(told)) <= 2
        assert client.shut_down() == 0
        assert b"Traceback" not in client.errors


def test_a_newer_store_is_refused_untouched(sample: Sample) -> None:
    import sqlite3

    connection = sqlite3.connect(sample.data / "palace.db")
    connection.execute("PRAGMA user_version = 99")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    before = (sample.data / "palace.db").read_bytes()
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace, capabilities=RICH)
        until(lambda: any("99" in note for note in notes(client)))
        assert client.ask("pastwork/search", {"query": "pool"})["error"]["data"]["code"] == "store_unusable"
        assert client.shut_down() == 0
    assert (sample.data / "palace.db").read_bytes() == before


def test_a_store_that_breaks_while_open_leaves_the_lens_as_it_was(client: RawClient, sample: Sample) -> None:
    uri = open_pool(client, sample)
    assert lens(client, uri)
    (sample.data / "palace.db").write_bytes(b"broken" * 1000)
    time.sleep(1.5)
    assert lens(client, uri)


def test_a_data_folder_that_vanishes_is_made_anew(client: RawClient, sample: Sample) -> None:
    uri = open_pool(client, sample)
    assert lens(client, uri)
    shutil.rmtree(sample.data)
    assert client.result("pastwork/status")
    assert client.shut_down() == 0


def test_a_read_only_data_folder_is_served_and_said(sample: Sample) -> None:
    for path in [*sample.data.rglob("*"), sample.data]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        if os.access(sample.data, os.W_OK):
            pytest.skip("this user may write everywhere")
        with raw_client(sample.variables()) as client:
            client.initialize(sample.workspace, capabilities=RICH)
            uri = open_pool(client, sample)
            assert lens(client, uri)
            assert client.result("pastwork/search", {"query": "pool"})["hits"]
            until(lambda: any("written" in note for note in notes(client)))
            assert client.shut_down() == 0
    finally:
        for path in [sample.data, *sample.data.rglob("*")]:
            path.chmod(0o700)


def test_a_data_folder_that_can_not_be_made_is_said(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    broken = Sample(sample.home, sample.workspace, tmp_path / "file" / "data")
    with raw_client(broken.variables()) as client:
        client.initialize(sample.workspace, capabilities=RICH)
        uri = open_pool(client, sample)
        assert lens(client, uri) == []
        until(lambda: any(str(tmp_path / "file") in note for note in notes(client)))
        client.ask("pastwork/search", {"query": "pool"})
        client.result("workspace/executeCommand", {"command": "pastwork.server.status", "arguments": []})
        assert client.shut_down() == 0
        assert b"Traceback" not in client.errors


def test_a_broken_settings_file_is_said_and_defaults_hold(sample: Sample) -> None:
    (sample.home / "config.toml").write_text("lens = [")
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace, capabilities=RICH)
        assert lens(client, open_pool(client, sample))
        assert any("config.toml" in note for note in notes(client))
