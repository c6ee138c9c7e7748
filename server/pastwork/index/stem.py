"""The Porter stemmer: a word's inflections share one stem.

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the departures of the
author's own later programs: words of one or two letters stay, ``bli`` for ``abli``, and ``logi``.
Chosen by measurement over no stemming and lighter rules (bench/quality/results).
"""

from __future__ import annotations

from functools import lru_cache

_STEP2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
_STEP3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
#: ``ion`` goes only after an s or a t.
_STEP4 = frozenset(
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split()  # noqa: SIM905 a list of words
)


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The stem of a lower-case word; what is not plain ASCII letters, or has fewer than three, stays."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _step1(word)
    word = _replaced(word, _STEP2)
    word = _replaced(word, _STEP3)
    word = _step4(word)
    return _step5(word)


def _shape(word: str) -> str:
    """One letter for each of the word's: ``c`` consonant, ``v`` vowel (and ``y`` after a consonant)."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _short_end(word: str) -> bool:
    """Consonant, vowel, consonant that is not w, x or y: where an ``e`` was dropped."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _step1(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        word = word[:-1] if _measure(word[:-3]) > 0 else word
    else:
        for ending in ("ed", "ing"):
            bare = word[: -len(ending)]
            if word.endswith(ending) and "v" in _shape(bare):
                word = _mended(bare)
                break
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    return word


def _mended(bare: str) -> str:
    """What stood before ``-ed`` or ``-ing`` was added."""
    if bare.endswith(("at", "bl", "iz")):
        return bare + "e"
    if len(bare) > 1 and bare[-1] == bare[-2] and _shape(bare)[-1] == "c" and bare[-1] not in "lsz":
        return bare[:-1]
    if _measure(bare) == 1 and _short_end(bare):
        return bare + "e"
    return bare


def _replaced(word: str, endings: dict[str, str]) -> str:
    """The longest of the endings replaced, where the rest measures more than nothing."""
    for size in range(7, 1, -1):
        ending = word[-size:]
        if ending in endings and len(word) > size:
            rest = word[:-size]
            return rest + endings[ending] if _measure(rest) > 0 else word
    return word


def _step4(word: str) -> str:
    ending = max((e for e in _STEP4 if word.endswith(e)), key=len, default="")
    rest = word[: len(word) - len(ending)]
    if not ending or (ending == "ion" and not rest.endswith(("s", "t"))):
        return word
    return rest if _measure(rest) > 1 else word


def _step5(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _short_end(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
