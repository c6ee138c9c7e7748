"""Every fault has its finding, and every finding but a good one its remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from pastwork.config import Config, Distill, Embedding, Sources
from pastwork.model import UNKNOWN, Problem
from pastwork.palace.doctor import examine
from pastwork.shapes import DoctorAnswer
from pastwork.transcripts.base import Env
from pastwork.transcripts.registry import READERS
from tests.palace.world import World, fill

NO_MODEL = Config(embedding=Embedding(model="/no/such/folder"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    world = World(tmp_path / "data")
    fill(world, "/w/shop", "/p/shop")
    world.close()
    return tmp_path / "data"


def examined(
    data: Path, config: Config = NO_MODEL, home: Path = Path("/nowhere"), notes: tuple[str, ...] = ()
) -> DoctorAnswer:
    return examine(data, config, Env(home, {}), READERS, notes)


def says(answer: DoctorAnswer, level: str, part: str) -> bool:
    return any(finding.level == level and part in finding.what for finding in answer.findings)


def test_a_sound_store(data: Path) -> None:
    answer = examined(data)
    assert says(answer, "ok", "is sound")
    assert says(answer, "ok", "is private")
    assert says(answer, "warn", "7 exchanges have no vectors yet")
    assert not any(finding.level == "fail" for finding in answer.findings)


def test_every_problem_has_a_remedy(data: Path) -> None:
    (data / "palace.db").chmod(0o644)
    answer = examined(data, notes=("config.toml: unknown setting x, ignored",))
    assert says(answer, "warn", "unknown setting x")
    assert all(finding.remedy for finding in answer.findings if finding.level != "ok")


@pytest.mark.skipif(os.name == "nt", reason="rights are POSIX's")
def test_rights(data: Path) -> None:
    data.chmod(0o755)
    (data / "palace.db").chmod(0o640)
    answer = examined(data)
    assert says(answer, "warn", f"can read {data}")
    assert says(answer, "warn", "palace.db")
    assert not says(answer, "ok", "is private")


def test_before_the_first_index(tmp_path: Path) -> None:
    answer = examined(tmp_path / "none")
    assert says(answer, "warn", "nothing is indexed yet")
    assert says(answer, "warn", "no transcripts were found")
    assert says(answer, "warn", "search works by keyword only")
    assert not (tmp_path / "none").exists()


def test_a_damaged_store(data: Path) -> None:
    content = bytearray((data / "palace.db").read_bytes())
    content[8192:24576] = os.urandom(16384)
    (data / "palace.db").write_bytes(content)
    assert says(examined(data), "fail", "damaged")


def test_no_store_at_all(data: Path) -> None:
    (data / "palace.db").write_bytes(b"not a database " * 1000)
    assert any(finding.level == "fail" and finding.remedy for finding in examined(data).findings)


class Reply(BaseHTTPRequestHandler):
    """Speaks ``/api/version`` as Ollama does; the class's ``body`` is what it says."""

    body = b'{"version": "0.9.1"}'

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/api/version" else 404)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_said: object) -> None:
        """Quiet."""


@contextmanager
def server(body: bytes) -> Iterator[str]:
    handler = type("Handler", (Reply,), {"body": body})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_address[1]}"
        listening.shutdown()


def asking(url: str, model: str = "m") -> Config:
    return Config(embedding=NO_MODEL.embedding, distill=Distill(provider="ollama", url=url, model=model))


def test_ollama_answers(data: Path) -> None:
    with server(Reply.body) as url:
        assert says(examined(data, asking(url)), "ok", "Ollama 0.9.1 answers")
        assert says(examined(data, asking(url, "")), "warn", "no model is named")


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"version": 3}', b"{}"])
def test_somebody_else_answers(data: Path, body: bytes) -> None:
    with server(body) as url:
        assert says(examined(data, asking(url)), "warn", f"no Ollama answers at {url}")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "file:///etc/passwd", "nonsense", ""])
def test_nobody_answers(data: Path, url: str) -> None:
    answer = examined(data, asking(url))
    assert says(answer, "warn", "no Ollama answers")
    assert all(finding.remedy for finding in answer.findings if finding.level != "ok")


def test_nobody_is_asked_unless_configured(data: Path) -> None:
    class Refuse(Reply):
        def do_GET(self) -> None:
            raise AssertionError("contacted")

    with ThreadingHTTPServer(("127.0.0.1", 0), Refuse) as listening:
        url = f"http://127.0.0.1:{listening.server_address[1]}"
        settings = Config(embedding=NO_MODEL.embedding, distill=Distill(provider="extractive", url=url))
        assert not any("Ollama" in finding.what for finding in examined(data, settings).findings)


def test_transcripts_are_named(tmp_path: Path, data: Path) -> None:
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    answer = examined(data, home=tmp_path)
    assert says(answer, "ok", f"claude-code: transcripts in {tmp_path / '.claude'}")
    only_codex = Config(sources=Sources(agents=["codex"]), embedding=Embedding(model="/no/such/folder"))
    assert not says(examined(data, only_codex, tmp_path), "ok", "claude-code: transcripts")


def test_what_is_kept_and_what_was_skipped_is_told_by_agent(tmp_path: Path) -> None:
    world = World(tmp_path / "data")
    fill(world, "/w/shop", "/p/shop")
    source = world.writer.sources()[0]
    cut, odd = Problem("a.jsonl", 12, "the line is cut"), Problem("a.jsonl", 0, f"{UNKNOWN}pear")
    world.writer.set_problems(source.id, [cut, odd])
    world.close()
    answer = examined(tmp_path / "data")
    assert says(answer, "ok", "claude-code: 3 sessions, 5 exchanges, 2 edits")
    assert says(answer, "warn", "claude-code: records were skipped, the newest in a.jsonl at byte 12: the line is cut")
    assert says(answer, "warn", "claude-code: records of types unknown to this version: pear")
