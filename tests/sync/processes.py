"""Real processes for tests: a sync child as a language server runs it, and passes that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

#: Runs with the invented agent's reader instead of the real ones, if its arguments say so.
CHILD = """
import signal
import sys
from pathlib import Path
from pastwork.sync import __main__ as main
from pastwork.transcripts import registry
signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs the tests in the background has it ignored
if "--ignore-size" in sys.argv:
    sys.argv.remove("--ignore-size")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit fails as one on a full disk does
if "--jotter" in sys.argv:
    sys.argv.remove("--jotter")
    from tests.sync.jotter import JOTTER
    registry.READERS = (JOTTER,)
sys.exit(main.main())
"""

#: One pass over a home into a data folder, by the invented agent's reader.
PASS = """
import sys
from pathlib import Path
from pastwork.store.writer import StoreWriter
from pastwork.sync import batch
from tests.sync.jotter import Home
batch.LONGEST = 0.01
with StoreWriter.open(Path(sys.argv[2]), wait=5.0) as writer:
    home = Home(Path(sys.argv[1]), writer)
    print("begin", flush=True)
    home.sync().run_once(full="--full" in sys.argv, vectors=False, progress=lambda told: print(told.phase, told.done, flush=True))
print("end", flush=True)
"""

#: Forgets one session after another and merges what is left, in the smallest steps there are.
COMPACTION = """
import sys
from pathlib import Path
from pastwork.index import okapi
from pastwork.store.forget import Forgetting, forget
from pastwork.store.writer import StoreWriter
from tests.sync.jotter import Home
okapi.INLINE = 64
with StoreWriter.open(Path(sys.argv[2]), wait=5.0) as writer:
    lane, sync = okapi.OkapiLane(writer.connection), Home(Path(sys.argv[1]), writer).sync()
    print("begin", flush=True)
    for session in sys.argv[3:]:
        if writer.connection.execute("SELECT 1 FROM carrier WHERE session_id = ?", (session,)).fetchone():
            forget(writer, Forgetting(session=session), [lane])
        print(session, flush=True)
        while sync.tidy():
            pass
print("end", flush=True)
"""


def environment(home: Path) -> dict[str, str]:
    """A process's variables with this home folder and nothing of the user's own agents."""
    paths = os.pathsep.join(path for path in sys.path if path)
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), "PYTHONPATH": paths, "PASTWORK_CONFIG": str(home / "none.toml")}


class Child:
    """A running ``python -m pastwork.sync --watch`` and what it said so far."""

    def __init__(self, home: Path, data: Path, *arguments: str, before: Sequence[str] = ()) -> None:
        command = [*before, sys.executable, "-c", CHILD, "--watch", "--data", str(data), *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment(home))
        self.events: list[dict[str, object]] = []
        self._heard = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._heard:
                self.events.append(json.loads(line))
                self._heard.notify_all()

    def tell(self, **command: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()

    def expect(self, timeout: float = 10.0, **fields: object) -> dict[str, object]:
        """The first event so far or to come that has these fields."""

        def found() -> dict[str, object] | None:
            return next((event for event in self.events if fields.items() <= event.items()), None)

        with self._heard:
            assert self._heard.wait_for(lambda: found() is not None, timeout), f"no {fields} in {self.events}"
            return found() or {}

    def forget_events(self) -> None:
        with self._heard:
            self.events.clear()

    def end(self) -> float:
        """Closes its stdin; the seconds it took to end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        begun = time.monotonic()
        self.process.stdin.close()
        self.process.wait(10)
        took = time.monotonic() - begun
        self._thread.join(5)
        self.process.stdout.close()
        return took

    def kill(self) -> None:
        self.process.kill()
        self.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        if self._thread.is_alive() or self.process.poll() is None:
            self.process.kill()
        self.end()


def eventually(check: Callable[[], bool], timeout: float = 10.0) -> float:
    """Waits until ``check`` holds; the seconds it took."""
    begun = time.monotonic()
    while not check():
        assert time.monotonic() - begun < timeout, "it never came true"
        time.sleep(0.02)
    return time.monotonic() - begun


def processor_seconds(pid: int) -> float:
    """What a process has used of a core so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
