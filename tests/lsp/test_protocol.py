"""Protocol abuse against a real process: a reply or a clean end each time, and never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import SLACK
from tests.lsp.conftest import Sample
from tests.lsp.raw import RICH, Message, RawClient, framed, raw_client

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, BAD_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED, FAILED = -32002, -32800, -32803


@pytest.fixture(scope="module")
def shared_client(indexed: Sample) -> Iterator[RawClient]:
    """One server takes the whole module's abuse: what one case breaks, the next one notices."""
    with raw_client(indexed.variables()) as client:
        client.initialize(indexed.workspace, capabilities=RICH)
        yield client
        assert client.shut_down() == 0
        assert b"Traceback" not in client.errors


@pytest.fixture
def abused(shared_client: RawClient) -> Iterator[RawClient]:
    yield shared_client
    begun = time.perf_counter()
    assert shared_client.result("textDocument/hover", at("file:///nowhere.py")) is None
    assert time.perf_counter() - begun < 1.0 * SLACK
    assert not shared_client.heard("window/showMessage")


def at(uri: str, line: int = 0, character: int = 0) -> Message:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def refusal(client: RawClient, data: bytes, number: Any = None) -> Message:
    """The error reply to raw bytes."""
    client.expect(number)
    client.write_bytes(data)
    answer = client.wait(number, 5)
    assert "Traceback" not in json.dumps(answer)
    error: Message = answer["error"]
    return error


@pytest.mark.parametrize("name", ["bad_header", "huge_header", "bad_json"], ids=str)
def test_raw_bytes_of_the_shared_cases(abused: RawClient, shared: Path, name: str) -> None:
    cases = {case["name"]: case for case in json.loads((shared / "cases" / "P01_lsp_messages.json").read_text())}
    assert refusal(abused, cases[name]["raw"].encode())["code"] == PARSE_ERROR


@pytest.mark.parametrize("name", ["emoji_change", "range_past_end", "reversed_range"])
def test_ranged_changes_of_the_shared_cases(abused: RawClient, shared: Path, name: str) -> None:
    cases = {case["name"]: case for case in json.loads((shared / "cases" / "P01_lsp_messages.json").read_text())}
    uri = abused.open(f"file:///cases/{name}.py", cases[name]["open"])
    document = {"uri": uri, "version": 2}
    abused.tell("textDocument/didChange", {"textDocument": document, "contentChanges": cases[name]["change"]})
    abused.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_odd_uris_of_the_shared_cases(abused: RawClient, shared: Path) -> None:
    (case,) = [each for each in json.loads((shared / "cases" / "P01_lsp_messages.json").read_text()) if "uris" in each]
    for uri in [*case["uris"], "file://[", "x:" * 5000, "file:///" + "a/" * 5000, "file:///\udc80"]:
        abused.open(uri, "import a\n")
        document = {"textDocument": {"uri": uri}}
        assert abused.result("textDocument/codeLens", document) == []
        assert abused.result("textDocument/hover", at(uri)) is None
        assert abused.result("pastwork/history", document)["matches"] == []
        assert abused.result("pastwork/blame", document)["lines"] == []
        abused.tell("textDocument/didClose", document)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ([], INVALID_REQUEST),
        ([{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}], INVALID_REQUEST),
        (7, INVALID_REQUEST),
        (None, INVALID_REQUEST),
        ({}, INVALID_REQUEST),
        ({"jsonrpc": "2.0"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": None, "method": "shutdown"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": {}, "method": "shutdown"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": True, "method": "shutdown"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "method": 5}, INVALID_REQUEST),
    ],
)
def test_shapes_that_are_no_message(abused: RawClient, message: Any, code: int) -> None:
    assert refusal(abused, framed(message))["code"] == code


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b'{"a": 1} trailing', b"[" * 100_000, b'{"a":' * 50_000, b"1" * 10_000, b"\0"]
)
def test_bodies_that_are_no_json(abused: RawClient, body: bytes) -> None:
    assert refusal(abused, b"Content-Length: %d\r\n\r\n%b" % (len(body), body))["code"] == PARSE_ERROR


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("$/nope", None, NO_METHOD),
        ("textDocument/rename", {}, BAD_PARAMS),
        ("pastwork/nope", {}, NO_METHOD),
        ("initialize", {"capabilities": {}}, INVALID_REQUEST),
        ("textDocument/hover", None, BAD_PARAMS),
        ("textDocument/hover", [], BAD_PARAMS),
        ("textDocument/hover", {"x": 1}, BAD_PARAMS),
        ("textDocument/hover", {"textDocument": {"uri": "file:///a"}, "position": {"line": "x"}}, BAD_PARAMS),
        ("textDocument/hover", {"textDocument": None, "position": {}}, BAD_PARAMS),
        ("textDocument/codeLens", {}, BAD_PARAMS),
        ("codeLens/resolve", {}, BAD_PARAMS),
        ("workspace/symbol", {}, BAD_PARAMS),
        ("workspace/executeCommand", {}, BAD_PARAMS),
        ("workspace/executeCommand", {"command": "pastwork.server.nope"}, BAD_PARAMS),
        ("workspace/executeCommand", {"command": "pastwork.server.search"}, BAD_PARAMS),
        ("workspace/executeCommand", {"command": "pastwork.server.search", "arguments": [{}]}, BAD_PARAMS),
        (
            "workspace/executeCommand",
            {"command": "pastwork.server.history", "arguments": ["file:///a", -1]},
            BAD_PARAMS,
        ),
        ("workspace/executeCommand", {"command": "pastwork.server.show", "arguments": ["f" * 16]}, FAILED),
        ("workspace/executeCommand", {"command": "pastwork.server.forget", "arguments": ["f" * 16, 1]}, BAD_PARAMS),
        ("pastwork/search", None, BAD_PARAMS),
        ("pastwork/search", [], BAD_PARAMS),
        ("pastwork/search", {"qery": "x"}, BAD_PARAMS),
        ("pastwork/search", {"query": {"jsonrpc": "2.0", "id": 1, "method": "exit"}}, BAD_PARAMS),
        ("pastwork/search", {"query": "x", "since": "never"}, BAD_PARAMS),
        ("pastwork/search", {"query": "x", "mode": "nonsense"}, BAD_PARAMS),
        ("pastwork/search", {"query": "x", "class": 1, "type_name": "y"}, BAD_PARAMS),
        ("pastwork/rooms", {"limit": "x"}, BAD_PARAMS),
        ("pastwork/rooms", {"room": "concept:none at all"}, FAILED),
        ("pastwork/history", {"textDocument": "file:///a"}, BAD_PARAMS),
        ("pastwork/history", {"textDocument": {"uri": 7}}, BAD_PARAMS),
        ("pastwork/blame", {}, BAD_PARAMS),
        ("pastwork/exchange", {"id": 7}, BAD_PARAMS),
        ("pastwork/exchange", {"id": "../../etc/passwd"}, FAILED),
        ("pastwork/written", {"id": "f" * 16}, BAD_PARAMS),
        ("pastwork/written", {"id": "f" * 16, "textDocument": {"uri": "file:///a"}}, FAILED),
        ("pastwork/written", {"id": "f" * 16, "textDocument": {"uri": "untitled:Untitled-1"}}, FAILED),
        ("pastwork/touched", {"id": 7}, BAD_PARAMS),
        ("pastwork/touched", {"id": "f" * 16}, FAILED),
        ("pastwork/context", {"ids": "f" * 16}, BAD_PARAMS),
        ("pastwork/context", {"ids": ["f" * 16]}, FAILED),
        ("pastwork/status", 7, BAD_PARAMS),
    ],
)
def test_bad_requests_get_an_error_each(abused: RawClient, method: str, params: Any, code: int) -> None:
    answer = abused.ask(method, params, 10)
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]
    assert "raceback" not in json.dumps(answer)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", at("file:///a", 2**31 - 1, 2**31 - 1)),
        ("codeLens/resolve", {"range": {"start": at("")["position"], "end": at("")["position"]}, "data": {"uri": "x"}}),
        ("workspace/symbol", {"query": "\ud83c *?[(\\"}),
        ("pastwork/search", {"query": "\ud83c\x00 ()\"'*?"}),
        ("pastwork/search", {"query": ""}),
        ("pastwork/search", {"query": "x" * 100_000}),
        ("pastwork/status", None),
    ],
)
def test_odd_but_sound_requests_are_answered(abused: RawClient, method: str, params: Any) -> None:
    abused.result(method, params)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("$/nope", {}),
        ("$/cancelRequest", {"id": 123456}),
        ("$/cancelRequest", {}),
        ("textDocument/didOpen", {}),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///never.py", "version": 1}, "contentChanges": []}),
        (
            "textDocument/didChange",
            {"textDocument": {"uri": "file:///x.py", "version": 1}, "contentChanges": [{"text": ""}]},
        ),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///never.py"}}),
        ("textDocument/didSave", {"textDocument": {"uri": "file:///never.py"}}),
        (
            "workspace/didChangeWorkspaceFolders",
            {"event": {"added": [{"uri": "untitled:x", "name": ""}], "removed": []}},
        ),
        ("workspace/didChangeConfiguration", {"settings": "nonsense"}),
        ("notebookDocument/didChange", {}),
        ("window/workDoneProgress/cancel", {"token": "unknown"}),
        ("initialized", {}),
    ],
)
def test_bad_notifications_are_nothing(abused: RawClient, method: str, params: Any) -> None:
    abused.tell(method, params)


def test_replies_to_nothing_are_dropped(abused: RawClient) -> None:
    for reply in ({"id": 99, "result": 1}, {"id": "x", "error": {"code": 1, "message": ""}}, {"id": None, "result": 1}):
        abused.write({"jsonrpc": "2.0", **reply})


def test_a_reply_with_the_number_of_a_running_request_does_not_end_it(abused: RawClient) -> None:
    number = abused.send("pastwork/search", {"query": "pool"})
    abused.write({"jsonrpc": "2.0", "id": number, "result": "forged"})
    assert abused.wait(number)["result"]["query"] == "pool"


def test_a_settings_error_is_told_once(sample: Sample) -> None:
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace, options={"lens": {"file": 7}, "nonsense": 1})
        for _ in range(3):
            client.tell("workspace/didChangeConfiguration", {"settings": {"pastwork": {"lens": {"file": 7}}}})
        notes = client.result("pastwork/status")["notes"]
        assert any("lens.file" in note for note in notes)
        told = [params["message"] for params in client.heard("window/showMessage")]
        assert len([message for message in told if "lens.file" in message]) == 1
        assert len([message for message in told if "nonsense" in message]) == 1


@pytest.mark.parametrize("method", ["textDocument/hover", "pastwork/search", "shutdown"])
def test_before_initialize_nothing_is_done(indexed: Sample, method: str) -> None:
    with raw_client(indexed.variables()) as client:
        assert client.ask(method, {"query": "x"})["error"]["code"] == NOT_INITIALIZED
        client.tell("textDocument/didOpen", {"nonsense": 1})
        client.tell("exit", None)
        assert client.process.wait(5) == 1


def test_after_shutdown_only_exit_is_heard(indexed: Sample) -> None:
    with raw_client(indexed.variables()) as client:
        client.initialize(indexed.workspace)
        assert client.result("shutdown") is None
        for method in ("textDocument/hover", "pastwork/status", "shutdown", "initialize"):
            assert client.ask(method, {})["error"]["code"] == INVALID_REQUEST
        client.tell("exit", None)
        assert client.process.wait(5) == 0


def test_exit_without_shutdown_is_one(indexed: Sample) -> None:
    with raw_client(indexed.variables()) as client:
        client.initialize(indexed.workspace)
        client.tell("exit", None)
        assert client.process.wait(5) == 1


@pytest.mark.parametrize("before", ["nothing", "initialize", "half a message", "a running search"])
def test_the_end_of_stdin_is_the_end(indexed: Sample, before: str) -> None:
    with raw_client(indexed.variables()) as client:
        if before != "nothing":
            client.initialize(indexed.workspace)
        if before == "half a message":
            client.write_bytes(b"Content-Length: 100\r\n\r\n{")
        if before == "a running search":
            client.send("pastwork/search", {"query": "pool"})
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(3) == 1


def test_a_client_that_can_not_be_written_to_is_gone(indexed: Sample) -> None:
    command = [sys.executable, "-P", "-m", "pastwork", "lsp"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=indexed.variables(), **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        params = {"processId": None, "capabilities": {}, "rootUri": None}
        process.stdin.write(framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}))
        process.stdin.flush()
        assert process.wait(5) == 1
        _, errors = process.communicate()
    assert b"Traceback" not in errors


def test_settings_and_abilities_are_heeded(sample: Sample) -> None:
    uri = (sample.workspace / "ferryline" / "pool.py").as_uri()
    with raw_client(sample.variables()) as client:
        client.initialize(
            sample.workspace, options={"pastwork": {"lens": {"file": False}, "hover": {"enabled": False}}}
        )
        client.open(uri, "import queue\n")
        assert client.result("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []
        assert client.result("textDocument/hover", at(uri)) is None
        client.tell("workspace/didChangeConfiguration", {"settings": {"pastwork": {"hover.enabled": True}}})
        assert client.result("textDocument/hover", at(uri))["contents"]["kind"] == "markdown"
        assert client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})


def test_a_client_without_markdown_reads_plain_text(sample: Sample) -> None:
    uri = (sample.workspace / "ferryline" / "pool.py").as_uri()
    capabilities = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
    with raw_client(sample.variables()) as client:
        client.initialize(sample.workspace, capabilities=capabilities)
        client.open(uri, "import queue\n")
        assert client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
        contents = client.result("textDocument/hover", at(uri))["contents"]
        assert contents["kind"] == "plaintext"
        assert "**" not in contents["value"]
