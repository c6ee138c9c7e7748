"""The worker's loop and its pipe, in this process; and as a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from pastwork.config import Config
from pastwork.worker.__main__ import listen, serve
from pastwork.worker.answers import Answers
from pastwork.worker.questions import Answered, Asked, Question, Show
from pastwork.worker.queue import Queue
from tests.conftest import ROOT


class Recorder(Answers):
    """Answers with the number and remembers what it was told."""

    def __init__(self, idle: float = 60.0) -> None:
        self.told: list[object] = []
        self._idle = idle

    @property
    def idle_seconds(self) -> float:
        return self._idle

    def configure(self, config: Config, careful: bool = False) -> None:
        self.told.append(("configure", careful))

    def rest(self) -> None:
        self.told.append("rest")

    def answered(self, number: int, question: Question) -> Answered:
        self.told.append(number)
        return Answered(number, msgspec.Raw(b"%d" % number))


def encoded(*asked: Asked) -> bytes:
    return b"".join(msgspec.json.encode(one) + b"\n" for one in asked)


def test_listen_fills_the_queue_and_closes_it() -> None:
    source, target = os.pipe()
    lines = encoded(Asked(1, Show("x")), Asked(2, Show("y")), Asked(cancel=1))
    os.write(target, lines[:25])
    queue = Queue()
    thread = threading.Thread(target=listen, args=(source, queue))
    thread.start()
    os.write(target, lines[25:] + b"nonsense\n{}\n")
    asked = queue.take(5)
    while asked is not None and asked.number == 1:  # taken before it was cancelled
        asked = queue.take(5)
    assert asked is not None
    assert asked.number == 2
    os.close(target)
    thread.join(5)
    os.close(source)
    assert queue.closed


def test_serve_answers_in_turn_and_heeds_settings() -> None:
    queue, out, answers = Queue(), io.BytesIO(), Recorder()
    for asked in (Asked(config=Config(), careful=True), Asked(1, Show("x")), Asked(2, Show("y"))):
        queue.put(asked)
    thread = threading.Thread(target=serve, args=(queue, out, answers))
    thread.start()
    deadline = time.monotonic() + 5
    while len(answers.told) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    queue.close()
    thread.join(5)
    assert answers.told[:3] == [("configure", True), 1, 2]
    assert out.getvalue() == b'{"number":1,"result":1}\n{"number":2,"result":2}\n'


def test_an_answer_is_one_line_whatever_its_transcript_looks_like() -> None:
    class Indented(Recorder):
        def answered(self, number: int, question: Question) -> Answered:
            return Answered(number, msgspec.Raw(b'{\n  "input": {\n    "text": "a\\nb  c"\n  }\n}'))

    queue, out = Queue(), io.BytesIO()
    queue.put(Asked(1, Show("x")))
    thread = threading.Thread(target=serve, args=(queue, out, Indented()))
    thread.start()
    deadline = time.monotonic() + 5
    while not out.getvalue().endswith(b"\n"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    queue.close()
    thread.join(5)
    assert out.getvalue() == b'{"number":1,"result":{"input":{"text":"a\\nb  c"}}}\n'


def test_nothing_to_do_for_long_is_time_to_rest() -> None:
    queue, answers = Queue(), Recorder(idle=0.02)
    thread = threading.Thread(target=serve, args=(queue, io.BytesIO(), answers))
    thread.start()
    deadline = time.monotonic() + 5
    while "rest" not in answers.told:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    queue.close()
    thread.join(5)
    assert set(answers.told) == {"rest"}


@pytest.mark.parametrize("before", [b"", encoded(Asked(config=Config())), b"nonsense\n"])
def test_the_process_ends_with_its_stdin(tmp_path: Path, before: bytes) -> None:
    variables = {
        **os.environ,
        "HOME": str(tmp_path),
        "PASTWORK_HOME": str(tmp_path / "data"),
        "PYTHONPATH": str(ROOT / "server"),
    }
    command = [sys.executable, "-P", "-m", "pastwork.worker"]
    done = subprocess.run(command, input=before, env=variables, capture_output=True, timeout=10, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr


def test_stdout_carries_answers_only(tmp_path: Path) -> None:
    """Whatever a library prints lands on stderr."""
    (tmp_path / "sitecustomize.py").write_text("import atexit\natexit.register(lambda: print('chatter'))\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT / "server")])
    variables = {**os.environ, "HOME": str(tmp_path), "PASTWORK_HOME": str(tmp_path / "data"), "PYTHONPATH": path}
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "pastwork.worker"], env=variables, stdin=-1, stdout=-1, stderr=-1
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(encoded(Asked(1, Show("x"))))
        process.stdin.flush()
        answered = msgspec.json.decode(process.stdout.readline(), type=Answered)
        out, errors = process.communicate(timeout=10)
    assert answered.error is not None
    assert answered.error.code == "not_found"
    assert out == b""
    assert b"chatter" in errors
