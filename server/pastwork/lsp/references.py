"""Other files that a line names: imports, and paths written in the text.

In: a line, where the cursor stands in it, the file it is in, the files that have past work. Out: the
one that is meant, or nothing. Pure text, nothing is looked up on the disk. A name is resolved from
the file's own folder and the folders above it inside its workspace folder; a module path of two names
or more also by its end, where only one file of that folder ends so. Never across folders.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from msgspec import Struct

from pastwork.anchor.paths import below, is_absolute, key
from pastwork.lsp.filemap import FileMap

#: ``from a.b import c``, ``import a.b``, ``from .c import d``.
_PYTHON = re.compile(r"^\s*(?:from\s+(?P<source>\.*[\w.]*)\s+import\b(?P<names>[^#]*)|import\s+(?P<module>[\w.]+))")
#: ``use crate::a::b``, ``mod a;``
_RUST = re.compile(
    r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:use\s+(?P<use>(?:crate|self|super)(?:::\w+)+)|mod\s+(?P<mod>\w+)\s*;)"
)
_QUOTED = re.compile(r"""["'`<]([^"'`<>\s]{1,400})["'`>]""")
#: Begins where a path can begin, so that no text costs more than its length.
_BARE = re.compile(
    r"(?<![\w@~.+\\/-])(?:[\w@~.+-]*+(?:[\\/][\w@~.+-]++)++|[\w@+-]++(?:\.[\w@+-]++)*\.\w{1,8}\b)(?::\d+){0,2}"
)
_WORD = re.compile(r"\w+")
_LINE_NUMBER = re.compile(r"(?::\d+){1,2}$")

_PYTHON_ENDS = (".py", "/__init__.py", ".pyi")
_RUST_ENDS = (".rs", "/mod.rs")
_QUOTED_ENDS = (
    *("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", "/index.ts", "/index.tsx", "/index.js"),
    *(".h", ".hpp", ".lua", ".rb", ".go", ".php", ".css", ".scss"),
)
#: Longer lines are generated text; nobody hovers over its imports.
_LONGEST = 2000


class Named(Struct, frozen=True):
    """A path without its ending, and the endings to try; ``/`` between names."""

    stem: str
    ends: tuple[str, ...] = ("",)


def referenced(line: str, column: int, file: str, root: str, known: FileMap) -> str | None:
    """The key of the file with past work that the text at ``column`` names. ``file`` and ``root`` are keys."""
    if len(line) > _LONGEST:
        return None
    for named in _named(line, column, file):
        for end in named.ends:
            if found := _found(named.stem + end, file, root, known):
                return found
    return None


def _found(path: str, file: str, root: str, known: FileMap) -> str | None:
    if not path or "\0" in path:
        return None
    if is_absolute(path):
        return key(path) if key(path) != file and known.of(key(path)) else None
    folder = posixpath.dirname(file)
    while below(folder, root) is not None:
        whole = key(posixpath.join(folder, path))
        if whole != file and below(whole, root) and known.of(whole):
            return whole
        if path.startswith(".") or folder == root:
            break
        folder = posixpath.dirname(folder)
    if path.startswith(".") or "/" not in path:
        return None
    unique = known.ending(path, root)
    return unique if unique != file else None


def _named(line: str, column: int, file: str) -> Iterator[Named]:
    if file.endswith((".py", ".pyi")) and (found := _PYTHON.match(line)):
        yield from _python(found, column)
    if file.endswith(".rs") and (found := _RUST.match(line)):
        yield from _rust(found, column, file)
    for quoted in _QUOTED.finditer(line):
        if quoted.start() <= column < quoted.end():
            yield Named(_plain(quoted[1]), _QUOTED_ENDS)
    for bare in _BARE.finditer(line):
        if bare.start() <= column < bare.end():
            yield Named(_plain(bare[0]))


def _python(found: re.Match[str], column: int) -> Iterator[Named]:
    group = "module" if found["module"] else "source"
    source = found[group].lstrip(".")
    dots = len(found[group]) - len(source)
    stem = ("./" + "../" * (dots - 1) if dots else "") + source.replace(".", "/")
    if found["names"] and found.start("names") <= column <= found.end("names"):
        name = _word_at(found["names"], column - found.start("names"))
        if name:
            yield Named(posixpath.join(stem, name), _PYTHON_ENDS)
            yield Named(stem, _PYTHON_ENDS)
    elif found.start(group) <= column <= found.end(group):
        yield Named(stem, _PYTHON_ENDS)


def _rust(found: re.Match[str], column: int, file: str) -> Iterator[Named]:
    group = "mod" if found["mod"] else "use"
    if not found.start(group) <= column <= found.end(group):
        return
    if group == "mod":
        own = posixpath.splitext(posixpath.basename(file))[0]
        yield Named("./" + found["mod"], _RUST_ENDS)
        yield Named(f"./{own}/{found['mod']}", _RUST_ENDS)
        return
    head, *names = found["use"].split("::")
    for count in range(len(names), 0, -1):
        stem = "/".join(names[:count])
        for start in {"crate": ("", "src/"), "self": ("./",), "super": ("./", "../")}[head]:
            yield Named(start + stem, _RUST_ENDS)


def _word_at(text: str, column: int) -> str:
    return next((word[0] for word in _WORD.finditer(text) if word.start() <= column <= word.end()), "")


def _plain(path: str) -> str:
    """Without a line number, with ``/`` between names."""
    return _LINE_NUMBER.sub("", path.replace("\\", "/"))
