"""What is imported before ``initialize`` is answered, and that memory's answers need nothing heavy at all."""

from __future__ import annotations

import sys
import time
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.lsp.conftest import Sample
from tests.lsp.raw import RICH, raw_client

#: A server that says on stderr which modules it has when it writes its first byte.
PROBE = """
import os, sys
write = os.write
def told(descriptor, data):
    if b"serverInfo" in bytes(data):
        os.write = write
        print("loaded", *sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr, flush=True)
    return write(descriptor, data)
os.write = told
sys.argv = ["pastwork", "lsp", "--stdio"]
from pastwork.entry import main
main()
"""

#: A server in which importing any of these ends the importing process.
MUTILATED = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {heavy!r}:
            sys.stderr.write("imported " + name + chr(10))
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
"""
HEAVY = ("faiss", "onnxruntime", "whoosh", "numpy", "tokenizers", "tree_sitter", "ollama", "torch", "click", "rich")


def allowed() -> set[str]:
    """pygls, lsprotocol, msgspec and what they require, by module name."""
    names, waiting = set[str](), ["pygls", "lsprotocol", "msgspec"]
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.add(name)
        needs = map(Requirement, requires(name) or ())
        waiting += [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    return {name.replace("-", "_") for name in names} | {"attr", "pastwork"}


def test_before_the_answer_only_the_protocols_own_is_imported(indexed: Sample) -> None:
    command = [sys.executable, "-P", "-c", PROBE]
    with raw_client(indexed.variables(), command) as client:
        client.initialize(indexed.workspace)
        deadline = time.monotonic() + 5
        while b"loaded" not in client.errors or not client.errors.endswith(b"\n"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        loaded = set(client.errors.decode().split("loaded ", 1)[1].splitlines()[0].split())
        assert client.shut_down() == 0
    # What the interpreter itself loads in an installation with path files.
    started = {"__main__", "_distutils_hack", "sitecustomize", "usercustomize"}
    foreign = loaded - set(sys.stdlib_module_names) - allowed() - started
    assert not {name for name in foreign if not name.startswith("__editable__")}


def test_lens_hover_and_symbols_need_nothing_heavy(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(MUTILATED.format(heavy=set(HEAVY)))
    variables = sample.variables()
    variables["PYTHONPATH"] = f"{tmp_path}:{variables['PYTHONPATH']}"
    pool = sample.workspace / "ferryline" / "pool.py"
    with raw_client(variables) as client:
        client.initialize(sample.workspace, capabilities=RICH, options={"client": {"opensHistory": True}})
        uri = client.open(pool, pool.read_text())
        lenses = client.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
        assert "past exchange" in lenses[0]["command"]["title"]
        assert client.result("codeLens/resolve", lenses[0])["command"] == lenses[0]["command"]
        hover = client.result(
            "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
        )
        assert "past exchange" in hover["contents"]["value"]
        assert client.result("workspace/symbol", {"query": "pool"})
        assert client.result("pastwork/status")["agents"]["claude-code"]["exchanges"]
        assert client.shut_down() == 0
        told = client.errors.decode()
    assert "imported" not in "".join(
        line for line in told.splitlines() if "pastwork.sync" not in line and "numpy" not in line
    )


@pytest.mark.parametrize("words", [["lsp"], ["lsp", "--stdio"]])
def test_the_server_starts_without_the_command_line(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from pastwork import entry
    from pastwork.lsp import server

    served: list[bool] = []
    monkeypatch.setattr(server, "main", lambda: served.append(True))
    entry.main(words)
    assert served == [True]


@pytest.mark.parametrize("words", [["lsp", "--help"], ["--version"], []])
def test_everything_else_is_the_command_lines(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from pastwork import entry
    from pastwork.cli import main as command_line

    asked: list[list[str]] = []
    monkeypatch.setattr(command_line, "main", asked.append)
    entry.main(words)
    assert asked == [words]
