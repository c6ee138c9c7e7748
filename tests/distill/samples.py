"""Invented exchanges that several tests look at."""

from __future__ import annotations

import json

from pastwork.model import Edit, Entry, Exchange, Hunk, ToolCall


def exchange(
    prompt: str,
    *answers: str,
    edits: tuple[Edit, ...] = (),
    tools: tuple[ToolCall, ...] = (),
    reads: tuple[str, ...] = (),
    workspace: str | None = "/home/dev/shop",
    cwd: str | None = None,
) -> Exchange:
    """One exchange: the prompt, tools after the first answer, then the other answers."""
    said = [Entry("assistant", text) for text in answers]
    ran = [Entry("tool", "", None, tool) for tool in tools]
    entries = (Entry("user", prompt), *said[:1], *ran, *said[1:])
    return Exchange(
        "0" * 16, "claude-code", "s", 1, prompt, entries, edits, reads, workspace=workspace, cwd=cwd or workspace
    )


def edited(path: str, *lines: str) -> Edit:
    return Edit(path, "edited", (Hunk(lines or ("-old", "+new")),), "patch")


def ran(command: str, output: str = "", ok: bool | None = True) -> ToolCall:
    return ToolCall("Bash", command, json.dumps({"command": command}), output, None, ok)


POOL = exchange(
    "the connection pool times out after 30 seconds when the nightly import runs, please fix it",
    "Let me look at how the pool is configured.",
    "Fixed the pool timeout. **Root cause:** `PoolConfig.acquire_timeout` was read in milliseconds, so the pool in "
    "`src/db/pool.py` gave up after 30 ms instead of 30 s. The value is now multiplied by 1000 and "
    "`test_acquire_waits` covers it. All tests pass.",
    edits=(edited("/home/dev/shop/src/db/pool.py", "-    return timeout", "+    return timeout * 1000"),),
    tools=(ran("pytest -q tests/db", "E   TimeoutError: QueuePool limit of size 5 reached", ok=False),),
    reads=("/home/dev/shop/src/db/config.py",),
)
QUESTION = exchange(
    "how does the retry queue decide when to give up?",
    "The retry queue gives up after `MAX_ATTEMPTS` (5) or when the job is older than 24 hours, whichever comes first. "
    "The check is in `should_retry()` in `src/jobs/retry.py`.",
)
FEATURE = exchange(
    "Let's add a --dry-run flag to the import command",
    "I'll add the flag.",
    "Done. `shop import --dry-run` now prints the rows it would write and exits with 0. The flag is parsed in `cli.py` "
    "and passed to `Importer.run()` as `commit=False`.",
    edits=(edited("/home/dev/shop/src/cli.py", '+    parser.add_argument("--dry-run")'),),
)
YES = exchange("yes")
ALL = (POOL, QUESTION, FEATURE, YES)
