"""Symbols of every language with a grammar: (name, kind, first, last, line)."""

from __future__ import annotations

import pytest

from pastwork.anchor import symbols as module
from pastwork.anchor.symbols import GRAMMARS, language_of, symbols

F, C = "function", "class"
CASES: dict[str, tuple[str, list[tuple[str, str, int, int, int]]]] = {
    "a.py": (
        "import os\n\n@traced\ndef load(x):\n    return x\n\n\nclass Loader:\n    async def run(self):\n        pass\n",
        [("load", F, 3, 5, 4), ("Loader", C, 8, 10, 8), ("run", F, 9, 10, 9)],
    ),
    "a.js": (
        "function load() {\n}\nclass Loader {\n  run() {}\n}\nconst save = (x) => x;\nexport function show() {\n}\n",
        [("load", F, 1, 2, 1), ("Loader", C, 3, 5, 3), ("run", F, 4, 4, 4), ("save", F, 6, 6, 6), ("show", F, 7, 8, 7)],
    ),
    "a.ts": (
        "interface Shape {\n  area: number\n}\nexport abstract class Base {\n  run(): void {}\n}\nenum Kind { A }\n",
        [("Shape", C, 1, 3, 1), ("Base", C, 4, 6, 4), ("run", F, 5, 5, 5), ("Kind", C, 7, 7, 7)],
    ),
    "a.tsx": ("export const App = () => <div/>;\n", [("App", F, 1, 1, 1)]),
    "a.go": (
        "package main\n\ntype Pool struct{}\n\nfunc (p *Pool) Get() {\n}\n\nfunc main() {}\n",
        [("Pool", C, 3, 3, 3), ("Get", F, 5, 6, 5), ("main", F, 8, 8, 8)],
    ),
    "a.rs": (
        "struct Pool;\nimpl Pool {\n    fn get(&self) {}\n}\ntrait Get {}\nfn main() {}\n",
        [("Pool", C, 1, 1, 1), ("Pool", C, 2, 4, 2), ("get", F, 3, 3, 3), ("Get", C, 5, 5, 5), ("main", F, 6, 6, 6)],
    ),
    "A.java": (
        "class Pool {\n  Pool() {}\n  void get() {\n  }\n  interface Inner {}\n}\n",
        [("Pool", C, 1, 6, 1), ("Pool", F, 2, 2, 2), ("get", F, 3, 4, 3), ("Inner", C, 5, 5, 5)],
    ),
    "a.c": (
        "static int sum(int a)\n{\n  return a;\n}\nchar *name(void) { return 0; }\nstruct pool { int size; };\n",
        [("sum", F, 1, 4, 1), ("name", F, 5, 5, 5), ("pool", C, 6, 6, 6)],
    ),
    "a.cpp": (
        "class Pool { void get() {} };\nvoid Pool::put() {\n}\nint& size() { static int x; return x; }\n",
        [("Pool", C, 1, 1, 1), ("get", F, 1, 1, 1), ("Pool::put", F, 2, 3, 2), ("size", F, 4, 4, 4)],
    ),
    "a.cs": (
        "class Pool\n{\n  Pool() {}\n  void Get() {}\n}\nrecord Point(int X);\n",
        [("Pool", C, 1, 5, 1), ("Pool", F, 3, 3, 3), ("Get", F, 4, 4, 4), ("Point", C, 6, 6, 6)],
    ),
    "a.rb": (
        "module App\n  class Pool\n    def get; end\n    def self.make; end\n  end\nend\n",
        [("App", C, 1, 6, 1), ("Pool", C, 2, 5, 2), ("get", F, 3, 3, 3), ("make", F, 4, 4, 4)],
    ),
    "a.php": (
        "<?php\nfunction load() {}\nclass Pool {\n  function get() {}\n}\n",
        [("load", F, 2, 2, 2), ("Pool", C, 3, 5, 3), ("get", F, 4, 4, 4)],
    ),
    "a.lua": (
        "local function load()\nend\nfunction M.get() end\nM.put = function() end\n",
        [("load", F, 1, 2, 1), ("M.get", F, 3, 3, 3), ("M.put", F, 4, 4, 4)],
    ),
    "a.kt": (
        "class Pool {\n  fun get() {}\n}\nobject One\nfun main() {}\n",
        [("Pool", C, 1, 3, 1), ("get", F, 2, 2, 2), ("One", C, 4, 4, 4), ("main", F, 5, 5, 5)],
    ),
    "a.swift": (
        "class Pool {\n  func get() {}\n}\nprotocol Getting {}\nfunc main() {}\n",
        [("Pool", C, 1, 3, 1), ("get", F, 2, 2, 2), ("Getting", C, 4, 4, 4), ("main", F, 5, 5, 5)],
    ),
    "a.sh": ("load() {\n  echo\n}\nfunction save { :; }\n", [("load", F, 1, 3, 1), ("save", F, 4, 4, 4)]),
    "a.scala": (
        "object App {\n  def run = 1\n}\nclass Pool\ntrait Get\n",
        [("App", C, 1, 3, 1), ("run", F, 2, 2, 2), ("Pool", C, 4, 4, 4), ("Get", C, 5, 5, 5)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_symbols(name: str) -> None:
    text, expected = CASES[name]
    assert [(s.name, s.kind, s.first, s.last, s.line) for s in symbols(f"/work/{name}", text)] == expected


def test_every_grammar_is_tested() -> None:
    assert {language_of(name) for name in CASES} == set(GRAMMARS)


@pytest.mark.parametrize("path", ["notes.md", "Makefile", "a.unknown", "/folder.py/file", ""])
def test_other_files_have_none(path: str) -> None:
    assert symbols(path, "def load(path):\n    return path\n") == ()


def test_broken_source_keeps_what_is_whole() -> None:
    text = "def load(path):\n    return path\n\n\ndef broken(x):\n    y = = 1\n\n\ndef save(path):\n    return path\n"
    assert {"load", "save"} <= {symbol.name for symbol in symbols("a.py", text)}


def test_names_of_all_scripts() -> None:
    assert symbols("a.py", "def größe_über(x):\n    return 'é'\n")[0].name == "größe_über"


def test_very_long_texts_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHARACTERS", 10)
    assert symbols("a.py", "def load(path):\n    return path\n") == ()
