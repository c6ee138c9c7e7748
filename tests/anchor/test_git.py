"""Git, asked of repositories that mean no good."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pastwork.anchor import blame, renames
from pastwork.anchor.git import Git
from tests.anchor.repositories import Repository


def asked(file: Path, **more: float) -> Git:
    git = Git.around(file, os.environ, **more)
    assert git is not None
    return git


@pytest.fixture
def hostile(tmp_path: Path) -> Repository:
    """Every setting that makes git run a program points to one that leaves a trace."""
    repository = Repository(tmp_path / "hostile")
    file = repository.write("main.py", "first_line = 1\n")
    repository.write(".gitattributes", "*.py diff=evil filter=evil\n")
    repository.commit()
    file.write_text("first_line = 1\nsecond_line = 2\n")
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    hook = repository.root / ".git/hooks/post-index-change"
    hook.write_bytes(program.read_bytes())
    hook.chmod(0o755)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "pager.blame",
        "pager.log",
        "credential.helper",
        "uploadpack.packObjectsHook",
    ):
        repository.git("config", name, str(program))
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "protocol.ext.allow", "always")
    for trace in tmp_path.glob("ran"):
        trace.unlink()
    return repository


def test_nothing_the_repository_configures_is_run(hostile: Repository, tmp_path: Path) -> None:
    file = hostile.root / "main.py"
    git = asked(file)
    question = blame.asked(git, file)
    assert question is not None
    witness = blame.witness(git, question)
    assert witness is not None
    assert witness.lines == ("first_line = 1",)
    assert renames.earlier_names(git, file) == ()
    assert not (tmp_path / "ran").exists()


def test_what_makes_git_fail_makes_it_silent(hostile: Repository) -> None:
    hostile.git("config", "blame.ignoreRevsFile", "no-such-file")
    file = hostile.root / "main.py"
    git = asked(file)
    question = blame.asked(git, file)
    assert question is not None
    assert blame.witness(git, question) is None


def test_nothing_is_written(hostile: Repository) -> None:
    file = hostile.root / "main.py"
    before = {path: path.stat().st_mtime_ns for path in hostile.root.rglob("*")}
    git = asked(file)
    question = blame.asked(git, file)
    assert question is not None
    blame.witness(git, question)
    renames.earlier_names(git, file)
    assert {path: path.stat().st_mtime_ns for path in hostile.root.rglob("*")} == before


def test_variables_that_point_git_elsewhere_are_dropped(tmp_path: Path) -> None:
    here, there = Repository(tmp_path / "here"), Repository(tmp_path / "there")
    here.write("a.py", "one\n")
    head = here.commit()
    there.write("b.py", "two\n")
    there.commit()
    git = Git(here.root, {**os.environ, "GIT_DIR": str(there.root / ".git"), "GIT_TRACE": str(tmp_path / "trace")})
    assert git.head() == head
    assert not (tmp_path / "trace").exists()


def test_no_answer_is_none(tmp_path: Path) -> None:
    empty = Repository(tmp_path / "empty")
    file = empty.write("a.py", "one\n")
    assert Git.around(tmp_path / "outside.py", os.environ) is None
    assert asked(file).head() is None
    assert blame.asked(asked(file), file) is None
    assert Git(tmp_path / "missing", os.environ).ask(["status"]) is None
    assert Git(empty.root, {"PATH": ""}).ask(["status"]) is None


def test_a_git_that_hangs_is_given_up(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "slow")
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 30\n")
    program.chmod(0o755)
    git = Git(repository.root, {"PATH": f"{program.parent}:{os.environ['PATH']}"}, timeout=0.2)
    assert git.ask(["status"]) is None


def test_the_tree_around_a_file_is_the_innermost(tmp_path: Path) -> None:
    outer = Repository(tmp_path / "outer")
    Repository(outer.root / "vendored")
    assert asked(outer.root / "vendored/src/a.py").root == outer.root / "vendored"
    assert asked(outer.root / "src/a.py").root == outer.root
