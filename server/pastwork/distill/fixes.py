"""Says whether an exchange repaired a fault.

In: an exchange. Out: yes or no. A fix is an exchange in which something that existed was faulty (it
failed, gave wrong or confusing output, was wrong) and was changed so that it no longer is. New
features, changed wishes, documents, clean-ups, diagnoses without repair and plans are no fixes.

Cues in the prompt, in the agent's words and in the edits are weighed by a logistic model whose
weights were fitted on labelled exchanges (``tests/data/fixes``); docs/distillation.md has precision
and recall on labels that took no part in it.
"""

from __future__ import annotations

import re
from math import log1p

from pastwork.distill.text import Reading, read
from pastwork.model import Exchange


def _cue(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


class Cue:
    """A pattern, and words of which one is in whatever it matches: texts without them are passed over fast."""

    def __init__(self, pattern: str, *needs: str) -> None:
        self._found = re.compile(pattern)
        self._needs = needs

    def count(self, lowered: str) -> int:
        """How often it is in a text of lower case."""
        return len(self._found.findall(lowered)) if self._may(lowered) else 0

    def within(self, lowered: str) -> bool:
        """Whether it is in a text of lower case."""
        return self._may(lowered) and self._found.search(lowered) is not None

    def _may(self, lowered: str) -> bool:
        return any(word in lowered for word in self._needs)


#: What the agent says of a repair that is done, that it sets out on, of the fault it found, of the effect.
_CLAIM = Cue(
    r"(?:^|[\n.!:;*#—–-]\s{0,3}(?:\*\*)?|\band )(?:fixed|resolved|corrected)\b(?! in (?:v|version|release)\b)"
    r"|\b(?:(?:all|both|bugs?|issues?|errors?|problems?|findings?|is|are|were|been|got|i|i've|we) (?:now )?(?:\*\*)?"
    r"fixed\b|(?:the|this|my|your|proper|real|core|key) (?:\w+ )?fix (?:is|was|wraps|adds|works|landed|passes|just"
    r"|here)\b|fix(?:es)? (?:is|are|has|have) (?:now )?(?:complete|in|landed|done|applied|live|verified)\b"
    r"|summary of (?:the |this )?fix(?:es)?\b|(?:two|three|four|five|both|all) fix(?:es)?\b"
    r"|done\b[^\n]{0,40}\bthe fix\b|fix(?:es)? (?:made|applied|landed|summary)\b)"
    r"|\*\*(?:the )?fix(?:es)?\b|\|\s{0,3}fix\s{0,3}\|",
    "fix",
    "resolved",
    "corrected",
)
_INTENT = Cue(
    r"\b(?:let me|let's|i'll|i will|i need to|going to|now|to) (?:try to )?(?:properly |also |now )?fix(?:ing)?\b"
    r"|\bfixing (?:the|this|that|it|both|these)\b|\bhere's the (?:fix|correct)|\bthe fix:"
    r"|\bfix (?:this|both|these|it)\b(?!\?)",
    "fix",
    "here's the correct",
)
_BUG = Cue(
    r"\b(?:that's|found|real|actual|the|a|both|typing|input|classic|two) (?:\w+ )?bugs?\b"
    r"|\bbug (?:was|is|in)\b|\*\*bug\b",
    "bug",
)
_FAULT = Cue(
    r"\b(?:root cause|the (?:real |actual |core )?(?:problem|issue|culprit|cause)(?: here)?:? (?:was|is|were)\b"
    r"|what (?:was|went) (?:wrong|happening|missing|broken)|caused by\b)|\*\*(?:problem|issue|cause)\b",
    "cause",
    "problem",
    "issue",
    "culprit",
    "what w",
)
_BROKEN = Cue(
    r"\bwas never\b|\bsilently\b|\bfound it\b|\bwere (?:silently|missing|broken|wrong)|\bnon-deterministic"
    r"|\bleak(?:s|ed|ing)?\b|\bregress"
    r"|\bwas (?:invisible|dropped|lost|ignored|truncated|broken|missing|wrong|incorrect|stale|leaking|leaked)\b",
    "was ",
    "were ",
    "silently",
    "found it",
    "non-det",
    "leak",
    "regress",
)
_REGRET = Cue(
    r"\b(?:you'?re (?:absolutely )?right|good catch|sorry|apologi[sz]e|my (?:mistake|bad)|oops)\b",
    "right",
    "catch",
    "sorry",
    "apolog",
    "my ",
    "oops",
)
_EFFECT = re.compile(
    r"\bno longer\b|\bnow (?:correctly|properly|only|cleanly|consistent\w{0,4}|uses?|both|handles?|works?)\b"
    r"|\bshould now\b|\beliminat\w{1,5}|\bprevent(?:s|ed|ing)?\b|\bsuppress\w{0,5}|\bwould have failed\b"
    r"|\binstead of\b|\bso (?:that )?it (?:can't|won't|no longer)\b"
)
_FIX = Cue(r"(?<!won't )(?<!wont )(?<!quick )\bfix(?:ed|es|ing)?\b", "fix")
_DONE = _cue(
    r"\b(?:done|fixed|landed|completed?|in place|implemented|updated|added|removed|changed|replaced|pushed"
    r"|all tests pass|lint(?:er)?:? (?:is )?(?:clean|0)|correct(?:ed|ion))\b"
)
_STARTS_DONE = _cue(
    r"^(?:\W|\*){0,4}(?:(?:done|fixed|all|the fix|everything|found|perfect|complete|implemented)\b"
    r"|both\b[^.\n]{0,40}\b(?:fixed|resolved|done|in)\b)"
)
_ASKS = _cue(
    r"(?:want me to|would you like me|should i|shall i|say the word|if you want|which (?:do|would|one)|your call"
    r"|what do you think)\b"
)
_REVIEW = _cue(r"\b(?:code review|line-by-line|request changes|verdict)\b")
_PLAN = _cue(r"\b(?:plan is|the plan|implementation plan|docs?/|baked in|decision)\b")

#: What the prompt asks for, shows, complains of.
_ASKED = _cue(r"\b(?:fix(?:es|ing)?|debug|correct|repair|resolve)\b(?! (?:conflict|all conflict|merge))")
_SHOWS = re.compile(
    r"^\[?\d\d/\d\d/\d\d|^\s{0,8}at .{1,200}\(|:\d+:\d+[: ]|level=(?:ERROR|WARN)|\b(?:[Ee]rror|ERROR|[Ee]xception|panic"
    r"|[Ww]arning|WARNING):|❌|\b[Tt]raceback\b|\b[Ff](?:ailed|AILED)\b",
    re.MULTILINE,
)
_COMPLAINT = re.compile(
    r"\bwhy (?:did|do|does|are|is) (?:you|we|it|this|there)\b|\bdon'?t do that\b|\bshould(?:n'?t| not)\b|\bor else\b"
    r"|\b(?:this|that|which|is|are|looks?|it's) (?:\w+ )?(?:wrong|dumb|broken|confusing|misleading|incorrect|off|weird"
    r"|odd|stale|ugly)\b|\bshould be [^.\n]{1,40}\bnot\b|\bgot this\b|\bforgot\b"
    r"|\bstill (?:get|see|nothing|the same|not)\b"
    r"|\b(?:we(?:'re| are)|is|are) missing\b|\bfailed to\b|\b(?:doesn|don|isn|aren|can|won|didn|wasn|couldn)['’]?t\b"
    r"|\bnot (?:work|showing|being|what|doing)\w{0,4}|\bbugs?\b|\b(?:an?|the) (?:issue|problem|error)s?\b"
    r"|\b(?:wtf|wth|uhh+|hmm+|dude|nope)\b|\bcrash\w{0,4}|\bsilently\b|\bdropped\b|\bbroken\b"
    r"|\btoo (?:intense|slow|narrow|long)\b|\bartifacts?\b"
)
_QUESTION = _cue(
    r"^(?:\W|so\b|ok\b|and\b|got it\b){0,6}(?:what|how|which|is|are|do|does|did|should|could|would|explain|check|remind"
    r"|review|read|write a|tell me|spawn|take a look|can you (?:explain|check|run|review|tell))\b"
)
_EXPLAIN = _cue(r"\bexplain\b")
_STATE = _cue(
    r"\b(?:already (?:been )?(?:applied|fixed|addressed)|still unfixed|re-?review|commit message|status|ledger|so far"
    r"|where (?:do )?we stand|outstanding|summary of where)\b"
)
_CONFLICT = _cue(r"\bconflicts?\b")
_PROSE = (".md", ".mdx", ".rst", ".txt")

#: Log-odds by cue; counts enter as log(1 + n).
WEIGHTS: dict[str, float] = {
    "claim at once": 0.45,
    "claims": 0.41,
    "intent": 0.34,
    "intent and code": 0.44,
    "claim and code": 0.75,
    "faults": 0.56,
    "fault at once": 0.74,
    "regret": 0.54,
    "effects": 0.57,
    "fix": 0.78,
    "asked": 0.43,
    "shown": 0.59,
    "complaint answered": 0.69,
    "conflict": -0.40,
    "question": -0.45,
    "plan": -0.47,
    "state": -0.45,
    "documents only": -0.52,
    "answers": -0.80,
}
BIAS, THRESHOLD = -1.06, -0.1
#: Characters of the answers before the last one that are looked at.
EARLIER_CHARS = 3_000


def is_fix(exchange: Exchange) -> bool:
    """Whether the exchange repaired a fault (rather than found, discussed or planned one)."""
    return repairs(exchange, read(exchange))


def repairs(exchange: Exchange, reading: Reading) -> bool:
    if not reading.answers or _only_talk(exchange, reading):
        return False
    cues = _cues(exchange, reading)
    return BIAS + sum(WEIGHTS[name] * value for name, value in cues.items()) > THRESHOLD


def _only_talk(exchange: Exchange, reading: Reading) -> bool:
    """Reviews, answers to questions and offers: where nothing was edited, nothing is claimed either."""
    closing = reading.answers[-1]
    if _REVIEW.search(closing[:900]) and not _code(exchange):
        return True
    if exchange.edits:
        return False
    begun = _STARTS_DONE.search(closing[:80]) is not None
    claims = begun or _CLAIM.within(closing[:350].lower())
    if _ASKS.search(closing[-350:]) and not begun:
        return True
    asks = _QUESTION.search(_shortened(reading.prompt)) or _EXPLAIN.search(reading.prompt[:200])
    return not claims and (bool(asks) or not _INTENT.within(_said(reading)))


def _cues(exchange: Exchange, reading: Reading) -> dict[str, float]:
    prompt, closing, said = _shortened(reading.prompt), reading.answers[-1], _said(reading)
    body = closing[:2_500].lower()
    head = body[:700]
    code, none = _code(exchange), not exchange.edits
    claims = _CLAIM.count(body)
    at_once = claims > 0 and _CLAIM.within(head)
    intent = _INTENT.within(said)
    asked, shown, effects = bool(_ASKED.search(prompt)), bool(_SHOWS.search(prompt)), len(_EFFECT.findall(body))
    wrong = asked or shown or bool(_COMPLAINT.search(prompt.lower()))
    return {
        "claim at once": at_once,
        "claims": log1p(claims),
        "intent": intent,
        "intent and code": intent and (code or none),
        "claim and code": claims > 0 and code,
        "faults": log1p(_faults(said)),
        "fault at once": any(cue.within(head) for cue in (_BUG, _FAULT, _BROKEN)),
        "regret": _REGRET.within(said),
        "effects": log1p(effects),
        "fix": log1p(_FIX.count(said)),
        "asked": asked,
        "shown": shown,
        "complaint answered": wrong and (code or none) and (effects > 0 or bool(_DONE.search(closing[:900]))),
        "conflict": bool(_CONFLICT.search(prompt[:800] + head)),
        "question": bool(_QUESTION.search(prompt)),
        "plan": bool(_PLAN.search(closing[:900])),
        "state": bool(_STATE.search(reading.prompt[:800])),
        "documents only": not none and not code,
        "answers": log1p(len(reading.answers)),
    }


def _shortened(prompt: str) -> str:
    """Begin and end of a long prompt."""
    return prompt if len(prompt) < 2_500 else f"{prompt[:1_500]}\n{prompt[-700:]}"


def _said(reading: Reading, each: int = 400) -> str:
    """The begin of each answer, more of the last, in lower case."""
    earlier = "\n".join(text[:each] for text in reading.answers[:-1])[:EARLIER_CHARS]
    return f"{earlier}\n{reading.answers[-1][:2_500]}".lower()


def _code(exchange: Exchange) -> bool:
    """Whether anything but documents was changed."""
    return any(not edit.path.lower().endswith(_PROSE) for edit in exchange.edits)


def _faults(text: str) -> int:
    return _BUG.count(text) + _FAULT.count(text) + _BROKEN.count(text)
