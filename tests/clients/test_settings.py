"""The settings of the server as the clients show them: nothing missing, nothing drifted, nothing a workspace may set that it must not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from clients.settings import PACKAGE, ROOT, TABLE, markdown, package_json, settings, vscode_properties

from pastwork.config import MACHINE_SETTINGS, Config, load

SRC = ROOT / "clients/vscode/src"
#: Settings of the extension alone.
OWN = {"pastwork.server.path", "pastwork.trace.server"}


@pytest.fixture(scope="module")
def package() -> Any:
    return json.loads(PACKAGE.read_text(encoding="utf-8"))


def test_nothing_drifted() -> None:
    """``make settings`` writes both."""
    assert package_json(PACKAGE.read_text(encoding="utf-8")) == PACKAGE.read_text(encoding="utf-8")
    assert markdown(TABLE.read_text(encoding="utf-8")) == TABLE.read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "clients.settings", "--check"], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def test_a_drift_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from clients import settings as module

    drifted = PACKAGE.read_text(encoding="utf-8").replace("Past work in hovers.", "Something else.")
    (tmp_path / "package.json").write_text(drifted, encoding="utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "PACKAGE", tmp_path / "package.json")
    monkeypatch.setattr(sys, "argv", ["settings", "--check"])
    with pytest.raises(SystemExit, match="drifted"):
        module.main()
    assert "Something else." in (tmp_path / "package.json").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["settings"])
    module.main()
    assert "Something else." not in (tmp_path / "package.json").read_text(encoding="utf-8")


def test_every_setting_is_there_with_words_and_a_default() -> None:
    shown = vscode_properties()
    assert set(shown) == OWN | {f"pastwork.{setting.key}" for setting in settings()}
    for key, schema in shown.items():
        assert isinstance(schema, dict)
        assert re.fullmatch(r".{10,}[.]", schema["markdownDescription"]), key
        assert "default" in schema, key
        assert "type" in schema, key


def test_defaults_are_the_servers(tmp_path: Path) -> None:
    """What the extension calls the default is what the server does without a setting; a bad default would be told."""
    tree: dict[str, Any] = {}
    for setting in settings():
        *groups, name = setting.key.split(".")
        place = tree
        for group in groups:
            place = place.setdefault(group, {})
        place[name] = setting.default
    loaded = load(tmp_path / "none.toml", tree)
    assert loaded.notes == ()
    assert loaded.config == Config()


def test_machine_settings_are_machine_scoped_and_restricted(package: Any) -> None:
    properties = package["contributes"]["configuration"]["properties"]
    restricted = set(package["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"])
    expected = {"pastwork.server.path", *(f"pastwork.{key}" for key in MACHINE_SETTINGS)}
    assert restricted == expected
    assert {key for key, schema in properties.items() if schema["scope"] == "machine"} == expected
    assert {"pastwork.distill.url", "pastwork.embedding.model", "pastwork.sources.extra"} <= expected


def test_every_command_is_declared_and_made(package: Any) -> None:
    declared = {command["command"] for command in package["contributes"]["commands"]}
    source = (SRC / "extension.ts").read_text(encoding="utf-8")
    block = source[source.index("const commands: ") : source.index("for (const [name, deed]")]
    made = {f"pastwork.{name}" for name in re.findall(r"^    (\w+): ", block, re.MULTILINE)}
    assert declared == made
    used = json.dumps(package["contributes"]) + "".join(path.read_text(encoding="utf-8") for path in SRC.glob("*.ts"))
    for name in set(re.findall(r"command:(pastwork\.\w+)", used)) | set(
        re.findall(r"'(pastwork\.(?:open|show)\w+)'", used)
    ):
        assert name in declared, name


def test_the_readme_names_every_command_of_the_palette(package: Any) -> None:
    hidden = {rule["command"] for rule in package["contributes"]["menus"]["commandPalette"] if rule["when"] == "false"}
    readme = re.sub(r"\s+", " ", (ROOT / "clients/vscode/README.md").read_text(encoding="utf-8")).lower()
    for command in package["contributes"]["commands"]:
        title = command["title"].lower()
        if command["command"] not in hidden:
            assert title.removeprefix("past work ").removesuffix("…") in readme, title


def test_no_telemetry_and_nothing_run_before_it_is_needed(package: Any) -> None:
    assert package["activationEvents"] == ["onStartupFinished"]
    for path in SRC.glob("*.ts"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"telemetry|https?://|fetch\(|node:(?:https?|net|dgram)", text, re.IGNORECASE), path
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in SRC.glob("*.ts")) <= 1200
