"""Chooses what to say of an exchange: one clause of what was asked, one of what came of it.

In: the sentences of the prompt and of the answers, and the exchange's key terms. Out: words of these
sentences in their order, some left out, never others. A sentence is worth the key terms it holds, in
all and per word; talk about the work (``let me``, ``all done``) costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from pastwork.distill.keyterms import KeyTerms
from pastwork.distill.sentences import Sentence
from pastwork.distill.terms import is_identifier, specificity, stem, words

#: What opens a request or a report and says nothing: taken off the front, repeatedly.
_LEAD = re.compile(
    r"^(?:(?:good (?:question|catch|point|idea)|great question|here(?:'s| is) (?:the|a)|all done|thank you|thanks"
    r"|you(?:'re| are) (?:absolutely )?right|looking at this|as you can see|to summarize|in summary|in short|summary"
    r"|tl;dr|got it|can you(?: please)?|could you(?: please)?|would you|will you|i(?:'d| would) like (?:you )?to"
    r"|i want (?:you )?to|i need (?:you )?to|let'?s|lets|let me|i think(?: that)?(?: we should)?|we (?:should|need to)"
    r"|you should|go ahead and|i(?:'ve| have)|i'll|i will|i'm going to|i am going to|it looks like"
    r"|it seems(?: that| like)?|the answer is|ok(?:ay)?|yes|yeah|yep|yup|no(?! (?:longer|more|one))|nope|now"
    r"|so(?! (?:far|that|much|many))|and|but|also|then|hmm+|uh+|hi|hey"
    r"|great|good|cool|nice|perfect|excellent|awesome|sure|alright|well|right|understood|please|pls|done|basically"
    r"|actually|just|finally|first|next)\b(?!-\w)[\s,.!:;…—–-]*)+",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"\b(?:let me|i'll|would you like|do you want|want me to|shall i|should i|happy to"
    r"|if you(?:'d| would)? (?:want|like)"
    r"|as you (?:asked|requested)|per your request|all (?:tests|checks|green)|tests? pass"
    r"|lint(?:er)? (?:is )?clean)\b",
    re.IGNORECASE,
)
_DEED = re.compile(
    r"^(?:fixed|added|removed|deleted|implemented|updated|changed|replaced|renamed|moved|created|refactored|committed|pushed"
    r"|merged|resolved|wrote|fix|add|remove|update|use|make|change|replace|rename|move|create|implement|delete)\b",
    re.IGNORECASE,
)
#: What stands for a picture in a prompt.
_PICTURE = re.compile(r"\[(?:Image|Screenshot|Pasted)[^\]\n]{0,200}\]", re.IGNORECASE)
_ENDS = frozenset(",;:.)!?—–→")
_EDGES = " .,:;!—–-…\"'"
#: Ends that are no punctuation: ``go build ./...``.
_WHOLE = ("/...", "/.")
#: Longest run without blanks that is still read as a word (paths are), and longest statement, in characters.
LONGEST_WORD, LONGEST = 90, 240
ELLIPSIS = "…"


class Statement(Struct, frozen=True, gc=False):
    """A clause of a sentence, the stems it holds, and what it is worth."""

    text: str
    stems: frozenset[str]
    worth: float
    of: Sentence


def best(found: Iterable[Sentence], terms: KeyTerms, most: int) -> Statement | None:
    """The sentence worth most when said in at most ``most`` words; the earlier one where two are equal."""
    top: Statement | None = None
    for sentence in found:
        top = state(sentence, terms, most, top) or top
    return top


def state(sentence: Sentence, terms: KeyTerms, most: int, above: Statement | None = None) -> Statement | None:
    """``sentence`` in at most ``most`` words, if anything is left of it, and if it is worth more than ``above``."""
    text = clipped(bare(sentence.text), most)
    said = words(text)
    if not said:
        return None
    stems = frozenset(map(stem, said))
    mass = sum([terms.scores.get(key, 0.0) for key in stems])
    worth = 0.04 * mass + 0.39 * mass / (len(said) + 4) + 0.008 * sum(map(is_identifier, said))
    worth += 0.017 * bool(_DEED.match(text)) + 0.010 * text[:1].isupper() + 0.015 * sentence.heading
    worth -= 0.013 * sentence.text.endswith(":") + 0.015 * text.endswith(ELLIPSIS)
    worth -= 0.03 * text.startswith(("(", "[", "{"))
    if above is not None and worth <= above.worth:
        return None
    worth -= 0.025 * bool(_TALK.search(sentence.text))
    return Statement(text, stems, worth, sentence) if above is None or worth > above.worth else None


def mass(statement: Statement, terms: KeyTerms, without: frozenset[str] = frozenset()) -> float:
    """The key terms a statement holds, beyond those of ``without``."""
    return sum(terms.scores.get(key, 0.0) for key in statement.stems - without)


def tells(statement: Statement, terms: KeyTerms) -> bool:
    """Whether there is anything specific in it."""
    return any(specificity(terms.written.get(key, key)) >= 0.3 for key in statement.stems)


def bare(text: str) -> str:
    """Without pictures, the talk in front and the marks at the end."""
    if "[" in text:
        text = _PICTURE.sub(" ", text)
    text = _LEAD.sub("", text.strip()).lstrip(_EDGES)
    return text if text.endswith(_WHOLE) else text.rstrip(_EDGES)


def clipped(text: str, most: int) -> str:
    """The first ``most`` words at most, ended at a clause's end where one is near, else with an ellipsis."""
    found = text.split()
    long = next((place for place, word in enumerate(found) if len(word) > LONGEST_WORD), len(found))
    if len(found) <= most and long == len(found) and len(text) <= LONGEST:
        return text
    most = min(most, long)
    kept = found[:most]
    while sum(map(len, kept)) + len(kept) > LONGEST:
        kept.pop()
    for end in range(len(kept), max(len(kept) * 2 // 3, 3), -1):
        if kept[end - 1][-1] in _ENDS:
            return _closed(" ".join(kept[:end])).rstrip(" .,:;—–-→(")
    while len(kept) > 4 and specificity(kept[-1].strip(",;:\"'(").lower()) == 0.0:
        kept.pop()
    ended = _closed(" ".join(kept)).rstrip(" .,:;—–-→(=")
    return ended + ELLIPSIS if ended else ""


def _closed(text: str) -> str:
    """Without a bracket that was cut off from its other half."""
    at = text.rfind("(")
    return text[:at].rstrip(" ,:;—–-") if at > len(text) // 2 and ")" not in text[at:] else text
