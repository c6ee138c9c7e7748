"""One exchange in a few words, for an agent: what was done; the decisive detail [what it changed].

Pure. In: a palace object and the prompt. Out: one line that says nothing twice. What costs tokens and
tells little goes: emphasis marks, folders far up a path, the tail of a hash or of an overlong text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Protocol

from pastwork.distill.redact import redact
from pastwork.marks import one_line
from pastwork.model import WROTE, Action

#: Words and marks (a word piece each, about) kept of what was done and of its detail.
CORE, DETAIL = 36, 22
#: Share of a detail's words that must be new for it to be told.
NEW = 0.3
#: Changed files named beside the text.
FILES = 2
_NAME_WIDTH = 60

_STRONG = re.compile(r"\*\*(?=\S)([^*\n]+)(?<=\S)\*\*|(?<![\w*])\*(?=\w)([^*\n]+)(?<=\w)\*(?![\w*])")
#: A file below two folders or more, its last folder and name in the group; no part of an address.
_DEEP = re.compile(r"(?<![\w:/.~@%-])(?:[~.]{0,2}/)?(?:[\w.@+-]+/)+([\w.@+-]+/[\w.@+-]+\.[A-Za-z]\w{0,5})(?![\w/])")
#: What every hash begins with, looked for first: without a border before it that is far quicker.
_HEX = re.compile(r"[0-9a-f]{8}")
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
    if _HEX.search(text) is not None:
        text = _HASH.sub(lambda found: f"{found[1] or found[2]}…", text)
    return text.strip()


def _cut(text: str, most: int) -> str:
    """At most so many pieces, ended at a word."""
    found = _pieces(most).match(text)
    if found is None or found.end() == len(text):
        return text
    kept = text[: found.end()]
    whole = kept if text[found.end()].isspace() else kept.rpartition(" ")[0] or kept
    return whole.rstrip(" ,;:(—-…") + "…"


@cache
def _pieces(count: int) -> re.Pattern[str]:
    """As many short words, parts of long ones, digits in threes and marks, about as word pieces are.

    Nothing is tried twice (possessive quantifiers): time is linear.
    """
    return re.compile(rf"(?:\s*+(?:[A-Za-z]{{1,6}}+|[0-9]{{1,3}}+|[^\sA-Za-z0-9])){{{count}}}+")


def _is_new(detail: str, core: str) -> bool:
    words = set(detail.lower().split())
    return len(words.difference(core.lower().split())) > NEW * len(words)


def _changed(touched: Iterable[_File], told: str, most: int) -> str:
    """Names of changed files that the text does not say; a test beside its subject is counted only."""
    names = dict.fromkeys(_name(file.path) for file in touched if file.action in WROTE)
    if not names:
        return ""
    said = told.lower()
    new = [name for name in names if name.lower() not in said]
    first = [name for name in new if (subject := _TEST.sub("", name)) == name or subject not in names][:most]
    if not first:
        return ""
    more = f" +{len(new) - len(first)}" if len(new) > len(first) else ""
    return f" [{', '.join(map(_shown, first))}{more}]"


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path


def _shown(name: str) -> str:
    """A long name is masked before it is cut: half a secret would not be known for one."""
    return one_line(name if len(name) <= _NAME_WIDTH else redact(name), _NAME_WIDTH)
