"""Hidden characters are shown, the rest is left alone."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pastwork.marks import one_line, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text, tabs\tand\nlines", "plain text, tabs\tand\nlines"),
        ("windows\r\nlines", "windows\nlines"),
        ("over\rwritten", "over␍written"),
        ("\x1b]52;c;cm0gLXJm\x07", "␛]52;c;cm0gLXJm␇"),
        ("\x1b[2J\x9b31m", "␛[2J⟨U+009B⟩31m"),
        ("user\u202etxt.exe", "user⟨U+202E⟩txt.exe"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("tag\U000e0041\U000e007f", "tag⟨U+E0041⟩⟨U+E007F⟩"),
        ("sel\U000e0101", "sel⟨U+E0101⟩"),
        ("lone \ud83c half", "lone ⟨U+D83C⟩ half"),
        ("done ✔️ 日本語 مرحبا", "done ✔️ 日本語 مرحبا"),
        ("del\x7f", "del␡"),
    ],
)
def test_visible(text: str, expected: str) -> None:
    assert visible(text) == expected


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("  a\n\n b\tc ", None, "a b c"),
        ("abcdef", 4, "abc…"),
        ("abcd", 4, "abcd"),
        ("ab  cd", 4, "ab…"),
        ("\x1b[31mred", None, "␛[31mred"),
    ],
)
def test_one_line(text: str, width: int | None, expected: str) -> None:
    assert one_line(text, width) == expected


def test_no_control_or_format_character_is_left_but_the_visible_ones() -> None:
    """Every character of Unicode is tried; the ones that stay are Arabic and Egyptian signs with a glyph."""
    glyphs = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and code not in glyphs | {9, 10}:
            assert visible(character) != character, hex(code)


@given(st.text())
def test_visible_is_stable(text: str) -> None:
    assert visible(visible(text)) == visible(text)
