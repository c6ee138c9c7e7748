"""Which recorded folders belong to a question: whole, by prefix both ways, never by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork.palace.scope import Scope, git_root, other_checkouts, workspace_of

HOME = Path("/home/dev")


@pytest.mark.parametrize(
    ("asked", "recorded", "belongs"),
    [
        ("/home/dev/work/shop", "/home/dev/work/shop", True),
        ("/home/dev/work/shop", "/home/dev/work/shop/", True),
        ("/home/dev/work/shop", "/home/dev/work/shop/server", True),
        ("/home/dev/work/shop", "/home/dev/work/./x/../shop/server", True),
        ("/home/dev/work/shop/server", "/home/dev/work/shop", True),
        ("/home/dev/work/shop", "/home/dev/work", True),
        ("/home/dev/work/shop", "/home/dev/work/shop-old", False),
        ("/home/dev/work/shop", "/home/dev/play/shop", False),
        ("/home/dev/work/shop", "/home/other/work/shop", False),
        ("/home/dev/work/shop", "/home/dev", False),
        ("/home/dev/work/shop", "/home", False),
        ("/home/dev/work/shop", "/", False),
        ("/home/dev/work/shop", "", False),
        ("/home/dev/work/shop", None, False),
        ("/home/dev", "/home/dev", True),
        ("/home/dev", "/home/dev/work/shop", True),
        ("/srv/shop", "/", False),
        ("/srv/shop", "/srv", True),
        ("c:\\Users\\dev\\shop", "C:/Users/dev/Shop/src", True),
        ("c:\\Users\\dev\\shop", "/c:/users/dev/shop", True),
        ("/home/dev/work/shop", "c:\\work\\shop", False),
    ],
)
def test_holds(asked: str, recorded: str | None, belongs: bool) -> None:
    assert Scope.of([Path(asked)], HOME).holds(recorded) is belongs


@pytest.mark.parametrize(
    ("aliases", "recorded", "belongs"),
    [
        ({"/Users/ann/shop": "/home/dev/work/shop"}, "/Users/ann/shop/server", True),
        ({"/Users/ann": "/home/dev/work"}, "/Users/ann/shop", True),
        ({"/Users/ann": "/home/dev/work"}, "/Users/annabel/shop", False),
        ({"/Users/ann": "/home/dev/play", "/Users/ann/shop": "/home/dev/work/shop"}, "/Users/ann/shop", True),
        ({"/Users/ann": "/home/dev/work", "/Users/ann/shop": "/home/dev/play"}, "/Users/ann/shop", False),
        ({"D:\\src": "/home/dev/work"}, "d:/src/shop/web", True),
        ({}, "/Users/ann/shop", False),
    ],
)
def test_aliases(aliases: dict[str, str], recorded: str, belongs: bool) -> None:
    assert Scope.of([Path("/home/dev/work/shop")], HOME, aliases).holds(recorded) is belongs


def test_several_folders() -> None:
    scope = Scope.of([Path("/w/one"), Path("/w/two")], HOME)
    assert [scope.holds(folder) for folder in ("/w/one/x", "/w/two", "/w/three")] == [True, True, False]


def test_no_folder_holds_nothing() -> None:
    assert not Scope.of([], HOME).holds("/home/dev/work")


def test_git_root_is_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "plain").mkdir()
    assert git_root(tmp_path / "repo" / "sub" / "deep") == tmp_path / "repo"
    assert workspace_of(tmp_path / "repo" / "sub") == tmp_path / "repo"
    assert workspace_of(tmp_path / "plain") == tmp_path / "plain"
    assert workspace_of(tmp_path / "repo" / "not" / "there") == tmp_path / "repo"


def _worktree(tmp_path: Path) -> tuple[Path, Path]:
    """A repository and a worktree of it, by git's own small files."""
    main, tree = tmp_path / "main", tmp_path / "trees" / "fix"
    own = main / ".git" / "worktrees" / "fix"
    own.mkdir(parents=True)
    tree.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {own}\n")
    (own / "gitdir").write_text(f"{tree}/.git\n")
    return main, tree


def test_worktrees_are_one_workspace(tmp_path: Path) -> None:
    main, tree = _worktree(tmp_path)
    assert list(other_checkouts(main)) == [tree]
    assert list(other_checkouts(tree)) == [main]
    for asked, other in ((main, tree), (tree, main)):
        scope = Scope.of([asked], HOME)
        assert scope.holds(str(other / "src"))
        assert scope.places.today(str(other / "src" / "a.py")) == str(asked / "src" / "a.py")
    assert not Scope.of([main], HOME).holds(str(tmp_path / "trees" / "another"))


def test_a_worktree_inside_the_main_tree(tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "main" / ".trees" / "fix"
    own = main / ".git" / "worktrees" / "fix"
    own.mkdir(parents=True)
    tree.mkdir(parents=True)
    (tree / ".git").write_text("gitdir: ../../.git/worktrees/fix\n")
    (own / "gitdir").write_text(f"{tree}/.git\n")
    for asked in (main, tree):
        places = Scope.of([asked], HOME).places
        assert places.today(str(tree / "a.py")) == str(asked / "a.py")
        assert places.today(str(main / "a.py")) == str(asked / "a.py")


def test_links_lead_to_the_same_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert Scope.of([tmp_path / "link"], HOME).holds(str(tmp_path / "real" / "src"))


def test_an_unreadable_git_file_is_no_worktree(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"\xff\xfe nonsense")
    assert list(other_checkouts(tmp_path)) == []
