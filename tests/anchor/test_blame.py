"""Witnesses from real repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pastwork.anchor import blame
from pastwork.anchor.git import Git
from pastwork.anchor.witness import Commit, Witness, judge
from tests.anchor.repositories import COLLEAGUE, DAY, NOON, USER, Repository

#: Long enough for git to take a moved block for moved.
BLOCK = "def walk_the_tree(root):\n    for child in root.children:\n        walk_the_tree(child)\n    finish(root)\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def witness(repository: Repository, name: str) -> Witness | None:
    file = repository.root / name
    git = Git.around(file, os.environ)
    assert git is not None
    question = blame.asked(git, file)
    assert question is not None
    return blame.witness(git, question)


def makers(repository: Repository, name: str, text: str | None = None) -> list[Commit | None]:
    found = witness(repository, name)
    assert found is not None
    text = (repository.root / name).read_text() if text is None else text
    return found.makers_of(text.splitlines())


def test_each_line_has_its_commit(repository: Repository) -> None:
    repository.write("a.py", "older_line = 1\n")
    repository.commit(NOON, COLLEAGUE)
    repository.write("a.py", "older_line = 1\nnewer_line = 2\n")
    repository.commit(NOON + DAY, USER, committed=NOON + 2 * DAY)
    assert makers(repository, "a.py") == [
        Commit(NOON, NOON, ours=False),
        Commit(NOON + DAY, NOON + 2 * DAY, ours=True),
    ]


def test_indenting_moving_and_copying_make_no_new_line(repository: Repository) -> None:
    repository.write("a.py", BLOCK + "separate_line = 1\n")
    repository.commit(NOON)
    indented = "".join("    " + line for line in BLOCK.splitlines(keepends=True))
    repository.write("a.py", "separate_line = 1\nclass Walker:\n" + indented)
    repository.commit(NOON + DAY)
    repository.write("a.py", "separate_line = 1\n")
    repository.write("b.py", BLOCK)
    repository.commit(NOON + 2 * DAY)
    assert {commit.authored for commit in makers(repository, "b.py") if commit} == {NOON}


def test_lines_of_the_buffer_that_are_not_committed_have_none(repository: Repository) -> None:
    repository.write("a.py", "older_line = 1\n")
    repository.commit(NOON)
    found = makers(repository, "a.py", "typed_now = 0\nolder_line = 1\n")
    assert found == [None, Commit(NOON, NOON, ours=True)]


def test_a_file_that_is_not_committed_has_no_lines(repository: Repository) -> None:
    repository.write("a.py", "older_line = 1\n")
    repository.commit(NOON)
    repository.write("new.py", "typed_now = 1\n")
    found = witness(repository, "new.py")
    assert found is not None
    assert (found.lines, found.makers_of(["typed_now = 1"])) == ((), [None])


def test_odd_names(repository: Repository) -> None:
    for name in ("with space.py", "tab\there.py", "ümläut.py", "-dash.py", "[a-z].py"):
        repository.write(name, f"line_of_this = '{len(name)}'\n")
    repository.commit(NOON)
    for name in ("with space.py", "tab\there.py", "ümläut.py", "-dash.py", "[a-z].py"):
        found = witness(repository, name)
        assert found is not None
        assert found.lines == (f"line_of_this = '{len(name)}'",), name


def test_text_that_is_no_text_is_blamed_all_the_same(repository: Repository) -> None:
    (repository.root / "a.py").write_bytes(b"caf\xe9_line = 1\nplain_line = 2\n")
    repository.commit(NOON)
    assert [commit is not None for commit in makers(repository, "a.py", "caf\ufffd_line = 1\nplain_line = 2\n")] == [
        True,
        True,
    ]


def test_folders_links_and_large_files_are_not_blamed(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write("folder/a.py", "inner_line = 1\n")
    repository.write("large.py", "x = 1\n" * 100)
    repository.commit(NOON)
    assert witness(repository, "folder") is None
    monkeypatch.setattr(blame, "MOST_BYTES", 50)
    assert witness(repository, "large.py") is None


def test_without_a_known_address_every_commit_counts_as_ones_own() -> None:
    output = "c1 1 1 1\nauthor A\nauthor-mail <a@example.org>\nauthor-time 5\ncommitter-time 6\nsummary s\n\tline\n"
    assert blame.parse(output, "h", frozenset()).commits == (Commit(5, 6, ours=True),)
    assert blame.parse(output, "h", frozenset({"b@example.org"})).commits == (Commit(5, 6, ours=False),)
    assert blame.parse(output, "h", frozenset({"a@example.org"})).commits == (Commit(5, 6, ours=True),)


def test_a_summary_that_looks_like_a_line_is_none() -> None:
    output = "c1 1 1 1\nauthor-time 5\ncommitter-time 6\nsummary \tnot a line\n\treal\nc1 2 2\n\t\ttabbed\n"
    found = blame.parse(output, "h", frozenset())
    assert (found.lines, found.makers) == (("real", "\ttabbed"), (0, 0))


def test_no_commit_or_no_time_says_nothing() -> None:
    assert judge(None, 1.0) == "silent"
    assert judge(Commit(1, 1, ours=True), None) == "silent"
