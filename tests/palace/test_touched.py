"""Where touched files are today: as recorded, by alias, by git's renames, and never in another project."""

from __future__ import annotations

from pathlib import Path

import pytest

from pastwork.config import Config
from pastwork.errors import NotFound
from pastwork.model import FileTouch
from pastwork.palace import Palace
from tests.anchor.repositories import DAY, NOON, Repository
from tests.palace.world import POOL, World, clock, digest, exchange

ID = f"{1:016x}"


def today(
    tmp_path: Path, workspace: Path, names: list[str], folder: Path, aliases: dict[str, str] | None = None
) -> list[str | None]:
    """Where the files of one exchange in ``workspace`` are for a client that has ``folder`` open, relative to it."""
    world = World(tmp_path / "data")
    found = exchange(1, str(workspace), "Change the pool")
    world.put(found, digest(found, "Change", touched=[FileTouch(name, "edited") for name in names]))
    world.close()
    with Palace(tmp_path / "data", Config(), tmp_path, clock, aliases) as palace:
        files = palace.touched(ID, [folder]).files
    found_at = {file.path: file.today and str(Path(file.today).relative_to(folder)) for file in files}
    return [found_at[name] for name in names]


def write(*files: Path) -> None:
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(POOL)


def test_as_recorded(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    write(shop / "src/pool.py", shop / "src/Süß.py")
    assert today(tmp_path, shop, ["src/pool.py", str(shop / "src/Süß.py"), "gone.py"], shop) == [
        "src/pool.py",
        "src/Süß.py",
        None,
    ]


def test_a_session_in_a_sub_folder_means_its_own_files(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    write(shop / "pool.py", shop / "src/pool.py", shop / "README.md")
    assert today(tmp_path, shop / "src", ["pool.py", "README.md"], shop) == ["src/pool.py", None]


def test_another_project_has_no_file_here(tmp_path: Path) -> None:
    write(tmp_path / "shop/README.md", tmp_path / "bakery/README.md")
    names = ["README.md", str(tmp_path / "bakery/README.md"), "../shop/README.md", "/etc/hostname"]
    found = today(tmp_path, tmp_path / "bakery", names, tmp_path / "shop")
    assert found == [None, None, "README.md", None]


def test_an_alias_names_the_folder_of_today(tmp_path: Path) -> None:
    write(tmp_path / "shop/src/pool.py")
    old = tmp_path / "old/shop"
    names = ["src/pool.py", str(old / "src/pool.py")]
    assert today(tmp_path, old, names, tmp_path / "shop", {str(old): str(tmp_path / "shop")}) == ["src/pool.py"] * 2


def test_git_knows_what_was_renamed_since(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "shop")
    write(repository.root / "first.py", repository.root / "kept.py")
    repository.commit(NOON)
    repository.git("mv", "first.py", "second.py")
    repository.commit(NOON + DAY)
    repository.write("src/third.py", POOL)
    (repository.root / "second.py").unlink()
    repository.commit(NOON + 2 * DAY)
    repository.git("mv", "src/third.py", "src/fourth.py")
    names = ["first.py", "kept.py", "never.py"]
    assert today(tmp_path, repository.root, names, repository.root) == ["src/fourth.py", "kept.py", None]


def test_an_unknown_exchange(tmp_path: Path) -> None:
    World(tmp_path / "data").close()
    with Palace(tmp_path / "data", Config(), tmp_path, clock) as palace, pytest.raises(NotFound):
        palace.touched(ID, [tmp_path])
