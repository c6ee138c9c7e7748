"""Paths of another machine or an earlier place, mapped onto today's folder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.transcripts.recorded_paths import today

HERE = ("/home/dev/code/lantern",)
NESTED = ("/home/dev/code/getlight/lantern-cli", "/home/dev/code/getlight")


@pytest.mark.parametrize(
    ("path", "bases", "expected"),
    [
        ("src/lamp.py", HERE, "/home/dev/code/lantern/src/lamp.py"),
        ("./src//lamp.py", HERE, "/home/dev/code/lantern/src/lamp.py"),
        ("src\\lamp.py", HERE, "/home/dev/code/lantern/src/lamp.py"),
        ("../other/lamp.py", HERE, "../other/lamp.py"),
        ("/home/dev/code/lantern/src/lamp.py", HERE, "/home/dev/code/lantern/src/lamp.py"),
        ("/Users/ada/work/lantern/src/lamp.py", HERE, "/home/dev/code/lantern/src/lamp.py"),
        ("C:\\work\\lantern\\src\\lamp.py", HERE, "/home/dev/code/lantern/src/lamp.py"),
        ("~/lantern/lamp.py", HERE, "/home/dev/code/lantern/lamp.py"),
        ("/Users/ada/lantern", HERE, "/Users/ada/lantern"),
        ("/Users/ada/lantern/../x.py", HERE, "/Users/ada/lantern/../x.py"),
        ("/Users/ada/lanterns/x.py", HERE, "/Users/ada/lanterns/x.py"),
        ("/etc/hosts", HERE, "/etc/hosts"),
        ("/u/lantern/lantern/x.py", HERE, "/home/dev/code/lantern/x.py"),
        ("/u/lantern/src/lantern/x.py", HERE, "/home/dev/code/lantern/src/lantern/x.py"),
        ("/u/src/getlight/lantern-cli/x.go", NESTED, "/home/dev/code/getlight/lantern-cli/x.go"),
        ("/u/src/getlight/docs/x.md", NESTED, "/home/dev/code/getlight/docs/x.md"),
        ("/home/dev/code/getlight/docs/x.md", NESTED, "/home/dev/code/getlight/docs/x.md"),
        ("x.go", NESTED, "/home/dev/code/getlight/lantern-cli/x.go"),
        ("x.go", (), "x.go"),
        ("", HERE, ""),
        (".", HERE, "."),
        ("a\0b", HERE, "a\0b"),
        ("/u/x.py", ("/",), "/u/x.py"),
    ],
)
def test_today(path: str, bases: tuple[str, ...], expected: str) -> None:
    assert today(path, bases) == expected


@given(st.text(alphabet="/\\.~ab:\0", max_size=30))
def test_a_mapped_path_lies_below_a_base(path: str) -> None:
    found = today(path, ("/home/a", "/home/b"))
    assert found == path or (found.startswith(("/home/a/", "/home/b/")) and ".." not in found.split("/"))


@given(st.text(alphabet="/\\.~ab:", max_size=30))
def test_mapping_again_changes_nothing(path: str) -> None:
    once = today(path, ("/home/a",))
    assert today(once, ("/home/a",)) == once or not once.startswith("/home/a")
