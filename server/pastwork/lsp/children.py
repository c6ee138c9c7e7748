"""The processes that work for the server: JSON lines in, JSON lines out.

``Child`` keeps one of them: starts it, reads its lines, notices its end, starts it again after a
growing pause, and ends it with the server. What the lines mean is left to ``Worker`` (questions and
answers) and to ``sync_child.py`` (events). Must be used from the event loop's thread only.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping, Sequence

from pastwork.lsp.faults import log_fault

log = logging.getLogger("pastwork.lsp")

#: Seconds between the end of a child and its next start, by how often it ended in a row.
PAUSES = (0.0, 0.5, 2.0, 8.0, 30.0, 60.0)
#: A child that ran this long (seconds) was sound; what ends it then starts a new count.
SOUND_AFTER = 60.0
_GRACE = 1.0


def module(name: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours; ``-P`` keeps the current folder, a stranger's project, off the path."""
    return [sys.executable, "-P", "-m", name, *arguments]


class Backoff:
    """How long to wait before the next start; pure but for what it counts."""

    def __init__(self) -> None:
        self.failures = 0

    def after(self, lived: float) -> float:
        """Seconds to wait when a child ended that had lived so long."""
        self.failures = 1 if lived >= SOUND_AFTER else self.failures + 1
        return PAUSES[min(self.failures, len(PAUSES)) - 1]


class Child:
    """One process, started again when it ends by itself.

    ``heard`` gets each line; ``started`` is called after each start and may write; ``lost`` after
    each unasked end.
    """

    def __init__(
        self,
        command: Sequence[str],
        heard: Callable[[bytes], None],
        started: Callable[[], None] = lambda: None,
        lost: Callable[[], None] = lambda: None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._command = command
        self._heard = heard
        self._started = started
        self._lost = lost
        self._variables = variables
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._backoff = Backoff()
        self._stopping = False

    @property
    def pid(self) -> int | None:
        """The process that runs now."""
        return self._process.pid if self._process else None

    @property
    def failures(self) -> int:
        """How often it ended by itself in a row."""
        return self._backoff.failures

    def start(self) -> None:
        """Runs the process until ``stop``; a second call does nothing."""
        if self._task is None and not self._stopping:
            self._task = asyncio.ensure_future(self._keep())

    def write(self, line: bytes) -> bool:
        """Sends one line; False when no process takes it."""
        if self._process is None or self._process.stdin is None or self._process.stdin.is_closing():
            return False
        self._process.stdin.write(line + b"\n")
        return True

    async def stop(self) -> None:
        """Closes its stdin, waits a moment, then kills it."""
        self._stopping = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        if self._task is None:
            return
        done, _ = await asyncio.wait({self._task}, timeout=_GRACE)
        if not done:
            self._task.cancel()
            self._kill()
            await asyncio.wait({self._task}, timeout=_GRACE)

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            await self._run_once()
            if self._is_stopping():
                return
            self._lost()
            pause = self._backoff.after(loop.time() - begun)
            log.warning("%s ended by itself; it starts again in %.1f s", self._command[-1], pause)
            await asyncio.sleep(pause)

    def _is_stopping(self) -> bool:
        return self._stopping

    async def _run_once(self) -> None:
        """One life of the process, from its start to the end of its output."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=self._variables,
            )
        except OSError as error:
            log.error("%s can't be started: %s", self._command[-1], error.strerror)
            return
        self._process = process
        try:
            self._started()
            await self._listen(process)
        finally:
            self._process = None
            self._kill(process)
            await process.wait()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Lines of any length: an exchange may be megabytes, more than a stream's own limit."""
        assert process.stdout is not None  # noqa: S101 - asked for above
        pending = bytearray()
        while chunk := await process.stdout.read(1 << 18):
            pending += chunk
            if b"\n" not in chunk:
                continue
            *lines, rest = pending.split(b"\n")
            pending = rest
            for line in lines:
                try:
                    self._heard(bytes(line))
                except Exception as error:  # noqa: BLE001 - one line's fault must not end the process's whole service
                    log_fault(error)

    def _kill(self, process: asyncio.subprocess.Process | None = None) -> None:
        process = process or self._process
        if process is not None and process.returncode is None:
            try:
                process.kill()
            except ProcessLookupError:
                return
