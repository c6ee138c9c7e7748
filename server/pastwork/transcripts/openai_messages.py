"""Messages as OpenAI's interface has them (role, content, tool_calls), told to a builder."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Raw, Struct, field

from pastwork.transcripts import not_prompts, tell
from pastwork.transcripts.base import Item
from pastwork.transcripts.builder import Builder, Time

#: Whose messages there are; ``thinking`` is Continue's.
ROLES = frozenset({"user", "assistant", "tool", "system", "developer", "thinking"})


class Function(Struct):
    name: str | None = None
    arguments: Raw = Raw()


class ToolCall(Struct):
    id: str | None = None
    function: Function | None = None


class Part(Struct):
    type: str | None = None
    text: str | None = None


class Message(Struct):
    """``injected`` messages were put in by the program."""

    role: str | None = None
    content: str | list[Part] | None = None
    tool_calls: list[ToolCall] | None = None
    tool_calls_camel: list[ToolCall] | None = field(name="toolCalls", default=None)
    tool_call_id: str | None = None
    tool_call_id_camel: str | None = field(name="toolCallId", default=None)
    injected: bool | None = None

    @property
    def text(self) -> str:
        """The content's text."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.text)


def tell_message(
    build: Builder, message: Message, *, offset: int = 0, ok: bool | None = None, time: Time = None
) -> Iterator[Item]:
    """Tells one message; ``ok`` where another place already says how its calls went."""
    if message.injected or message.role in ("system", "developer", "thinking"):
        return
    if message.role == "user":
        text = not_prompts.typed(message.text)
        if text is not None:
            yield from build.prompt(text, offset=offset, time=time)
    elif message.role == "assistant":
        build.answer(message.text, time=time)
        for call in message.tool_calls or message.tool_calls_camel or ():
            function = call.function or Function()
            tell.call(build, function.name, function.arguments, ref=call.id, ok=ok, time=time)
    elif message.role == "tool":
        ref = message.tool_call_id or message.tool_call_id_camel
        known = build.draft.calls.get(ref or "") if build.draft else None
        failed = known is not None and known.tool.ok is False
        tell.result(build, ref, message.text, ok=not failed and not _failed(message.text), time=time)


def _failed(output: str) -> bool:
    """Results carry no success; these beginnings are how tools of this shape report failure."""
    return output.lstrip()[:12].casefold().startswith(("error:", "<tool_error>", "<user_cance"))
