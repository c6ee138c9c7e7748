"""Everything pastwork does for its users, done once on one home by real processes, and all that came out."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.lsp.agents import until
from tests.lsp.raw import RICH, RawClient, raw_client

#: Each lane reads or writes another derived file.
MODES = ("cross", "verbatim-okapi", "verbatim-fts", "distilled-exact", "distilled-hnsw", "distilled-hybrid")
#: Answers that show the user's own text as it is: the drill-down, and nothing else.
VERBATIM = ("show", "lsp pastwork/exchange")


class Ran(Struct):
    """``answers`` by what was asked; ``errors`` is all that any process wrote to stderr."""

    answers: dict[str, str] = {}
    errors: dict[str, str] = {}

    def shown(self) -> Iterator[tuple[str, str]]:
        """All answers but the drill-down."""
        return ((asked, text) for asked, text in self.answers.items() if not asked.startswith(VERBATIM))


class Everything(Struct):
    """Where; ``before`` stands in front of every command, ``words`` is what is searched for."""

    variables: Mapping[str, str]
    workspace: Path
    words: str
    before: Sequence[str] = ()

    def run(self) -> Ran:
        ran = Ran()
        self._commands(ran)
        self._editor(ran)
        self._agent(ran)
        return ran

    def _commands(self, ran: Ran) -> None:
        self._ask(ran, "index", "--scan", str(self.workspace))
        found = [self._ask(ran, "search", self.words, "--json", "--scope", "all", "--mode", mode) for mode in MODES]
        first = json.loads(found[0])["hits"][0]["id"]
        for file in self._files():
            self._ask(ran, "history", file.name, "--json")
            self._ask(ran, "blame", file.name, "--json")
        for words in (["show", first], ["show", first, "--format", "markdown"], ["rooms"], ["context"], ["status"]):
            self._ask(ran, *words)
        self._ask(ran, "search", self.words, "--scope", "all")
        self._ask(ran, "context", "--query", self.words, "--json")
        self._ask(ran, "distill", "--dry-run")
        for words in (["doctor"], ["verify"]):
            self._ask(ran, *words, code=(0, 1))

    def _ask(self, ran: Ran, *words: str, code: tuple[int, ...] = (0,)) -> str:
        command = [*self.before, sys.executable, "-P", "-m", "pastwork", *words]
        done = subprocess.run(
            command, env=dict(self.variables), cwd=self.workspace, capture_output=True, timeout=300, check=False
        )
        name, said = " ".join(words), done.stdout.decode("utf-8", "replace")
        ran.errors[name] = done.stderr.decode("utf-8", "replace")
        ran.answers[name] = said
        assert done.returncode in code, (name, done.returncode, ran.errors[name][-2000:], said[-500:])
        return said

    def _editor(self, ran: Ran) -> None:
        command = [*self.before, sys.executable, "-P", "-m", "pastwork", "lsp", "--stdio"]
        with raw_client(self.variables, command) as client:
            client.initialize(self.workspace, capabilities=RICH)
            found = self._keep(ran, client, "pastwork/search", {"query": self.words, "scope": "all"})
            self._keep(ran, client, "pastwork/exchange", {"id": found["hits"][0]["id"]})
            for method in ("pastwork/rooms", "pastwork/status", "pastwork/context"):
                self._keep(ran, client, method, {"query": self.words} if method.endswith("context") else {})
            self._keep(ran, client, "workspace/symbol", {"query": self.words.split()[0]})
            for file in self._files():
                self._document(ran, client, file)
            reindex = {"command": "pastwork.server.reindex", "arguments": [True]}
            self._keep(ran, client, "workspace/executeCommand", reindex)
            ran.answers["lsp said"] = json.dumps(client.said, ensure_ascii=False)
            assert client.shut_down() == 0
            ran.errors["lsp"] = client.errors.decode("utf-8", "replace")

    def _document(self, ran: Ran, client: RawClient, file: Path) -> None:
        text = file.read_text(encoding="utf-8")
        document = {"textDocument": {"uri": client.open(file, text)}}
        self._keep(ran, client, "textDocument/codeLens", document, file.name)
        blame = self._keep(ran, client, "pastwork/blame", document, file.name)
        if blame["lines"]:  # brought by the worker, a moment after the file was opened
            line = blame["lines"][-1]["line"] - 1
            at = {**document, "position": {"line": line, "character": 0}}
            until(lambda: client.result("textDocument/hover", at), 20)
        for line in range(min(12, text.count("\n"))):
            at = {**document, "position": {"line": line, "character": 0}}
            self._keep(ran, client, "textDocument/hover", at, f"{file.name}:{line}")
        self._keep(ran, client, "pastwork/history", document, file.name)

    def _keep(self, ran: Ran, client: RawClient, method: str, params: Any, about: str = "") -> Any:
        answer = client.result(method, params, 120)
        ran.answers[f"lsp {method} {about}".strip()] = json.dumps(answer, ensure_ascii=False)
        return answer

    def _agent(self, ran: Ran) -> None:
        """The MCP server; its protocol is one JSON message a line."""
        command = [*self.before, sys.executable, "-P", "-m", "pastwork", "mcp"]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(self.variables), cwd=self.workspace
        ) as process:
            hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            said(process, 1, "initialize", hello)
            tell(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            found = self._call(ran, process, 2, "search_past_work", {"query": self.words})
            ids = re.findall(r'"id": ?"([0-9a-f]{16})"', found)
            self._call(ran, process, 3, "read_exchange", {"id": ids[0]})
            self._call(ran, process, 4, "list_rooms", {})
            for number, file in enumerate(self._files(), 5):
                self._call(ran, process, number, "past_work_on_file", {"path": str(file)})
            assert process.stdin is not None
            process.stdin.close()
            assert process.stderr is not None
            ran.errors["mcp"] = process.stderr.read().decode("utf-8", "replace")
            process.wait(20)

    def _call(self, ran: Ran, process: subprocess.Popen[bytes], number: int, tool: str, given: dict[str, Any]) -> str:
        answer = said(process, number, "tools/call", {"name": tool, "arguments": given})
        assert not answer["result"].get("isError"), answer
        text = json.dumps(answer, ensure_ascii=False)
        ran.answers[f"mcp {tool} {number}"] = text
        return text

    def _files(self) -> list[Path]:
        return sorted(self.workspace.rglob("*.py"))[:4]


def tell(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def said(process: subprocess.Popen[bytes], number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The reply to one request."""
    tell(process, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert process.stdout is not None
    while line := process.stdout.readline():
        message: dict[str, Any] = json.loads(line)
        if message.get("id") == number:
            return message
    raise AssertionError(f"no reply to {method}")
