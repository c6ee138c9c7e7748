"""Messages of content blocks as Anthropic's interface has them, told to a builder.

Several agents record their conversations in this shape: user messages hold text and tool results,
assistant messages text and tool calls. What of a user's text was typed, the caller says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from pastwork.transcripts import mended_json, tell
from pastwork.transcripts.base import Item
from pastwork.transcripts.builder import Builder, Time
from pastwork.transcripts.faults import Faults


class Run(Struct):
    """A result in the form that says how it went."""

    status: str | None = None
    result: Raw = Raw()
    error: Raw = Raw()


class Block(Struct):
    """Any block; ``content`` is a result's text, or blocks again."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()
    tool_use_id: str | None = None
    tool_use_camel: str | None = field(name="toolUseID", default=None)
    content: Raw = Raw()
    is_error: bool | None = None
    run: Run | None = None


class Message(Struct):
    """``content`` is text, or blocks each decoded on its own."""

    role: str | None = None
    content: str | list[Raw] | None = None


_BLOCK: Decoder[Block] = Decoder(Block)
_TEXTS: Decoder[str | list[Raw]] = Decoder(str | list[Raw])


#: Whose messages there are, of all agents of this shape.
ROLES = frozenset({"user", "assistant", "system", "tool", "developer", "info"})


def blocks(content: str | list[Raw] | None, faults: Faults | None = None, what: str = "") -> list[Block]:
    """A message's blocks; plain text is one."""
    if isinstance(content, str):
        return [Block("text", content)]
    return mended_json.each(content, _BLOCK, faults, f"{what}block")


def tell_message(
    build: Builder,
    message: Message,
    typed: Callable[[str], str | None],
    *,
    offset: int = 0,
    prompt_id: str | None = None,
    time: Time = None,
    faults: Faults | None = None,
) -> Iterator[Item]:
    """Tells one message: results, then the prompt if one was typed; or an answer with its calls."""
    found = blocks(message.content, faults)
    if message.role == "user":
        for block in found:
            if block.type == "tool_result":
                _result(build, block, time)
        text = typed("\n".join(block.text for block in found if block.type == "text" and block.text))
        if text is not None:
            yield from build.prompt(text, offset=offset, prompt_id=prompt_id, time=time)
    elif message.role == "assistant":
        for block in found:
            if block.type == "text":
                build.answer(block.text or "", time=time)
            elif block.type == "tool_use":
                tell.call(build, block.name, block.input, ref=block.id, time=time)


def _result(build: Builder, block: Block, time: Time) -> None:
    ref = block.tool_use_id or block.tool_use_camel
    if block.run is not None:
        output = plain(block.run.result) or plain(block.run.error)
        tell.result(build, ref, output, ok=block.run.status in ("done", "success", None), time=time)
    else:
        tell.result(build, ref, plain(block.content), ok=not block.is_error, time=time)


def plain(content: Raw) -> str:
    """A result's text: of a string or of text blocks; other JSON stands as it is."""
    if not bytes(content):
        return ""
    found = mended_json.value(content, _TEXTS)
    if isinstance(found, str):
        return found
    texts = [block.text for block in mended_json.each(found, _BLOCK) if block.text]
    return "\n".join(texts) if texts else bytes(content).decode("utf-8", "replace")
