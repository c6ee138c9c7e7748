"""Which files an exchange touched, and how strongly.

In: an exchange. Out: one ``FileTouch`` a file, in the order in which they first appear; edits count
more than reads, reads more than names in the text. Paths are relative to the workspace where they
lie in it, else as recorded. Names in prose are found by their ending or because they are well-known
names without one (``Makefile``); URLs, products (``node.js``), attributes (``self.c``) and version
numbers are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pastwork.distill.paths import clean, relative
from pastwork.distill.terms import listed
from pastwork.distill.text import Reading, read
from pastwork.model import Action, Exchange, FileTouch

_STRENGTH: dict[Action, int] = {"deleted": 5, "created": 4, "edited": 3, "read": 2, "mentioned": 1}
#: Text looked at for names, and names kept.
PROSE_CHARS = 8_000
MOST_NAMED = 24

_ENDINGS = listed(
    "astro bash bat bats bib c cc cfg clj cmake conf cpp cs css csv cxx dart db diff dockerfile ejs el elm env "
    "erb ex exs fish go gql gradle graphql groovy h hbs hcl hpp hs html http hx ini ipynb java jl js json json5 "
    "jsonc jsonl jsx kt kts less lean lock log lua m md mdc mdx mjs cjs mm mts cts nim nix patch php pl plist png "
    "prisma proto ps1 py pyi pyx r rb rs rst sass scala scss sh sol sql sqlite sqlite3 svelte svg swift tex tf "
    "tfvars toml ts tsv tsx txt vim vscdb vue wasm webp xml xsd yaml yml zig zsh mod sum work "
)
#: Endings that are as often something else: they need a folder before the name.
_DOUBTFUL = listed("c h m r d env log db http mod sum work lean http el ex")
_NO_ENDING = listed(
    "Makefile GNUmakefile Dockerfile Containerfile Vagrantfile Jenkinsfile Procfile Gemfile Rakefile Brewfile Justfile "
    "justfile Tiltfile Podfile Fastfile Caddyfile WORKSPACE CODEOWNERS LICENSE .gitignore .gitattributes .gitmodules "
    ".dockerignore .editorconfig .npmrc .nvmrc .prettierrc .eslintrc .env .bashrc .zshrc .envrc go.mod go.sum"
)
#: Those of them that hold neither a point nor ``file``.
_PLAIN_NAMES = tuple(name for name in sorted(_NO_ENDING) if "." not in name and "file" not in name)
#: Products whose names end like a file.
_PRODUCTS = listed(
    "node next nuxt vue react three d3 express ember backbone angular chart moment alpine p5 socket discord deno bun "
    "require electron solid svelte knex adonis nest babel ml tensor brain hapi koa asp day luxon mathjax"
)
_OBJECTS = listed("self this cls super window document module exports console process math e i x o ctx req res err")
#: A run that may hold a path; one class without repeats inside, so linear.
_RUN = re.compile(r"[\w.@+~:/\\#%&=?-]{3,}")
_LINE = re.compile(r"(?::\d+){1,2}(?:-\d+)?$|#L\d+(?:-L?\d+)?$")
_VERSION = re.compile(r"v?\d+(?:\.\d+)*")
_STRANGE = re.compile(r"[:#%&=?]|@[\w-]+\.|^www\.|^-|^\.+$")
_AROUND = "`'\"()[]<>{}*,;:.!?"
#: Characters of one name, and of one run without blanks.
LONGEST_NAME, LONGEST_CHUNK = 260, 4_000


def touched(exchange: Exchange) -> tuple[FileTouch, ...]:
    """The exchange's files with the strongest action each."""
    return touched_by(exchange, read(exchange))


def touched_by(exchange: Exchange, reading: Reading) -> tuple[FileTouch, ...]:
    actions: dict[str, Action] = {}
    for path, action in _worked(exchange):
        place = placed(path, exchange)
        if place and (place not in actions or _STRENGTH[action] > _STRENGTH[actions[place]]):
            actions[place] = action
    known = {path.rsplit("/", 1)[-1] for path in actions}
    for path in _named(reading):
        place = placed(path, exchange)
        if place and place not in actions and ("/" in place or place not in known):
            actions[place] = "mentioned"
    return tuple(FileTouch(path, action) for path, action in actions.items())


def placed(path: str, exchange: Exchange) -> str | None:
    """The path relative to the exchange's workspace, else cleaned; None where it names no file."""
    return relative(path, exchange.workspace, exchange.cwd) or clean(path)


def named(text: str) -> list[str]:
    """File names in prose, each once."""
    found: dict[str, None] = {}
    bare = any(name in text for name in _PLAIN_NAMES)
    for chunk in text.split():
        if "." not in chunk[:-1] and "file" not in chunk and not (bare and chunk.strip(_AROUND) in _PLAIN_NAMES):
            continue
        for match in _RUN.finditer(chunk[:LONGEST_CHUNK]):
            path = _LINE.sub("", match.group().rstrip(".:?"))
            called = chunk[match.end() : match.end() + 1] in {"(", "["}
            if path and len(path) <= LONGEST_NAME and not called and _is_file(path):
                found.setdefault(path)
    return list(found)


def _worked(exchange: Exchange) -> Iterator[tuple[str, Action]]:
    for edit in exchange.edits:
        if edit.previous_path and edit.previous_path != edit.path:
            yield edit.previous_path, "deleted"
        yield edit.path, edit.action
    for path in exchange.reads:
        yield path, "read"


def _named(reading: Reading) -> list[str]:
    text = "\n".join((reading.prompt, *reading.asides, *reading.answers))[:PROSE_CHARS]
    return named(text)[:MOST_NAMED]


def _is_file(path: str) -> bool:
    if _STRANGE.search(path[2:] if path[1:3] in {":\\", ":/"} else path):
        return False
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    if name in _NO_ENDING:
        return True
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem.strip(".") or ending.lower() not in _ENDINGS or _VERSION.fullmatch(stem):
        return False
    return name != path or _stands_alone(stem.lower(), ending)


def _stands_alone(stem: str, ending: str) -> bool:
    """Whether a name without a folder is a file's rather than an attribute's or a product's."""
    return ending not in _DOUBTFUL and stem not in _OBJECTS and not (ending == "js" and stem in _PRODUCTS)
