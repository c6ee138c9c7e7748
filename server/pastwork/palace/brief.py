"""One exchange in a few words, for an agent: what was done; the decisive detail [what it changed].

Pure. In: a palace object and the prompt. Out: one line that says nothing twice. What costs tokens and
tells little goes: emphasis marks, folders far up a path, the tail of a hash or of an overlong text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from pastwork.marks import one_line
from pastwork.model import WROTE, Action

#: Words and marks (a word piece each, about) kept of what was done and of its detail.
CORE, DETAIL = 36, 22
#: Share of a detail's words that must be new for it to be told.
NEW = 0.3
#: Changed files named beside the text.
FILES = 2

_PIECE = re.compile(r"[A-Za-z]{1,6}|\d{1,3}|[^\sA-Za-z0-9]")
_WORD = re.compile(r"\w+")
_STRONG = re.compile(r"\*\*(?=\S)([^*\n]+)(?<=\S)\*\*|(?<![\w*])\*(?=\w)([^*\n]+)(?<=\w)\*(?![\w*])")
#: A file below two folders or more, its last folder and name in the group; no part of an address.
_DEEP = re.compile(r"(?<![\w:/.~@%-])(?:[~.]{0,2}/)?(?:[\w.@+-]+/)+([\w.@+-]+/[\w.@+-]+\.[A-Za-z]\w{0,5})(?![\w/])")
_HASH = re.compile(r"\b(?:([0-9a-f]{7})[0-9a-f]{9,}|([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
_TEST = re.compile(r"^test_|_test(?=\.)|\.(?:test|spec)(?=\.)|Tests?(?=\.)")


class _File(Protocol):
    @property
    def path(self) -> str: ...
    @property
    def action(self) -> Action: ...


class _Object(Protocol):
    @property
    def exchange_core(self) -> str: ...
    @property
    def specific_context(self) -> str: ...
    @property
    def files_touched(self) -> Sequence[_File]: ...


def brief(found: _Object, prompt: str, files: int = FILES) -> str:
    """``Raised the timeout; `PoolTimeout` after 30 s [pool.py +2]`` without the back-ticks."""
    core = _cut(_plain(found.exchange_core or prompt), CORE)
    detail = _cut(_plain(found.specific_context), DETAIL)
    told = f"{core}; {detail}" if core and _is_new(detail, core) else core or detail
    return f"{told}{_changed(found.files_touched, told, files)}"


def _plain(text: str) -> str:
    """On one line, without what only markup says."""
    text = one_line(text).replace("`", "")
    if "*" in text:
        text = _STRONG.sub(lambda found: found[1] or found[2], text)
    if text.count("/") > 1:
        text = _DEEP.sub(r"\1", text)
    return _HASH.sub(lambda found: f"{found[1] or found[2]}…", text).strip()


def _cut(text: str, most: int) -> str:
    """At most so many pieces, ended at a word."""
    for number, found in enumerate(_PIECE.finditer(text)):
        if number == most:
            kept = text[: found.start()]
            whole = kept if text[found.start() - 1].isspace() else kept.rpartition(" ")[0] or kept
            return whole.rstrip(" ,;:(—-…") + "…"
    return text


def _is_new(detail: str, core: str) -> bool:
    words = set(_WORD.findall(detail.lower()))
    return len(words - set(_WORD.findall(core.lower()))) > NEW * len(words)


def _changed(touched: Iterable[_File], told: str, most: int) -> str:
    """Names of changed files that the text does not say; a test beside its subject is counted only."""
    names = dict.fromkeys(one_line(_name(file.path), 60) for file in touched if file.action in WROTE)
    said = told.lower()
    new = [name for name in names if name.lower() not in said]
    first = [name for name in new if (subject := _TEST.sub("", name)) == name or subject not in names][:most]
    if not first:
        return ""
    more = f" +{len(new) - len(first)}" if len(new) > len(first) else ""
    return f" [{', '.join(first)}{more}]"


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path
