"""The server's life as the editor sees it: new work, crashes, no server, folders; hostile text; no errors."""

from __future__ import annotations

import re
import shutil
import signal
import sys
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.lsp.conftest import Sample
from tests.lsp.transcript import appended, transcript_with
from tests.neovim.conftest import COMMAND, POOL, TOLD, Start, options
from tests.neovim.nvim import Nvim, errors

MARKS = "vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('pastwork'), 0, -1, { details = true })"
LENS = "vim.lsp.codelens.get(0)[1] and vim.lsp.codelens.get(0)[1].command.title"
#: Another client than the one of that number is attached, and has answered.
AGAIN = f"(vim.lsp.get_clients({{ bufnr = 0 }})[1] or {{ id = ... }}).id ~= ... and {LENS}"
SAID = "vim.fn.execute('messages'):find(..., 1, true)"
PROMPT = "Bookings hang for ever when more than four people book"


def server(child: Nvim) -> psutil.Process:
    """The language server's process."""
    (found,) = [each for each in psutil.Process(child.process.pid).children() if "lsp" in each.cmdline()]
    return found


def test_new_work_shows_up(start: Start, sample: Sample) -> None:
    """Lens, annotation and search follow a transcript as an agent appends to it."""
    page = sample.workspace / "web" / "harbour.py"
    page.write_text("print('harbour')\n")
    try:
        child = start(sample, page)
        child.wait("#vim.lsp.get_clients({ bufnr = 0 }) > 0")
        child.run("vim.wait(1500)")
        assert child.lua(LENS) is None
        appended(transcript_with(sample.home, PROMPT), "Greet the harbour in web/harbour.py", "Done.", edited=page)
        title = child.wait(LENS)
        assert title.startswith("1 past exchange")
        child.wait(f"#{MARKS} == 1")
        child.command("Pastwork search greet harbour")
        child.wait("part('list') and part('list')[1]:find('harbour', 1, true)")
        assert errors(child.messages()) == []
    finally:
        page.unlink()


def test_the_first_run(start: Start, sample: Sample) -> None:
    """Nothing is indexed: the search says so, and fills by itself as the first index comes along."""
    shutil.rmtree(sample.data)
    child = start(sample)
    child.command("Pastwork search")
    assert child.lua("part('list')") == ["  Looking …"]
    child.wait("part('list') and #part('list') >= 12", seconds=60)
    child.keys("<Esc>")
    child.open(POOL)
    child.wait(LENS)
    child.wait("require('pastwork').statusline():find('9 past exchanges')")
    assert child.messages() == [line for line in child.messages() if "pool.py" in line]


def test_a_crashed_server_is_started_again(start: Start, indexed: Sample) -> None:
    child = start(indexed, POOL)
    child.wait(LENS)
    child.cursor(22)
    child.wait(f"#{MARKS} == 1")
    before = server(child)
    number = child.lua("vim.lsp.get_clients()[1].id")
    before.send_signal(signal.SIGKILL)
    child.wait(AGAIN, number)
    assert server(child).pid != before.pid
    child.cursor(8)
    child.wait(f"#{MARKS} == 1 and {MARKS}[1][2] == 7")
    child.wait("require('pastwork').statusline():find('past exchanges')")
    child.command("Pastwork search bookings four")
    child.wait("part('list') and part('list')[1]:find(..., 1, true)", TOLD["Bookings hang for ever"][0])


def test_a_server_that_keeps_crashing_is_left_alone(start: Start, indexed: Sample, tmp_path: Path) -> None:
    log = tmp_path / "starts"
    command = [sys.executable, "-c", f"open({str(log)!r}, 'a').write('x'); import sys; sys.exit(7)"]
    child = start(indexed, POOL, options=options(cmd=command))
    child.wait(SAID, "The pastwork server keeps ending; it was not started again (:Pastwork log, :Pastwork restart).")
    time.sleep(1)
    assert len(log.read_text()) == 5
    child.command("messages clear")
    child.command("Pastwork search")  # one more try, and what it comes to is told
    child.wait(SAID, "keeps ending")
    assert child.lua("require('pastwork').statusline()") == ""


def test_restart_also_after_too_many_crashes(start: Start, indexed: Sample, tmp_path: Path) -> None:
    flag = tmp_path / "works"
    command = [
        sys.executable,
        "-P",
        "-c",
        f"import os, sys; os.path.exists({str(flag)!r}) or sys.exit(7); from pastwork.lsp.server import main; main()",
    ]
    child = start(indexed, POOL, options=options(cmd=command))
    child.wait(SAID, "it was not started again")
    flag.touch()
    child.command("Pastwork restart")
    child.wait(LENS)
    before = child.lua("vim.lsp.get_clients()[1].id")
    child.command("Pastwork restart")
    child.wait(AGAIN, before)


def test_what_the_user_ends_stays_ended(start: Start, indexed: Sample) -> None:
    child = start(indexed, POOL)
    child.wait(LENS)
    child.cursor(22)
    child.wait(f"#{MARKS} == 1")
    child.command("lua vim.lsp.enable('pastwork', false)")
    child.wait(f"#vim.lsp.get_clients() == 0 and #{MARKS} == 0")
    time.sleep(1)
    assert child.lua("#vim.lsp.get_clients()") == 0
    assert child.lua("require('pastwork').statusline()") == ""


def test_the_servers_end_with_neovim(start: Start, indexed: Sample) -> None:
    child = start(indexed, POOL)
    child.wait(LENS)
    family = psutil.Process(child.process.pid).children(recursive=True)
    assert len(family) >= 2
    child.close()
    _gone, alive = psutil.wait_procs(family, timeout=10)
    assert not alive


def test_without_a_server(start: Start, indexed: Sample) -> None:
    """One warning, however many files are opened; every command says the same."""
    child = start(indexed, POOL, options=options(cmd=["pastwork-that-is-not-there", "lsp"]))
    missing = "pastwork: the server was not found. Install it with: pipx install pastwork"
    child.wait(SAID, missing)
    child.open("ferryline/tickets.py")
    child.run("vim.wait(100)")
    assert child.messages() == [missing]
    for deed in ("file", "rooms", "status", "reindex"):
        child.command("messages clear")
        child.command(f"Pastwork {deed}")
        assert missing in child.messages()
    child.command("Pastwork search")
    assert child.lua("part('list')") == [f"  {missing}"]
    assert "pipx install pastwork" in "\n".join(child.screen())  # a long line is wrapped
    assert child.lua("#vim.lsp.get_clients()") == 0


def test_a_program_where_pipx_puts_it(start: Start, sample: Sample) -> None:
    """A Neovim started by a desktop has a shorter PATH."""
    tools = sample.home / ".local" / "bin"
    tools.mkdir(parents=True)
    script = tools / "pastwork-of-pipx"
    script.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND[:-1])} "$@"\n')
    script.chmod(0o755)
    child = start(sample, POOL, options=options(cmd=["pastwork-of-pipx", "lsp"]))
    child.wait(LENS)
    assert child.lua("vim.lsp.get_clients()[1].config.cmd") == [str(script), "lsp"]


@pytest.fixture
def rooted(start: Start, sample: Sample) -> Callable[[str, str], object]:
    """``rooted(file, cwd)``: the workspace that is told for a file below the home folder; False where none is attached."""
    for name in ("code/ferryline/ferryline/pool.py", "repo/src/a.py", "repo/.git/COMMIT_EDITMSG", "notes.md"):
        (sample.home / name).parent.mkdir(parents=True, exist_ok=True)
        (sample.home / name).write_text("x = 1\n")
    child = start(sample, cwd=sample.home, init="_G.told = nil")

    def asked(file: str, cwd: str) -> object:
        child.command(f"cd {sample.home / cwd}")
        child.command(f"noautocmd edit {file if ':' in file else sample.home / file}")
        told = child.run(
            "local told = false; vim.lsp.config.pastwork.root_dir(0, function(root) told = root or 'none' end); return told"
        )
        return str(Path(told).relative_to(sample.home)) if told not in ("none", False) else told

    return asked


def test_the_workspace(rooted: Callable[[str, str], object]) -> None:
    pool = "code/ferryline/ferryline/pool.py"
    for file, cwd, expected in [
        (pool, "code/ferryline", "code/ferryline"),
        (pool, "code", "code"),
        (pool, ".", "code/ferryline/ferryline"),  # all of the home folder is no workspace
        ("repo/src/a.py", ".", "repo"),
        ("repo/src/a.py", "repo/src", "repo"),
        ("notes.md", ".", "none"),
        ("notes.md", "code", "none"),
        # Commit messages and documents of other schemes start nothing.
        ("repo/.git/COMMIT_EDITMSG", "repo", False),
        ("pastwork://exchange/0123456789abcdef.md", "repo", False),
        ("oil:///tmp", "repo", False),
    ]:
        assert rooted(file, cwd) == expected, (file, cwd)


def test_two_projects_in_one_neovim(start: Start, sample: Sample) -> None:
    """Each has its server; a question goes to that of the file, or to that last used."""
    (sample.home / "repo" / ".git").mkdir(parents=True)
    (sample.home / "repo" / "a.py").write_text("x = 1\n")
    child = start(sample, POOL, sample.home / "repo" / "a.py")
    child.wait(LENS)
    child.open(sample.home / "repo" / "a.py")
    child.wait("#vim.lsp.get_clients() == 2 and #vim.lsp.get_clients({ bufnr = 0 }) == 1")
    child.command(f"edit {sample.workspace / POOL}")
    child.command("Pastwork line")
    child.wait("part('list') and #part('list') > 1")
    child.keys("<CR>")
    child.wait("vim.api.nvim_buf_get_name(0):find('^pastwork://') and vim.fn.line('$') > 5")


HOSTILE = (
    "\x1b]0;owned\x07\x1b[31m\x9b2J \u202egnp.exe\u2066 z\u200bero \U000e0041 <script>alert(1)</script> "
    "![x](http://192.0.2.1/a.png) %{execute('qall!')} $(touch owned) `rm -rf` \x00\x08\x7f end"
)


def test_no_control_byte_reaches_the_screen(start: Start, sample: Sample) -> None:
    page = sample.workspace / "web" / "hostile.py"
    page.write_text("print('harbour')\n")
    try:
        appended(transcript_with(sample.home, PROMPT), f"zebra {HOSTILE}", f"I wrote zebra {HOSTILE}", edited=page)
        sample.pastwork("index", "--no-vectors")
        child = start(sample, page, size=(160, 40))
        child.wait(f"{LENS} and #{MARKS} == 1")
        seen = [child.screen()]
        child.keys("K")
        child.wait("#vim.api.nvim_list_wins() == 2")
        seen.append(child.screen())
        child.command("Pastwork search zebra")
        child.wait("part('list') and part('preview') and part('preview')[1]:find('zebra')")
        seen.append(child.screen())
        child.keys("<CR>")
        child.wait("vim.api.nvim_buf_get_name(0):find('^pastwork://') and vim.fn.line('$') > 5")
        child.command("normal! zR")
        seen.append(child.screen())
        child.command("normal! G")
        seen.append(child.screen())
        child.run("vim.fn.confirm = function(prompt) vim.notify(prompt) return 2 end")
        child.command("Pastwork forget")
        child.wait(SAID, "Forget this exchange?")
        child.command(f"edit {page}")
        child.command("Pastwork quickfix")
        child.wait("vim.bo.buftype == 'quickfix'")
        seen.append(child.screen())
        child.command("Pastwork rooms")
        child.wait("part('list')")
        seen.append(child.screen())
        for text in ["\n".join(screen) for screen in seen] + ["\n".join(child.messages())]:
            assert "zebra" in text or "Rooms" in text
            bad = {
                hex(ord(char))
                for char in text
                if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs")
            }
            assert not bad
        assert not (sample.workspace / "owned").exists()
        assert "␛]0;owned␇" in "\n".join(seen[3])
    finally:
        page.unlink()


def test_nothing_went_wrong_in_a_working_day(start: Start, sample: Sample) -> None:
    """All commands one after the other; no error in :messages, none in the log of the language client."""
    child = start(sample, POOL)
    child.wait(LENS)
    for deed in (
        "file",
        "line",
        "quickfix",
        "loclist",
        "rooms",
        "search zebra",
        "status",
        "toggle",
        "toggle off",
        "reindex",
        "log",
        "search",
    ):
        child.command(f"silent! edit {sample.workspace / POOL}")
        child.command(f"Pastwork {deed}")
        child.run("vim.wait(400)")
        child.keys("<Esc>")
    child.run("vim.wait(500)")
    assert errors(child.messages()) == []
    log = Path(child.lua("vim.lsp.log.get_filename()"))
    assert not log.exists() or not re.findall(r"^\[(?:WARN|ERROR)\].*", log.read_text(), re.MULTILINE)
