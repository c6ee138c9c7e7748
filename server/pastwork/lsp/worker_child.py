"""The server's end of the worker's pipe: a question in, its answer as raw JSON out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import msgspec

from pastwork.config import Config
from pastwork.errors import BadUsage, PastworkError, Unavailable
from pastwork.lsp.children import Child, module
from pastwork.worker.questions import Answered, Asked, Question

#: Ended so often in a row, the worker gets no questions until it has started again.
_PATIENCE = 2
#: Ended so often in a row, it is told to stay away from native code.
CAREFUL_AFTER = 2


class Worker:
    """Starts with the first question. Whoever stops waiting takes the question back."""

    def __init__(self, config: Callable[[], Config], variables: Mapping[str, str] | None = None) -> None:
        self._config = config
        self._child = Child(module("pastwork.worker"), self._heard, self._started, self._lost, variables)
        self._waiting: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._unsent: dict[int, bytes] = {}
        self._number = 0
        self._decoder = msgspec.json.Decoder(Answered)

    @property
    def pid(self) -> int | None:
        return self._child.pid

    async def ask(self, question: Question) -> msgspec.Raw:
        """Raises what the worker raised, or Unavailable when it ends over this question."""
        if self._child.pid is None and self._child.failures > _PATIENCE:
            raise Unavailable(
                "the process that answers this keeps ending", "Wait a moment; `pastwork doctor` looks for the cause."
            )
        self._child.start()
        self._number += 1
        number = self._number
        future: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        line = msgspec.json.encode(Asked(number, question))
        if not self._child.write(line):
            self._unsent[number] = line
        try:
            return await future
        except asyncio.CancelledError:
            if self._unsent.pop(number, None) is None:
                self._child.write(msgspec.json.encode(Asked(cancel=number)))
            raise
        finally:
            self._waiting.pop(number, None)

    def configure(self) -> None:
        """The settings have changed."""
        careful = self._child.failures >= CAREFUL_AFTER
        self._child.write(msgspec.json.encode(Asked(config=self._config(), careful=careful)))

    async def stop(self) -> None:
        await self._child.stop()
        self._fail("the server is ending")

    def _started(self) -> None:
        self.configure()
        for line in self._unsent.values():
            self._child.write(line)
        self._unsent.clear()

    def _heard(self, line: bytes) -> None:
        answered = self._decoder.decode(line)
        future = self._waiting.get(answered.number)
        if future is None or future.done():
            return
        if answered.error is None:
            future.set_result(answered.result)
        else:
            future.set_exception(_error(answered))

    def _lost(self) -> None:
        self._fail("the process that answers this ended unexpectedly")

    def _fail(self, message: str) -> None:
        self._unsent.clear()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(Unavailable(message, "It is started again; try once more."))


def _error(answered: Answered) -> PastworkError:
    """The worker's error as if it had been raised here."""
    body = answered.error
    error = (BadUsage if answered.usage else PastworkError)(body.message, body.remedy) if body else PastworkError("")
    if body:
        error.code = body.code
    return error
