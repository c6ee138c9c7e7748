"""Markdown as VS Code's preview reads it: HTML on, links recognised by their scheme."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token


@cache
def reader() -> MarkdownIt:
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": True})
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False})
    return parser


def tokens(text: str) -> Iterator[Token]:
    for token in reader().parse(text):
        yield token
        yield from token.children or ()


def kinds(text: str) -> set[str]:
    """The kinds of tokens, both ends of a pair as one."""
    return {token.type.removesuffix("_open").removesuffix("_close") for token in tokens(text)}


def plain(text: str) -> str:
    """What a person reads, with one line for each line shown."""
    out: list[str] = []
    for token in tokens(text):
        if token.type in {"text", "code_inline", "fence", "code_block"}:
            out.append(token.content)
        elif token.type in {"softbreak", "hardbreak", "paragraph_close", "heading_close"}:
            out.append("\n")
    return "".join(out)


def targets(text: str) -> list[str]:
    return [
        str(token.attrs.get("href", token.attrs.get("src")))
        for token in tokens(text)
        if token.attrs and token.type in {"link_open", "image"}
    ]
