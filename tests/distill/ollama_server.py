"""A loopback server that speaks as much of Ollama's interface as the client uses, and misbehaves on demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec import Struct


class Answer(Struct, frozen=True):
    """What one chat request gets: ``content`` as a model's words, or ``raw`` as the whole body.

    ``delay_s`` before the headers, ``drip_s`` between single bytes; ``cut``: half of the stream, then the end.
    """

    content: str = ""
    raw: str | None = None
    status: int = 200
    delay_s: float = 0.0
    drip_s: float = 0.0
    cut: bool = False


class Fake:
    """The server's script and what it was asked; answers are given in turn, the last one for ever."""

    def __init__(self, answers: Sequence[Answer], models: Sequence[str]) -> None:
        self.answers, self.models = list(answers), models
        self.asked: list[dict[str, Any]] = []
        self.url = ""
        self.at_once = 0
        self.most_at_once = 0
        self.closing = threading.Event()

    def next(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def served(*answers: Answer, models: Sequence[str] = ("tiny:1b",)) -> Iterator[Fake]:
    fake = Fake(answers or (Answer(),), models)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(fake))
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(fake: Fake) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            known = {
                "/api/version": {"version": "0.9.0"},
                "/api/tags": {"models": [{"model": name, "name": name} for name in fake.models]},
            }
            found = known.get(self.path)
            self._send(json.dumps(found or {"error": "no such path"}).encode(), 200 if found else 404)

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fake.asked.append(asked)
            fake.at_once += 1
            fake.most_at_once = max(fake.most_at_once, fake.at_once)
            try:
                self._answer(fake.next())
            finally:
                fake.at_once -= 1

        def _answer(self, answer: Answer) -> None:
            if fake.closing.wait(answer.delay_s) and answer.delay_s:
                return
            body = _stream(answer.content) if answer.raw is None else answer.raw.encode()
            try:
                self._send(body[: len(body) // 2] if answer.cut else body, answer.status, answer.drip_s)
            except (BrokenPipeError, ConnectionResetError):
                return

        def _send(self, body: bytes, status: int, drip_s: float = 0.0) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/x-ndjson")
            self.end_headers()
            if not drip_s:
                self.wfile.write(body)
                return
            for at in range(len(body)):
                if fake.closing.wait(drip_s):
                    return
                self.wfile.write(body[at : at + 1])
                self.wfile.flush()

    return Handler


def _stream(content: str) -> bytes:
    """A model's words in pieces of 40 characters, one JSON document a line."""
    pieces = [content[at : at + 40] for at in range(0, len(content), 40)] or [""]
    lines = [_part(piece, done=False) for piece in pieces] + [_part("", done=True)]
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def _part(content: str, *, done: bool) -> dict[str, object]:
    return {"model": "tiny:1b", "message": {"role": "assistant", "content": content}, "done": done}
