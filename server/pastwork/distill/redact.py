"""Masks secrets in text: ``redact`` one text, ``masked`` everything of an exchange that is distilled.

In: text as recorded. Out: the same text with each secret replaced by ``[masked: <kind>]``. Linear
time (RE2). Hashes, ids and placeholders stay: a value is masked
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
from pastwork.distill.text import ODD, cut, plain
from pastwork.model import Edit, Entry, Exchange, Hunk

if TYPE_CHECKING:
    import re2

#: Values that stand where a secret would, and words that types and forms put there.
_PLACEHOLDER = re.compile(
    r"your|xxx|\*\*\*|\.\.\.|placeholder|change[_-]?me|redacted|masked:|<|\$\{|\$\(|\{\{|%s|%v|%\(|env\.|environ|process\."
    r"|getenv|insert|dummy|replace|todo"
)
_WORDS = listed(
    "password passwd passphrase secret token tokens string strings text hidden true false null none undefined "
    "required optional bearer basic bytes number integer boolean object array value values input output prompt "
    "default enter missing invalid expired wrong incorrect unknown empty usage count limit budget credentials "
    "credential authorization function return returns const static public private readonly include same-origin "
    "omit current-password new-password keychain keyring vault file stdin manual automatic never always "
)

#: Kinds whose place says secret, whatever stands there.
_LOOSE = frozenset(["password in url", "password in command"])
#: After a name: what follows is about the secret, not it.
_ABOUT = re.compile(rb"[_-](?:ids?|names?|path|file|count|type|ur[li]|hash|version|length|limit|size)\b", re.IGNORECASE)
_JOINS, _ESCAPE = b"_-", ord("\\")
#: Escapes of JSON and of source text: what follows them begins a word, whatever letter they end with.
_ESCAPES = re.compile(rb"\\+(?:[nrtbfv0]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})")
_BLANKS = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_SEPARATORS = re.compile(r"[-._:/]")
#: The group of an assigned value that is not quoted.
_BARE = 5
_MASKED = b"[masked"

#: Characters of one tool's output and of one file's change that distilling looks at: head and tail.
OUTPUT_CHARS = 4_000
EDIT_LINES, LINE_CHARS = 200, 400
#: Fields of a tool's input that are read; a file's content, the bulk of all inputs, is in the edits.
_TOLD = ('"command"', '"cmd"', '"script"', '"description"')
#: Characters of one message: more than any text a person wrote; pasted logs are longer.
MESSAGE_CHARS = 200_000


#: Texts looked at together; where one of them may hold a secret, each is looked at.
PORTION = 32


def redact(text: str) -> str:
    """``text`` with every secret masked by its kind."""
    return redact_all([text])[0]


def redact_all(texts: Sequence[str]) -> list[str]:
    """``redact`` of each; texts that hold no secret cost one look at ``PORTION`` of them together."""
    done: list[str] = []
    for at in range(0, len(texts), PORTION):
        part = texts[at : at + PORTION]
        done += map(_redacted, part) if _gates().Match(_bytes("\n".join(part).lower())) else part
    return done


def masked(exchange: Exchange) -> Exchange:
    """The exchange as distilling sees it: texts masked, long ones and edits cut.

    Of tools' input it keeps what says what was run and why, of their output that of failed ones.
    """
    texts = [cut(exchange.prompt, MESSAGE_CHARS)]
    for entry in exchange.entries:
        texts += _shortened(entry)
    hunks = [_shortened_hunks(edit) for edit in exchange.edits]
    texts += ["\n".join(hunk.lines) for kept in hunks for hunk in kept]
    done = iter(_redacted_plain(texts))
    return replace(
        exchange,
        prompt=next(done),
        entries=tuple(_filled(entry, done) for entry in exchange.entries),
        edits=tuple(
            replace(edit, hunks=tuple(replace(hunk, lines=tuple(next(done).split("\n"))) for hunk in kept))
            for edit, kept in zip(exchange.edits, hunks, strict=True)
        ),
    )


def _redacted_plain(texts: Sequence[str]) -> list[str]:
    """``redact_all``, also of secrets that show only once control and invisible characters are taken out."""
    done = redact_all(texts)
    odd = [place for place, text in enumerate(done) if ODD.search(text)]
    bare = [plain(done[place]) for place in odd]
    for place, before, after in zip(odd, bare, redact_all(bare), strict=True):
        if before != after:
            done[place] = after
    return done


def _shortened(entry: Entry) -> list[str]:
    """The texts of an entry in the order in which ``_filled`` takes them back."""
    text = cut(entry.text, MESSAGE_CHARS)
    if entry.tool is None:
        return [text]
    tool = entry.tool
    output = tool.output if tool.ok is False else ""
    told = tool.input_json if any(field in tool.input_json for field in _TOLD) else ""
    return [text, *(cut(part, OUTPUT_CHARS) for part in (tool.summary, told, output))]


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


def _unescaped(data: bytes) -> bytes:
    """The same length with white space for escapes, so that a token after one is seen as after a real line break."""
    return _ESCAPES.sub(lambda match: _blank(match[0]), data) if b"\\" in data else data


def _blank(escape: bytes) -> bytes:
    return _BLANKS.get(escape[-1:], b" ").ljust(len(escape))


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
    for match in _compiled(rule.pattern).finditer(_unescaped(data)):
        start, stop = match.span(match.lastindex or 0)
        value = data[start:stop]
        if value.startswith(_MASKED) or (rule.kind in _LOOSE and _stands_for(_text(value))):
            continue
        pieces += (data[end:start], mask)
        end = stop
    return b"".join((*pieces, data[end:])) if pieces else data


def _mask_values(rule: Rule, data: bytes) -> bytes:
    pieces: list[bytes] = []
    end = 0
    known: dict[tuple[bytes, bytes, bool], bytes] = {}
    for match in _compiled(rule.pattern).finditer(_unescaped(data)):
        group = match.lastindex
        name = match.group(1)
        start, stop = match.span(group)
        while data[stop - 1] == _ESCAPE and stop > start:  # of a closing quote
            stop -= 1
        follows = match.end(1)
        if data[follows] in _JOINS and _ABOUT.match(data, follows):
            continue
        certain = group < _BARE or (name.isupper() and data[start - 1 : start] == b"=")
        case = (name, data[start:stop], certain)
        if case not in known:
            known[case] = _mask_of(name.decode().lower(), _text(data[start:stop]), certain)
        if known[case]:
            pieces += (data[end:start], known[case])
            end = stop
    return b"".join((*pieces, data[end:])) if pieces else data


def _mask_of(name: str, value: str, certain: bool) -> bytes:
    """The mask for a value that is a secret, else nothing."""
    return f"[masked: {_kind(name)}]".encode() if _is_secret(name, value, certain=certain) else b""


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _kind(name: str) -> str:
    kinds = (
        ("pass", "password"),
        ("pwd", "password"),
        ("key", "key"),
        ("token", "token"),
        ("credential", "credential"),
    )
    return next((kind for part, kind in kinds if part in name), "secret")


def _is_placeholder(value: str) -> bool:
    lowered = value.lower()
    return lowered in _WORDS or _PLACEHOLDER.search(lowered) is not None or len(set(lowered)) < 3


def _stands_for(value: str) -> bool:
    return value.startswith("$") or _is_placeholder(value)


def _is_secret(name: str, value: str, *, certain: bool) -> bool:
    """Whether ``value``, assigned to ``name``, is a secret rather than code, prose or a placeholder.

    ``certain``: it is quoted, or set in the environment, so that it can't be code.
    """
    value = value.rstrip(".")
    if _is_placeholder(value) or value.startswith(("[masked", "/", "~/", "$", "@")):
        return False
    letters = sum(map(str.isalpha, value))
    plain = letters == len(value)
    if "pass" in name or name.startswith("pwd"):
        if certain:
            return " " not in value and not (plain and value.lower() in _WORDS) and (not plain or value.islower())
        return not plain and any(map(str.isdigit, value))
    digits = sum(map(str.isdigit, value))
    if len(value) < (8 if certain else 10) or " " in value:
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
