"""A bare language client on pipes: what is timed is the server, not a client library."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from queue import Empty, Queue
from typing import Any

Message = dict[str, Any]


class Client:
    """One server process; requests are sent one at a time unless ``send`` is used."""

    def __init__(self, command: Iterable[str], environment: dict[str, str], folder: Path) -> None:
        self.process = subprocess.Popen(
            list(command),
            env=environment,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.notifications: Queue[Message] = Queue()
        self._answers: dict[int, Queue[Message]] = {}
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def initialize(self, folders: Iterable[Path]) -> float:
        """Milliseconds until the reply."""
        begun = time.perf_counter()
        workspace = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        capabilities = {"workspace": {"workspaceFolders": True}}
        self.request(
            "initialize",
            {"processId": None, "rootUri": None, "capabilities": capabilities, "workspaceFolders": workspace},
        )
        taken = (time.perf_counter() - begun) * 1000
        self.notify("initialized", {})
        return taken

    def request(self, method: str, params: object, timeout: float = 120) -> Any:
        """The result; RuntimeError on an error reply, TimeoutError where none comes."""
        return self.wait(self.send(method, params), timeout)

    def timed(self, method: str, params: object) -> tuple[float, Any]:
        """(milliseconds, result) of one round trip."""
        begun = time.perf_counter()
        result = self.request(method, params)
        return (time.perf_counter() - begun) * 1000, result

    def send(self, method: str, params: object) -> int:
        """Sends a request; ``wait`` takes its number."""
        self._number += 1
        self._answers[self._number] = Queue(1)
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def wait(self, number: int, timeout: float = 120) -> Any:
        """The result of a request sent before."""
        try:
            answer = self._answers[number].get(timeout=timeout)
        except Empty:
            raise TimeoutError(f"no answer to request {number} within {timeout} s") from None
        del self._answers[number]
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    def answered(self, number: int) -> bool:
        """Whether ``wait`` would give the result at once."""
        return not self._answers[number].empty()

    def notify(self, method: str, params: object) -> None:
        """Sends a notification."""
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def close(self) -> None:
        """Shuts the server down as an editor does."""
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.wait(10)

    def _write(self, message: Message) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while header := self.process.stdout.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                header = self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(length))
            if "method" not in message:
                self._answers[message["id"]].put(message)
            elif "id" in message:
                self._write({"jsonrpc": "2.0", "id": message["id"], "result": None})
            else:
                self.notifications.put(message)
