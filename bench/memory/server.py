"""``pastwork mcp`` as an agent runs it: a process of its own, asked by the SDK's own client."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from bench.speed.process import resident_mb

TIMES = 30
Arguments = dict[str, Any]


@dataclass
class Served:
    """``first_s`` from the process's start to its first answer; ``calls`` tool -> milliseconds of round trips."""

    first_s: list[float] = field(default_factory=list)
    resident_first_mb: float = 0.0
    resident_keyword_mb: float = 0.0
    resident_semantic_mb: float = 0.0
    described: str = ""
    calls: dict[str, list[float]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)


async def measured(environment: Mapping[str, str], workspace: Path, queries: list[str], files: list[str]) -> Served:
    """Everything without a model first, so that its memory is told apart. Starts the server four times."""
    served = Served()
    for _ in range(3):
        await _started(environment, workspace, files[0], served)
    server = _server(environment, workspace)
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        process = psutil.Process().children(recursive=True)[-1].pid
        served.described = "\n".join(tool.model_dump_json() for tool in (await session.list_tools()).tools)
        await session.call_tool("past_work_on_file", {"path": files[0]})
        served.resident_first_mb = resident_mb(process)
        newest = await session.call_tool("search_past_work", {"query": "", "limit": 50})
        ids = [each["id"] for each in (newest.structured_content or {})["exchanges"]]
        await _calls(session, served, "past_work_on_file", [{"path": file} for file in files])
        await _calls(session, served, "read_exchange", [{"id": each} for each in ids])
        await _calls(session, served, "list_rooms", [{}])
        await _calls(session, served, "search_past_work, newest", [{"query": ""}])
        served.resident_keyword_mb = resident_mb(process)
        begun = time.perf_counter()
        await session.call_tool("search_past_work", {"query": queries[0]})
        served.calls["the first semantic search"] = [(time.perf_counter() - begun) * 1000]
        await _calls(session, served, "search_past_work", [{"query": query} for query in queries])
        served.resident_semantic_mb = resident_mb(process)
    return served


async def _started(environment: Mapping[str, str], workspace: Path, file: str, served: Served) -> None:
    begun = time.perf_counter()
    server = _server(environment, workspace)
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        await session.call_tool("past_work_on_file", {"path": file})
        served.first_s.append(time.perf_counter() - begun)


def _server(environment: Mapping[str, str], workspace: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "pastwork", "mcp"], env=dict(environment), cwd=str(workspace)
    )


async def _calls(session: ClientSession, served: Served, name: str, arguments: list[Arguments]) -> None:
    """Round trips, the arguments in turn; the longest answer is kept."""
    tool = name.partition(",")[0]
    samples: list[float] = []
    for number in range(max(TIMES, len(arguments))):
        begun = time.perf_counter()
        answer = await session.call_tool(tool, arguments[number % len(arguments)])
        samples.append((time.perf_counter() - begun) * 1000)
        text = "\n".join(block.text for block in answer.content if block.type == "text")
        if answer.is_error:
            raise RuntimeError(f"{tool}: {text}")
        served.answers[name] = max(served.answers.get(name, ""), text, key=len)
    served.calls[name] = samples
