"""Functions, methods and classes of a source text with their lines, by tree-sitter.

A grammar is loaded when its language is first met. Texts of unknown languages, and texts too long to
parse in an instant, have no symbols. Broken source still gives the symbols around the breakage.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

#: Longer texts are not parsed (about 60,000 lines).
MOST_CHARACTERS = 2_000_000

SymbolKind = Literal["function", "class"]


class Symbol(Struct, frozen=True):
    """``first`` to ``last`` are the lines of the whole definition, ``line`` has its name; 1-based, inclusive."""

    name: str
    kind: SymbolKind
    first: int
    last: int
    line: int


class Grammar(Struct, frozen=True):
    """A grammar's module and entry, and the node types of functions and classes that have a ``name`` field.

    ``more`` are patterns for those that have none; they capture ``@function`` or ``@class``, and ``@name``.
    """

    module: str
    functions: tuple[str, ...]
    classes: tuple[str, ...] = ()
    more: str = ""
    entry: str = "language"

    @property
    def query(self) -> str:
        """All patterns as one query."""
        named = [f"({kind} name: (_) @name) @function" for kind in self.functions]
        named += [f"({kind} name: (_) @name) @class" for kind in self.classes]
        return "\n".join([*named, self.more])


_ASSIGNED = """
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
"""
_DECLARED = """
(function_definition declarator: (function_declarator declarator: {name} @name)) @function
(function_definition declarator: (pointer_declarator
  declarator: (function_declarator declarator: {name} @name))) @function
"""
_C_TYPES = """
(struct_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
"""
_CPP_NAME = "[(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)]"
_LUA_ASSIGNED = """
(assignment_statement (variable_list name: (_) @name) (expression_list value: (function_definition))) @function
"""
_SCRIPT = ("function_declaration", "generator_function_declaration", "method_definition")
_TYPED = ("class_declaration", "abstract_class_declaration", "interface_declaration", "enum_declaration")

GRAMMARS: Mapping[str, Grammar] = {
    "python": Grammar("tree_sitter_python", ("function_definition",), ("class_definition",)),
    "javascript": Grammar("tree_sitter_javascript", _SCRIPT, ("class_declaration",), _ASSIGNED),
    "typescript": Grammar("tree_sitter_typescript", _SCRIPT, _TYPED, _ASSIGNED, "language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", _SCRIPT, _TYPED, _ASSIGNED, "language_tsx"),
    "go": Grammar("tree_sitter_go", ("function_declaration", "method_declaration"), ("type_spec",)),
    "rust": Grammar(
        "tree_sitter_rust",
        ("function_item",),
        ("struct_item", "enum_item", "trait_item", "union_item"),
        "(impl_item type: (_) @name) @class",
    ),
    "java": Grammar(
        "tree_sitter_java",
        ("method_declaration", "constructor_declaration"),
        ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration"),
    ),
    "c": Grammar("tree_sitter_c", (), (), _DECLARED.format(name="(identifier)") + _C_TYPES),
    "cpp": Grammar(
        "tree_sitter_cpp",
        (),
        (),
        _DECLARED.format(name=_CPP_NAME)
        + "(function_definition declarator: (reference_declarator"
        + f" (function_declarator declarator: {_CPP_NAME} @name))) @function"
        + "(class_specifier name: (_) @name body: (_)) @class"
        + _C_TYPES,
    ),
    "c-sharp": Grammar(
        "tree_sitter_c_sharp",
        ("method_declaration", "constructor_declaration", "local_function_statement"),
        ("class_declaration", "struct_declaration", "interface_declaration", "record_declaration", "enum_declaration"),
    ),
    "ruby": Grammar("tree_sitter_ruby", ("method", "singleton_method"), ("class", "module")),
    "php": Grammar(
        "tree_sitter_php",
        ("function_definition", "method_declaration"),
        ("class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"),
        entry="language_php",
    ),
    "lua": Grammar("tree_sitter_lua", ("function_declaration",), more=_LUA_ASSIGNED),
    "kotlin": Grammar("tree_sitter_kotlin", ("function_declaration",), ("class_declaration", "object_declaration")),
    "swift": Grammar("tree_sitter_swift", ("function_declaration",), ("class_declaration", "protocol_declaration")),
    "bash": Grammar("tree_sitter_bash", ("function_definition",)),
    "scala": Grammar(
        "tree_sitter_scala", ("function_definition",), ("class_definition", "object_definition", "trait_definition")
    ),
}

_SUFFIXES: Mapping[str, str] = {
    suffix: language
    for language, suffixes in {
        "python": "py pyi pyw",
        "javascript": "js jsx mjs cjs",
        "typescript": "ts mts cts",
        "tsx": "tsx",
        "go": "go",
        "rust": "rs",
        "java": "java",
        "c": "c h",
        "cpp": "cc cpp cxx c++ hh hpp hxx ino",
        "c-sharp": "cs",
        "ruby": "rb rake gemspec",
        "php": "php",
        "lua": "lua",
        "kotlin": "kt kts",
        "swift": "swift",
        "bash": "sh bash zsh",
        "scala": "scala sc sbt",
    }.items()
    for suffix in suffixes.split()
}


def language_of(path: str) -> str | None:
    """The language of a file by its name's suffix; None where no grammar is known."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return _SUFFIXES.get(name.rpartition(".")[2].lower()) if "." in name else None


def symbols(path: str, text: str) -> tuple[Symbol, ...]:
    """The symbols of a text in line order, outer ones before those they hold."""
    language = language_of(path)
    if language is None or len(text) > MOST_CHARACTERS:
        return ()
    from tree_sitter import QueryCursor

    parser, query = _loaded(language)
    tree = parser.parse(text.encode("utf-8", "replace"))
    found = [_symbol(captures) for _, captures in QueryCursor(query).matches(tree.root_node)]
    return tuple(sorted(set(found), key=lambda symbol: (symbol.first, -symbol.last, symbol.name)))


@cache
def _loaded(language: str) -> tuple[Parser, Query]:
    from tree_sitter import Language, Parser, Query

    grammar = GRAMMARS[language]
    loaded = Language(getattr(import_module(grammar.module), grammar.entry)())
    return Parser(loaded), Query(loaded, grammar.query)


def _symbol(captures: Mapping[str, list[Node]]) -> Symbol:
    kind: SymbolKind = "function" if "function" in captures else "class"
    node, name = captures[kind][0], captures["name"][0]
    around = node.parent
    whole = around if around is not None and around.type in {"decorated_definition", "export_statement"} else node
    text = (name.text or b"").decode("utf-8", "replace")
    return Symbol(
        name=text,
        kind=kind,
        first=whole.start_point[0] + 1,
        last=_last_line(whole),
        line=name.start_point[0] + 1,
    )


def _last_line(node: Node) -> int:
    """A node that ends at the start of a line ends on the line before."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1
