"""A client that speaks to a real server process byte by byte, for what no well-behaved client would send."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Message = dict[str, Any]

PLAIN: Message = {}
#: What VS Code declares, as far as it matters here.
RICH: Message = {
    "workspace": {"codeLens": {"refreshSupport": True}, "workspaceFolders": True, "configuration": True},
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    "general": {"positionEncodings": ["utf-16"]},
}


class RawClient:
    """Requests by number; what the server says of itself lands in ``said``; its requests are answered with null."""

    def __init__(self, variables: Mapping[str, str], command: list[str] | None = None) -> None:
        words = command or [sys.executable, "-P", "-m", "pastwork", "lsp", "--stdio"]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(variables)
        )
        self.said: list[Message] = []
        self.errors = bytearray()
        self._answers: dict[Any, queue.Queue[Message]] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._drain)]
        for thread in self._threads:
            thread.start()

    def initialize(self, *folders: Path, capabilities: Message = PLAIN, options: Any = None, **more: Any) -> Message:
        params = {
            "processId": os.getpid(),
            "capabilities": capabilities,
            "initializationOptions": options,
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in folders],
            "rootUri": None,
            **more,
        }
        answer = self.ask("initialize", params)
        self.tell("initialized", {})
        result: Message = answer["result"]
        return result

    def open(self, path: Path | str, text: str, version: int = 1) -> str:
        uri = path.as_uri() if isinstance(path, Path) else path
        document = {"uri": uri, "languageId": "x", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def ask(self, method: str, params: Any = None, timeout: float = 30.0) -> Message:
        return self.wait(self.send(method, params), timeout)

    def result(self, method: str, params: Any = None, timeout: float = 30.0) -> Any:
        answer = self.ask(method, params, timeout)
        assert "error" not in answer, answer
        return answer["result"]

    def send(self, method: str, params: Any = None) -> int:
        self._number += 1
        self.expect(self._number)
        self.write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def expect(self, number: Any) -> None:
        self._answers.setdefault(number, queue.Queue())

    def wait(self, number: Any, timeout: float = 30.0) -> Message:
        answer = self._answers[number].get(timeout=timeout)
        if number is not None:  # a day has half a million of them
            del self._answers[number]
        return answer

    def answered(self, number: Any) -> bool:
        """Whether the reply to a request has come."""
        return not self._answers[number].empty()

    def tell(self, method: str, params: Any) -> None:
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def write(self, message: Any) -> None:
        self.write_bytes(framed(message))

    def write_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with self._lock:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def heard(self, method: str) -> list[Any]:
        """Params of all such messages so far."""
        return [message.get("params") for message in list(self.said) if message["method"] == method]

    def shut_down(self) -> int:
        self.ask("shutdown")
        self.tell("exit", None)
        return self.process.wait(10)

    def close(self) -> None:
        """Ends the process whatever its state."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        for thread in self._threads:
            thread.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                continue

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.expect(None)
        while (message := _next(self.process.stdout)) is not None:
            message["_at"] = time.perf_counter()
            if "method" in message:
                self.said.append(message)
                if "id" in message:
                    self.write({"jsonrpc": "2.0", "id": message["id"], "result": None})
            else:
                self._answers.setdefault(message["id"], queue.Queue()).put(message)

    def _drain(self) -> None:
        assert self.process.stderr is not None
        while chunk := os.read(self.process.stderr.fileno(), 65536):
            self.errors += chunk


def framed(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _next(stream: Any) -> Message | None:
    """The next message; stdout may carry nothing else."""
    length = None
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        assert name.lower() in (b"content-length", b"content-type"), line
        if name.lower() == b"content-length":
            length = int(value)
    if length is None:
        return None
    message: Message = json.loads(stream.read(length))
    assert message["jsonrpc"] == "2.0"
    return message


@contextmanager
def raw_client(variables: Mapping[str, str], command: list[str] | None = None) -> Iterator[RawClient]:
    client = RawClient(variables, command)
    try:
        yield client
    finally:
        client.close()
