"""What has to be fast: the first lens, results while typing, start-up. ``PASTWORK_RESULTS=DIR`` keeps the figures."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import Sample
from tests.neovim.conftest import POOL, Start, options
from tests.neovim.nvim import PLUGIN, Nvim, errors, program

FIRST_LENS_S, RESULTS_P95_MS, START_UP_MS = 1.5, 120.0, 2.0
#: On a machine that is busy with other things a measurement is taken again.
ATTEMPTS = 3
QUERIES = (
    "bookings hang",
    "pool timeout",
    "why 5 seconds",
    "sign-in token race",
    "price in cents",
    "cache timetable",
    '"zone"',
    "flaky load test",
)

#: Notes when the server has answered `initialize` and when the first lens is there.
WATCH = """
vim.api.nvim_create_autocmd('LspAttach', { once = true, callback = function(event)
  local began, timer = vim.uv.hrtime(), vim.uv.new_timer()
  timer:start(0, 2, vim.schedule_wrap(function()
    if not _G.first_lens and #vim.lsp.codelens.get(event.buf) > 0 then
      _G.first_lens = (vim.uv.hrtime() - began) / 1e9
      timer:stop()
    end
  end))
end })
vim.lsp.enable('pastwork')
"""

#: Types one key into the picker; the time until the list was drawn for it is put into `took` (ms).
TYPE = """
local list
for _, window in ipairs(vim.api.nvim_list_wins()) do
  local buffer = vim.api.nvim_win_get_buf(window)
  if vim.bo[buffer].filetype == 'pastwork-list' then list = buffer end
end
local began = vim.uv.hrtime()
_G.took = nil
vim.api.nvim_buf_attach(list, false, { on_lines = function()
  _G.took = _G.took or (vim.uv.hrtime() - began) / 1e6
  return true
end })
vim.api.nvim_input(...)
"""


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def in_reach(measure: Callable[[], float], bound: float) -> list[float]:
    """Measures until the bound is met, at most so often; what was measured each time."""
    taken: list[float] = []
    while len(taken) < ATTEMPTS and not (taken and taken[-1] <= bound):
        taken.append(measure())
    return taken


def keep(name: str, what: str, taken: Sequence[float], bound: float, unit: str, note: str = "") -> None:
    """One line of the day's results."""
    folder = os.environ.get("PASTWORK_RESULTS")
    if not folder:
        return
    now = datetime.now(UTC)
    file = Path(folder) / f"{now:%Y-%m-%d}-neovim.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, Neovim 0.11.4"
    head = [
        f"# Neovim client {now:%Y-%m-%d}",
        "",
        f"{machine}. Written by `PASTWORK_RESULTS=bench/results python -m pytest tests/neovim/test_reach.py`; see there how each",
        f"figure is taken. What misses its bound is measured again, at most {ATTEMPTS} times; every value is given.",
        "",
        "| figure | measured | bound | unit | load average | of |",
        "|---|---|---|---|---|---|",
    ]
    rows = file.read_text(encoding="utf-8").splitlines() if file.exists() else head
    rows = [row for row in rows if not row.startswith(f"| {name} |")]
    values = ", ".join(f"{value:.3g}" for value in taken)
    rows.append(f"| {name} | {values} | {bound:g} | {unit} | {os.getloadavg()[0]:.1f} | {what}{note} |")
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")


def test_the_first_lens(start: Start, indexed: Sample) -> None:
    def measure() -> float:
        child = start(indexed, POOL, init=WATCH)
        taken = float(child.wait("first_lens"))
        child.close()
        return taken

    taken = in_reach(measure, FIRST_LENS_S)
    keep(
        "first lens",
        "the sample home; from the server's `initialize` reply to the lens in the buffer",
        taken,
        FIRST_LENS_S,
        "s",
    )
    assert taken[-1] <= FIRST_LENS_S, taken


def typing(child: Nvim, queries: Sequence[str]) -> list[float]:
    """Milliseconds from each key to its results, at eight keys a second; the whole query is deleted key by key."""
    taken: list[float] = []
    for query in queries:
        for key in [*query, *["<BS>"] * len(query)]:
            began = time.monotonic()
            child.run(TYPE, key.replace(" ", "<Space>"))
            taken.append(float(child.wait("took")))
            time.sleep(max(0.0, 0.125 - (time.monotonic() - began)))
    return taken


def picker(child: Nvim, queries: Sequence[str]) -> Callable[[], float]:
    """A measurement of the 95th percentile, after a first search that has loaded the model."""
    child.wait("#vim.lsp.get_clients() > 0")
    child.command("Pastwork search")
    child.wait("part('list') and #part('list') > 1", seconds=60)
    typing(child, queries[:1])
    return lambda: percentile(typing(child, queries), 0.95)


def with_model(folder: Path) -> dict[str, Any]:
    return options(settings={"embedding.model": str(folder)})


def test_results_while_typing(start: Start, sample: Sample, model_folder: Path) -> None:
    (sample.home / "config.toml").write_text(f'[embedding]\nmodel = "{model_folder}"\n')
    sample.pastwork("index")
    child = start(sample, POOL, options=with_model(model_folder))
    taken = in_reach(picker(child, QUERIES), RESULTS_P95_MS)
    keys = sum(2 * len(query) for query in QUERIES)
    keep(
        "results while typing, p95",
        f"the sample home, 9 exchanges with vectors, preview on; {keys} keys at 8 a second",
        taken,
        RESULTS_P95_MS,
        "ms",
    )
    assert taken[-1] <= RESULTS_P95_MS, taken
    assert errors(child.messages()) == []


@pytest.mark.soak
@pytest.mark.shared
@pytest.mark.timeout(3600)
def test_results_while_typing_in_a_large_history(
    start: Start, corpus_home: Path, model_folder: Path, tmp_path: Path
) -> None:
    sample = Sample(corpus_home, corpus_home, tmp_path / "data")
    config = tmp_path / "config.toml"
    config.write_text(f'[embedding]\nmodel = "{model_folder}"\n')
    words = [*with_model(model_folder)["cmd"][:-1], "index", "--scan", str(corpus_home), "--json"]
    subprocess.run(
        words, env=sample.variables(PASTWORK_CONFIG=str(config)), cwd=tmp_path, check=True, stdout=subprocess.DEVNULL
    )
    child = start(sample, cwd=tmp_path, options=with_model(model_folder), variables={"PASTWORK_CONFIG": str(config)})
    child.command("Pastwork search")
    child.wait("part('list') and #part('list') > 1", seconds=60)
    child.keys("<Esc>")
    measure = picker(
        child,
        (
            "connection pool",
            "retry timeout",
            "parse error in json",
            "rename the module",
            "flaky test",
            "cache invalidation",
        ),
    )
    taken = in_reach(measure, RESULTS_P95_MS)
    count = child.lua(
        "vim.iter(pairs(ask('pastwork/status', vim.empty_dict()).agents)):fold(0, function(sum, _, agent) return sum + agent.exchanges end)"
    )
    keep(
        "results while typing in a large history, p95",
        f"{count} exchanges with vectors, preview on",
        taken,
        RESULTS_P95_MS,
        "ms",
    )
    assert taken[-1] <= RESULTS_P95_MS, taken


def test_start_up(tmp_path: Path) -> None:
    """What sourcing the plugin and enabling the client takes, by Neovim's own clock; the median of seven starts."""

    def once(number: int) -> float:
        log = tmp_path / str(number)
        words = ["--clean", "--headless", "--cmd", f"set runtimepath^={PLUGIN}", "--startuptime", str(log), "+q"]
        subprocess.run([program(), *words], check=True, timeout=60, env={"HOME": str(tmp_path)})
        (line,) = [line for line in log.read_text().splitlines() if "plugin/pastwork.lua" in line]
        return float(line.split()[1])

    taken = in_reach(lambda: statistics.median(once(number) for number in range(7)), START_UP_MS)
    keep("start-up", "sourcing plugin/pastwork.lua, median of 7, `--startuptime`", taken, START_UP_MS, "ms")
    assert taken[-1] <= START_UP_MS, taken
