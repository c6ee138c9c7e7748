"""Shows on the terminal what an editor would show on the sample home: ``python -m demo.show TARGET``.

Builds the sample home, indexes it with the installed ``pastwork``, asks a real ``pastwork lsp`` for a
lens and a hover, searches, opens a verbatim, and says how to connect an editor and one's own history.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from demo.build import build
from pastwork import __version__

BIN = Path(sys.executable).parent


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("--model", type=Path, help="folder of the embedding model")
    given = parser.parse_args()
    target = given.target.resolve()
    shutil.rmtree(target, ignore_errors=True)
    home, workspace = build(target, datetime.now(UTC).date())
    environment = _environment(target, home, given.model)
    print(f"pastwork {__version__}: an invented developer's home with seven sessions of six agents\n  {home}")

    _run(environment, workspace, "index", "--scan", str(workspace))
    _title("what the editor shows in ferryline/pool.py")
    name = "ferryline/pool.py"
    asyncio.run(_editor(environment, workspace, name, (workspace / name).read_text(encoding="utf-8")))
    _run(environment, workspace, "search", "why do bookings hang", "--limit", "3")
    found = _run(environment, workspace, "blame", "ferryline/pool.py")
    first = next((word for word in found.split() if len(word) == 16 and set(word) <= set("0123456789abcdef")), None)
    if first is None:
        sys.exit("demo: no line of ferryline/pool.py was attributed; please report this with the output above")
    _run(environment, workspace, "show", first)
    _title("your own history")
    print("  .venv/bin/pastwork index            reads your agents' transcripts (nothing leaves the machine)")
    print("  .venv/bin/pastwork search WORDS     in any project folder")
    print("  VS Code: make vsix, then install the .vsix · Neovim and others: docs/editors.md")


def _environment(target: Path, home: Path, model: Path | None) -> dict[str, str]:
    """The caller's environment with home, data and settings of the demo's own."""
    settings = target / "config.toml"
    settings.write_text(f'[embedding]\nmodel = "{model.resolve().as_posix()}"\n' if model else "", encoding="utf-8")
    agents = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
    kept = {key: value for key, value in os.environ.items() if key not in agents}
    return {**kept, "HOME": str(home), "PASTWORK_HOME": str(target / "data"), "PASTWORK_CONFIG": str(settings)}


def _title(text: str) -> None:
    print(f"\n\033[1m── {text}\033[0m" if sys.stdout.isatty() else f"\n── {text}", flush=True)


def _run(environment: dict[str, str], folder: Path, *words: str) -> str:
    """Runs one command as a person would, shows it and what it prints."""
    _title("pastwork " + " ".join(f'"{word}"' if " " in word else word for word in words))
    done = subprocess.run(
        [BIN / "pastwork", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    print(done.stdout, flush=True)
    if done.returncode:
        sys.exit(f"demo: pastwork {words[0]} ended with {done.returncode}; `pastwork doctor` tells what is wrong")
    return done.stdout


async def _editor(environment: dict[str, str], workspace: Path, name: str, text: str) -> None:
    """Opens one file through the language server as an editor would and prints lens and hovers."""
    client = LanguageClient("pastwork-demo", __version__)
    await client.start_io(str(BIN / "pastwork"), "lsp", env=environment, cwd=str(workspace))
    try:
        folder = lsp.WorkspaceFolder(uri=workspace.as_uri(), name=workspace.name)
        capabilities = lsp.ClientCapabilities(workspace=lsp.WorkspaceClientCapabilities(workspace_folders=True))
        await client.initialize_async(lsp.InitializeParams(capabilities=capabilities, workspace_folders=[folder]))
        client.initialized(lsp.InitializedParams())
        await _show_file(client, (workspace / name).as_uri(), text)
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]


async def _show_file(client: LanguageClient, uri: str, text: str) -> None:
    document = lsp.TextDocumentIdentifier(uri=uri)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(document.uri, "python", 1, text)))
    for _ in range(100):
        lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(document))
        if lenses:
            break
        await asyncio.sleep(0.1)
    else:
        sys.exit("demo: the language server showed no lens within 10 seconds")
    shown = [lens if lens.command else await client.code_lens_resolve_async(lens) for lens in lenses]
    print("lens   " + "\n       ".join(lens.command.title for lens in shown if lens.command))
    lines = text.splitlines()
    line = next(number for number, content in enumerate(lines) if "raise PoolTimeout" in content)
    hover = await _line_hover(client, document, line)
    print(f"\nhover  line {line + 1}: {lines[line].strip()}")
    print("\n".join(f"       {row}" for row in hover.splitlines()))


async def _line_hover(client: LanguageClient, document: lsp.TextDocumentIdentifier, line: int) -> str:
    """The hover's text; lines are attributed in the background just after a file opens."""
    for _ in range(100):
        hover = await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(line, 12)))
        if hover is not None and isinstance(hover.contents, lsp.MarkupContent):
            return hover.contents.value
        await asyncio.sleep(0.1)
    sys.exit("demo: the language server showed no hover within 10 seconds")


if __name__ == "__main__":
    main()
