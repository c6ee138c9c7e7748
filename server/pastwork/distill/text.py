"""What of an exchange is read: its prose, what keywords search, and text made safe to show.

In: an exchange whose secrets are masked. Out: plain text. ``prose`` is what people wrote and were
told (it is what counts as verbatim tokens); ``searchable`` adds commands and the output of what
failed. Neither holds control or invisible characters; ``visible`` shows those as marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from pastwork.distill.redact import cut
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
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
#: Bidirectional controls, zero-width and tag characters, and other invisible format characters.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
#: Line separators that are no line ends to us.
_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
_MARK = "\u2426"


class _Command(Struct, frozen=True):
    """The parts of a tool's input that say what was run."""

    command: str | list[str] | None = None
    cmd: str | list[str] | None = None
    script: str | None = None


def prose(exchange: Exchange) -> str:
    """The prompt, prompts typed while the agent worked, and the agent's answers, in order."""
    return "\n\n".join(messages(exchange))[:PROSE_CHARS]


def searchable(exchange: Exchange) -> str:
    """Prose, commands and the output of what failed: what the keyword lane sees."""
    return "\n\n".join((prose(exchange), *commands(exchange), *errors(exchange)))


class Texts(Struct, frozen=True):
    """What keywords are looked for in, by kind: an exchange's prompts, answers, commands, failed output."""

    prompt: str = ""
    prose: str = ""
    commands: str = ""
    errors: str = ""


def texts(exchange: Exchange) -> Texts:
    """``searchable`` in its kinds."""
    asked = [plain(exchange.prompt)]
    asked += [plain(entry.text) for entry in exchange.entries if entry.role == "user" and entry.text != exchange.prompt]
    return Texts(
        "\n\n".join(asked)[:PROSE_CHARS],
        "\n\n".join(answers(exchange))[:PROSE_CHARS],
        "\n".join(commands(exchange)),
        "\n".join(errors(exchange)),
    )


def messages(exchange: Exchange) -> Iterator[str]:
    """The texts of prompt and answers, plain; the prompt comes once, also where it is an entry too."""
    prompt = plain(exchange.prompt)
    if prompt:
        yield prompt
    for position, (role, text) in enumerate((entry.role, entry.text) for entry in exchange.entries):
        if role == "tool" or not text or (role == "user" and position == 0 and text == exchange.prompt):
            continue
        if shown := plain(text):
            yield shown


def answers(exchange: Exchange) -> list[str]:
    """The agent's own texts, in order, plain."""
    return [text for entry in exchange.entries if entry.role == "assistant" and (text := plain(entry.text))]


def commands(exchange: Exchange) -> list[str]:
    """What was run, each once, first come first."""
    seen: dict[str, None] = {}
    size = 0
    for entry in exchange.entries:
        if entry.tool is None or size > COMMANDS_CHARS:
            continue
        command = plain(command_of(entry.tool))[:COMMAND_CHARS]
        if command and command not in seen:
            seen[command] = None
            size += len(command)
    return list(seen)


def command_of(tool: ToolCall) -> str:
    """The command line in a tool's input; empty where the tool ran none."""
    try:
        found = msgspec.json.decode(tool.input_json, type=_Command)
    except msgspec.DecodeError:
        return ""
    value = found.command or found.cmd or found.script or ""
    if isinstance(value, list):
        value = value[-1] if len(value) == 3 and value[1] in {"-c", "-lc"} else " ".join(value)
    return value


def errors(exchange: Exchange) -> list[str]:
    """Head and tail of the outputs of tools that failed."""
    found: list[str] = []
    size = 0
    for entry in exchange.entries:
        if entry.tool is None or entry.tool.ok is not False or size > ERRORS_CHARS:
            continue
        if output := plain(cut(entry.tool.output, ERROR_CHARS)):
            found.append(output)
            size += len(output)
    return found


def plain(text: str) -> str:
    """Text for reading and searching: terminal sequences, control and invisible characters taken out."""
    if text.isascii() and text.isprintable():
        return text.strip()
    text = _TERMINAL.sub("", _BREAKS.sub("\n", text))
    return _INVISIBLE.sub("", _CONTROL.sub("", text)).strip()


def visible(text: str) -> str:
    """Text for showing: each control or invisible character becomes a mark, terminal sequences one mark."""
    if text.isascii() and text.isprintable():
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
