"""The MCP server as its users run it: a process of its own, asked by the SDK's own client."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent, TextResourceContents

from pastwork.distill.digest import count_tokens
from tests.cli.conftest import Terminal, fresh, pastwork

__all__ = ["fresh", "pastwork"]


@asynccontextmanager
async def session(pastwork: Terminal) -> AsyncIterator[ClientSession]:
    """``-W error`` is not given: the SDK warns of its own doings."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "pastwork", "mcp"], env=pastwork.environment(), cwd=str(pastwork.workspace)
    )
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as opened:
        await opened.initialize()
        yield opened


def text(answer: CallToolResult) -> str:
    block = answer.content[0]
    assert isinstance(block, TextContent)
    return block.text


async def test_four_reading_tools_in_few_words(pastwork: Terminal) -> None:
    async with session(pastwork) as opened:
        tools = (await opened.list_tools()).tools
    assert {tool.name for tool in tools} == {"search_past_work", "past_work_on_file", "read_exchange", "list_rooms"}
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
    described = [said for tool in tools for said in descriptions(tool.model_dump())]
    assert sum(count_tokens(said) for said in described) <= 600


def descriptions(node: object) -> list[str]:
    """Every name and description a model reads of a tool, whatever its depth."""
    if isinstance(node, list):
        return [said for part in node for said in descriptions(part)]
    if not isinstance(node, dict):
        return []
    own = [str(node[key]) for key in ("name", "description") if isinstance(node.get(key), str)]
    return own + [said for value in node.values() for said in descriptions(value)]


async def test_from_search_to_the_verbatim(pastwork: Terminal) -> None:
    async with session(pastwork) as opened:
        found = await opened.call_tool("search_past_work", {"query": "bookings hang"})
        assert "PoolTimeout" in text(found)
        assert found.structured_content is not None
        first = found.structured_content["exchanges"][0]["id"]
        read = await opened.call_tool("read_exchange", {"id": first})
        assert "Bookings hang for ever when more than four people book at once." in text(read)
        resource = await opened.read_resource(f"pastwork://exchange/{first}")
        assert isinstance(resource.contents[0], TextResourceContents)
        assert "Bookings hang for ever" in resource.contents[0].text


async def test_a_line_of_a_file(pastwork: Terminal) -> None:
    lines = (pastwork.workspace / "ferryline/pool.py").read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if "raise PoolTimeout" in line)
    async with session(pastwork) as opened:
        told = await opened.call_tool("past_work_on_file", {"path": "ferryline/pool.py", "line": number})
    assert "wrote lines" in text(told)
    assert told.structured_content is not None
    assert told.structured_content["exchanges"][0]["tier"] == "line"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_past_work", {}),
        ("search_past_work", {"query": 5, "limit": "many"}),
        ("search_past_work", {"query": "x", "limit": 0}),
        ("read_exchange", {"id": "nope"}),
        ("read_exchange", {"id": "nope", "page": -1}),
        ("list_rooms", {"room": "concept:nowhere"}),
        ("past_work_on_file", {"path": "../../../etc/passwd"}),
        ("no_such_tool", {}),
    ],
)
async def test_bad_arguments_get_an_error(pastwork: Terminal, tool: str, arguments: dict[str, object]) -> None:
    async with session(pastwork) as opened:
        said, failed = await outcome(opened, tool, arguments)
        assert failed
        assert "Traceback" not in said
        again = await opened.call_tool("list_rooms", {})
        assert not again.is_error, "the server goes on"


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("read_exchange", {"id": "nope"}, "no exchange of this workspace has the id nope. Take an id"),
        (
            "read_exchange",
            {"id": "x\n</past-work>\n" * 9999},
            "no exchange of this workspace has the id x </past-work>",
        ),
        ("past_work_on_file", {"path": "/etc/passwd"}, "/etc/passwd is outside this workspace. Only the user"),
        ("search_past_work", {"query": "x", "since": "never"}, "since"),
        ("list_rooms", {"room": "concept:nowhere\nx"}, "no room is called concept:nowhere x here"),
    ],
)
async def test_what_is_wrong_is_one_clear_sentence(
    pastwork: Terminal, tool: str, arguments: dict[str, object], sentence: str
) -> None:
    async with session(pastwork) as opened:
        said, failed = await outcome(opened, tool, arguments)
    assert failed
    assert sentence in said
    assert len(said.splitlines()) == 1
    assert len(said) < 500


async def test_a_page_far_behind_the_last(pastwork: Terminal) -> None:
    async with session(pastwork) as opened:
        newest = await opened.call_tool("search_past_work", {"query": ""})
        first = text(newest).splitlines()[1].split()[0]
        said, failed = await outcome(opened, "read_exchange", {"id": first, "page": 10**9})
    assert failed
    assert "there is no page 1000000000 of" in said


async def test_before_the_first_index(fresh: Terminal) -> None:
    async with session(fresh) as opened:
        found = await opened.call_tool("search_past_work", {"query": "pool"})
        assert not found.is_error
        assert "nothing is indexed yet" in text(found)
        said, failed = await outcome(opened, "read_exchange", {"id": "0" * 16})
    assert failed
    assert "no exchange of this workspace has the id" in said


async def outcome(opened: ClientSession, tool: str, arguments: dict[str, object]) -> tuple[str, bool]:
    """What was said and whether it is an error, of the protocol's or of the tool's."""
    try:
        answer = await opened.call_tool(tool, arguments)
    except MCPError as error:
        return str(error), True
    return text(answer), bool(answer.is_error)
