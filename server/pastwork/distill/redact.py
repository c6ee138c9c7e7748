"""Masks secrets in text: ``redact`` one text, ``masked`` everything of an exchange that is distilled.

In: text as recorded. Out: the same text with each secret replaced by ``[masked: <kind>]``. Linear
time (RE2), and masking twice changes nothing. Hashes, ids and placeholders stay: a value is masked
when its own shape gives it away, or when it is assigned to a name that says secret and is no
placeholder, code or plain word.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pastwork.distill.secrets import RULES, Rule
from pastwork.distill.terms import listed
from pastwork.model import Edit, Entry, Exchange, Hunk

if TYPE_CHECKING:
    import re2

#: Values that stand where a secret would, and words that types and forms put there.
_PLACEHOLDERS = (
    "your", "xxx", "***", "...", "placeholder", "changeme", "change_me", "change-me", "redacted", "masked:", "<", "${",
    "$(", "{{", "%s", "%v", "%(", "env.", "environ", "process.", "getenv", "insert", "dummy", "replace", "todo",
)  # fmt: skip
_WORDS = listed(
    "password passwd passphrase secret token tokens string strings text hidden true false null none undefined "
    "required optional bearer basic bytes number integer boolean object array value values input output prompt "
    "default enter missing invalid expired wrong incorrect unknown empty usage count limit budget credentials "
    "credential authorization function return returns const static public private readonly include same-origin "
    "omit current-password new-password keychain keyring vault file stdin manual automatic never always "
)

_SEPARATORS = re.compile(r"[-._:/]")

#: Characters of one tool's output and of one file's change that distilling looks at: head and tail.
OUTPUT_CHARS = 4_000
EDIT_LINES, LINE_CHARS = 200, 400
#: Characters of one message: more than any text a person wrote; pasted logs are longer.
MESSAGE_CHARS = 200_000


def redact(text: str) -> str:
    """``text`` with every secret masked by its kind."""
    return redact_all([text])[0]


def redact_all(texts: Sequence[str]) -> list[str]:
    """``redact`` of each; texts that hold no secret cost one look at all of them together."""
    gates = _gates()
    if not gates.Match(_bytes("\n".join(texts).lower())):
        return list(texts)
    return [_redacted(text) for text in texts]


def masked(exchange: Exchange) -> Exchange:
    """The exchange as distilling sees it: texts masked, output kept of failed tools only, long ones and edits cut."""
    texts = [cut(exchange.prompt, MESSAGE_CHARS)]
    for entry in exchange.entries:
        texts += _shortened(entry)
    hunks = [_shortened_hunks(edit) for edit in exchange.edits]
    texts += ["\n".join(hunk.lines) for kept in hunks for hunk in kept]
    done = iter(redact_all(texts))
    return replace(
        exchange,
        prompt=next(done),
        entries=tuple(_filled(entry, done) for entry in exchange.entries),
        edits=tuple(
            replace(edit, hunks=tuple(replace(hunk, lines=tuple(next(done).split("\n"))) for hunk in kept))
            for edit, kept in zip(exchange.edits, hunks, strict=True)
        ),
    )


def cut(text: str, limit: int) -> str:
    """Head and tail of ``text``, at most about ``limit`` characters, with a mark between them."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


def _shortened(entry: Entry) -> list[str]:
    """The texts of an entry in the order in which ``_filled`` takes them back."""
    text = cut(entry.text, MESSAGE_CHARS)
    if entry.tool is None:
        return [text]
    tool = entry.tool
    output = tool.output if tool.ok is False else ""
    return [text, *(cut(part, OUTPUT_CHARS) for part in (tool.summary, tool.input_json, output))]


def _filled(entry: Entry, texts: Iterator[str]) -> Entry:
    text = next(texts)
    if entry.tool is None:
        return replace(entry, text=text)
    tool = replace(entry.tool, summary=next(texts), input_json=next(texts), output=next(texts), diff=None)
    return replace(entry, text=text, tool=tool)


def _shortened_hunks(edit: Edit) -> list[Hunk]:
    """The first ``EDIT_LINES`` lines of an edit's hunks, long lines cut."""
    hunks: list[Hunk] = []
    room = EDIT_LINES
    for hunk in edit.hunks:
        if room <= 0:
            break
        lines = tuple(line[:LINE_CHARS] for line in hunk.lines[:room])
        room -= len(lines)
        if lines:
            hunks.append(replace(hunk, lines=lines))
    return hunks


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _redacted(text: str) -> str:
    data = _bytes(text)
    for number in sorted(_gates().Match(data.lower()) or ()):
        rule = RULES[number]
        data = _mask_values(rule, data) if rule.judged else _mask_shape(rule, data)
    return data.decode("utf-8", "surrogatepass")


@cache
def _gates() -> re2._Set:
    """Finds, in one pass over a lower-case text, the rules that may match it: most texts pass none."""
    import re2

    gates = re2.Set.SearchSet()
    for rule in RULES:
        gates.Add(rule.gate)
    gates.Compile()
    return gates


@cache
def _compiled(pattern: bytes) -> re2._Regexp:
    import re2

    return re2.compile(pattern)


def _mask_shape(rule: Rule, data: bytes) -> bytes:
    pieces: list[bytes] = []
    end = 0
    mask = f"[masked: {rule.kind}]".encode()
    for match in _compiled(rule.pattern).finditer(data):
        start, stop = match.span(1) if match.lastindex else match.span()
        if rule.kind == "password in url" and _is_placeholder(data[start:stop].decode("utf-8", "replace")):
            continue
        pieces += (data[end:start], mask)
        end = stop
    return b"".join((*pieces, data[end:])) if pieces else data


def _mask_values(rule: Rule, data: bytes) -> bytes:
    pieces: list[bytes] = []
    end = 0
    for match in _compiled(rule.pattern).finditer(data):
        group = match.lastindex
        name = match.group(1).decode().lower()
        start, stop = match.span(group)
        if not _is_secret(name, data[start:stop].decode("utf-8", "replace"), quoted=group < 5):
            continue
        kind = "password" if name.startswith(("pass", "pwd")) else _kind(name)
        pieces += (data[end:start], f"[masked: {kind}]".encode())
        end = stop
    return b"".join((*pieces, data[end:])) if pieces else data


def _kind(name: str) -> str:
    for part, kind in (("key", "key"), ("token", "token"), ("credential", "credential")):
        if part in name:
            return kind
    return "secret"


def _is_placeholder(value: str) -> bool:
    lowered = value.lower()
    return lowered in _WORDS or any(part in lowered for part in _PLACEHOLDERS) or len(set(lowered)) < 3


def _is_secret(name: str, value: str, *, quoted: bool) -> bool:
    """Whether ``value``, assigned to ``name``, is a secret rather than code, prose or a placeholder."""
    value = value.rstrip(".")
    if _is_placeholder(value) or value.startswith(("[masked", "/", "~", "$", "@")):
        return False
    letters = sum(map(str.isalpha, value))
    plain = letters == len(value)
    if name.startswith(("pass", "pwd")):
        if quoted:
            return " " not in value and not (plain and value.lower() in _WORDS) and (not plain or value.islower())
        return not plain and any(map(str.isdigit, value))
    digits = sum(map(str.isdigit, value))
    if len(value) < (8 if quoted else 10) or " " in value:
        return False
    if digits >= 2 and letters >= 2:
        return entropy(value) >= 2.8 and not _is_named(value)
    return plain and len(value) >= 20 and entropy(value) >= 3.8 and _changes_case(value)


def _is_named(value: str) -> bool:
    """Words with a number at an end or between separators (``model-v2``, ``claude-3-5``): a name, no secret."""
    parts = [part for part in _SEPARATORS.split(value) if part]
    return len(parts) > 1 and all(map(_is_word, parts))


def _is_word(part: str) -> bool:
    return (part.isdigit() and len(part) <= 4) or (part.rstrip("0123456789").isalpha() and len(part) < 12)


def _changes_case(value: str) -> bool:
    turns = sum(before.islower() != after.islower() for before, after in pairwise(value))
    return turns * 3 > len(value)


def entropy(text: str) -> float:
    """Shannon entropy of the characters, bits a character."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())
