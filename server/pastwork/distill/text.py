"""What of an exchange is read: its prose, what keywords search, and text made safe to show.

In: an exchange whose secrets are masked. Out: plain text. ``prose`` is what people wrote and were
told (it is what counts as verbatim tokens); ``searchable`` adds commands and the output of what
failed. Neither holds control or invisible characters; ``visible`` shows those as marks.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

from pastwork.model import Exchange, ToolCall

#: Of failed tools' outputs, of all commands together, and of any one command, at most this many characters.
ERROR_CHARS = 2_000
ERRORS_CHARS = 12_000
COMMAND_CHARS = 600
COMMANDS_CHARS = 12_000
PROSE_CHARS = 200_000

#: Terminal sequences: CSI, OSC (ended by BEL or ST), and other two-character escapes.
_TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -~]?"
)
_CONTROLS = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
#: Bidirectional controls, zero-width and tag characters, and other invisible format characters.
_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_CONTROL = re.compile(f"[{_CONTROLS}]")
_INVISIBLE = re.compile(f"[{_HIDDEN}]")
#: Line separators other than ours.
_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
ODD = re.compile(f"[\r\u2028\u2029{_CONTROLS}{_HIDDEN}]")
#: What agents put where nothing was answered.
_NO_ANSWERS = frozenset(["No response requested.", "(no content)"])
_MARK = "\u2426"


class _Command(Struct, frozen=True):
    """The parts of a tool's input that say what was run."""

    command: str | list[str] | None = None
    cmd: str | list[str] | None = None
    script: str | None = None


class Reading(Struct, frozen=True, gc=False):
    """An exchange's texts, plain: prompt, prompts typed while the agent worked, answers, what was run, what failed."""

    prompt: str = ""
    asides: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class Texts(Struct, frozen=True, gc=False):
    """What keywords are looked for in, by kind: prompts, answers, commands, failed output."""

    prompt: str = ""
    prose: str = ""
    commands: str = ""
    errors: str = ""


def read(exchange: Exchange) -> Reading:
    """The exchange's texts, each cleaned once."""
    asides = [entry.text for entry in exchange.entries if entry.role == "user" and entry.text != exchange.prompt]
    answers = [entry.text for entry in exchange.entries if entry.role == "assistant"]
    tools = [entry.tool for entry in exchange.entries if entry.tool is not None]
    return Reading(
        plain(exchange.prompt),
        tuple(filter(None, map(plain, asides))),
        tuple(text for text in map(plain, answers) if text and text not in _NO_ANSWERS),
        _commands(tools),
        _errors(tools),
    )


def prose(exchange: Exchange) -> str:
    """The prompts and the agent's answers: what is counted as verbatim tokens."""
    return prose_of(read(exchange))


def searchable(exchange: Exchange) -> str:
    """Prose, commands and the output of what failed: what the keyword lane sees."""
    reading = read(exchange)
    return "\n\n".join((prose_of(reading), *reading.commands, *reading.errors))


def prose_of(reading: Reading) -> str:
    return "\n\n".join((reading.prompt, *reading.asides, *reading.answers))[:PROSE_CHARS]


def texts(exchange: Exchange) -> Texts:
    """``searchable`` in its kinds."""
    return texts_of(read(exchange))


def texts_of(reading: Reading) -> Texts:
    return Texts(
        "\n\n".join((reading.prompt, *reading.asides))[:PROSE_CHARS],
        "\n\n".join(reading.answers)[:PROSE_CHARS],
        "\n".join(reading.commands),
        "\n".join(reading.errors),
    )


def command_of(tool: ToolCall) -> str:
    """The command line in a tool's input; empty where the tool ran none."""
    try:
        found = msgspec.json.decode(tool.input_json, type=_Command)
    except (msgspec.DecodeError, RecursionError):
        return ""
    value = found.command or found.cmd or found.script or ""
    if isinstance(value, list):
        value = value[-1] if len(value) == 3 and value[1] in {"-c", "-lc"} else " ".join(value)
    return value


def _commands(tools: list[ToolCall]) -> tuple[str, ...]:
    """What was run, each once, first come first."""
    seen: dict[str, None] = {}
    size = 0
    for tool in tools:
        command = plain(command_of(tool)[:COMMAND_CHARS])
        if command and command not in seen:
            seen[command] = None
            size += len(command)
        if size > COMMANDS_CHARS:
            break
    return tuple(seen)


def _errors(tools: list[ToolCall]) -> tuple[str, ...]:
    """Head and tail of the outputs of tools that failed."""
    found: list[str] = []
    size = 0
    for tool in tools:
        if tool.ok is False and size <= ERRORS_CHARS and (output := plain(cut(tool.output, ERROR_CHARS))):
            found.append(output)
            size += len(output)
    return tuple(found)


def cut(text: str, limit: int) -> str:
    """Head and tail of ``text``, at most about ``limit`` characters, with a mark between them."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


def plain(text: str) -> str:
    """Text for reading and searching: terminal sequences, control and invisible characters taken out."""
    if ODD.search(text) is None:
        return text.strip()
    text = _TERMINAL.sub("", _BREAKS.sub("\n", text))
    return _INVISIBLE.sub("", _CONTROL.sub("", text)).strip()


def visible(text: str) -> str:
    """Text for showing: each control or invisible character becomes a mark, terminal sequences one mark."""
    if ODD.search(text) is None:
        return text
    text = _TERMINAL.sub(_MARK, _BREAKS.sub("\n", text))
    return _INVISIBLE.sub(_invisible_mark, _CONTROL.sub(_control_mark, text))


def _control_mark(match: re.Match[str]) -> str:
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else _MARK


def _invisible_mark(match: re.Match[str]) -> str:
    """A mark, but for the joiner inside an emoji."""
    text, at = match.string, match.start()
    inside = 0 < at < len(text) - 1 and text[at - 1] >= "\u2190" and text[at + 1] >= "\u2190"
    return "\u200d" if inside and match.group() == "\u200d" else _MARK
