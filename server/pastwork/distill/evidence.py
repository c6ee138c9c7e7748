"""Where in an exchange its key terms speak: the exchange cut into zones.

In: an exchange (masked). Out: named texts, each short: the prompt and what it quotes, the main
answer with its headings, emphasis and conclusions, how the answers began and ended, changed files,
commands, failures, definitions in the edits.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

from pastwork.distill.sentences import Sentence, sentences, unmarked
from pastwork.distill.text import Reading
from pastwork.model import WROTE, Exchange

#: Characters looked at, by zone.
PROMPT, MAIN, SIDE, OTHERS, LISTED = 2_500, 3_200, 600, 2_000, 1_000
_QUOTED = re.compile(r"`([^`\n]{2,80})`|\"([^\"\n]{3,80})\"|“([^”\n]{3,80})”")
_TICKED = re.compile(r"`([^`\n]{2,120})`")
_STRESSED = re.compile(r"^#{1,6} (.{1,200})$|\*\*([^*\n]{2,200})\*\*", re.MULTILINE)
_DEFINITION = re.compile(
    r"^[+-]\s*(?:(?:export|default|pub|async|static|public|private|protected|abstract|final|override)\s+)*"
    r"(?:func|def|class|type|function|interface|struct|fn|enum|trait|impl|module)\s(.{1,120})"
)
#: Of a sentence in lower case.
_CONCLUDES = re.compile(
    r"\b(?:fixed|added|removed|deleted|implemented|updated|changed|replaced|renamed|moved|created|refactored|committed"
    r"|pushed|merged|resolved|wrote|root cause|because|confirmed|found|verified|passes|instead|now"
    r"|the (?:fix|problem|issue|answer|bug))\b"
)


class _Description(Struct, frozen=True):
    description: str = ""


class Evidence(Struct, frozen=True, gc=False):
    """``zones`` by name; ``asked`` and ``told`` are the sentences of the prompt and of the answers that matter."""

    zones: dict[str, str]
    asked: list[Sentence]
    told: list[Sentence]
    prompt: str
    main: str


def evidence(exchange: Exchange, reading: Reading) -> Evidence:
    prompt = reading.prompt[:PROMPT]
    said = reading.answers
    main = max(reversed(said), key=len, default="")
    told = sentences(main[:MAIN], 50)
    zones = {
        "prompt": _flat(prompt),
        "prompt quotes": _groups(_QUOTED, prompt),
        "main": " ".join([sentence.text for sentence in told]),
        "main stress": _groups(_STRESSED, main[:MAIN]),
        "main ticks": _groups(_TICKED, main[:MAIN]),
        "main conclusions": " ".join(sentence.text for sentence in told if _CONCLUDES.search(sentence.text.lower()))[
            :LISTED
        ],
        "others": _flat("\n".join(text[:SIDE] for text in said[1:-1] if text is not main)[:OTHERS]),
        **_deeds(exchange, reading),
    }
    if said and said[0] is not main:
        zones["opening"] = _flat(said[0][:SIDE])
    if said and said[-1] is not main:
        zones["closing"] = _flat(said[-1][: SIDE * 2])
        told = sentences(said[-1][: SIDE * 2], 20) + told
    return Evidence(zones, sentences(prompt, 40), told, prompt, main)


def _deeds(exchange: Exchange, reading: Reading) -> dict[str, str]:
    changed = [edit.path for edit in exchange.edits if edit.action in WROTE]
    lines = [line for edit in exchange.edits for hunk in edit.hunks for line in hunk.lines][:400]
    defined = (match.group(1) for line in lines if (match := _DEFINITION.match(line)))
    return {
        "files": " ".join(dict.fromkeys(_name(path) for path in changed[:60])),
        "reads": " ".join(dict.fromkeys(_name(path) for path in exchange.reads[:60])),
        "commands": "\n".join(reading.commands)[:LISTED],
        "errors": "\n".join(reading.errors)[:LISTED],
        "descriptions": "\n".join(_descriptions(exchange))[:LISTED],
        "definitions": "\n".join(defined)[:LISTED],
    }


def _descriptions(exchange: Exchange) -> list[str]:
    """What agents say a command is for, in the command's own input."""
    found: list[str] = []
    for entry in exchange.entries:
        if entry.tool is not None and '"description"' in entry.tool.input_json:
            try:
                found.append(msgspec.json.decode(entry.tool.input_json, type=_Description).description[:120])
            except (msgspec.DecodeError, RecursionError):
                continue
    return found


def _name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _groups(pattern: re.Pattern[str], text: str) -> str:
    return " ".join("".join(match.groups("")) for match in pattern.finditer(text))[:LISTED]


def _flat(text: str) -> str:
    return " ".join(unmarked(line) for line in text.split("\n"))
