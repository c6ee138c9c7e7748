"""Says whether an exchange repaired a fault.

In: an exchange. Out: yes or no. A fix needs a fault (named by the prompt, or by the answer as what was
wrong) and a repair (files changed, or the answer says that it was repaired).
"""

from __future__ import annotations

import re

from pastwork.distill.text import Reading, read
from pastwork.model import Exchange

_FAULT = re.compile(
    r"\b(?:bugs?|broken|breaks?|fail(?:s|ed|ing|ure|ures)?|errors?|crash(?:es|ed|ing)?|exceptions?|traceback|panics?|regressions?"
    r"|wrong(?:ly)?|incorrect(?:ly)?|flaky|hangs?|stuck|leaks?|race|deadlocks?|typos?|misleading|missing|invalid|unexpected(?:ly)?"
    r"|(?:does|did|is|are|was)(?: not|n'?t) (?:work|show|find|match|render|build|compile|run|pass)\w*|not working|can'?t|cannot"
    r"|should(?: not|n'?t)|fix(?:es|ed|ing)?)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\b(?:fix|fixes|fixing|repair|resolve|debug|correct)\b", re.IGNORECASE)
_REPAIRED = re.compile(
    r"\b(?:fixed|fixes|the fix|(?:bug|issue|problem|error|failure|race|leak) (?:is|was|has been) (?:now )?(?:fixed|resolved|gone)"
    r"|resolved|root cause|corrected|no longer (?:fails?|crash\w*|hangs?|errors?)|now (?:works?|passes|pass|correctly))\b",
    re.IGNORECASE,
)


def is_fix(exchange: Exchange) -> bool:
    """Whether the exchange repaired a fault (rather than found, discussed or planned one)."""
    return repairs(exchange, read(exchange))


def repairs(exchange: Exchange, reading: Reading) -> bool:
    prompt = reading.prompt[:4_000]
    closing = reading.answers[-1][:3_000] if reading.answers else ""
    if not exchange.edits:
        return False
    if _ASKED.search(prompt) and _REPAIRED.search(closing):
        return True
    return _FAULT.search(prompt) is not None and _REPAIRED.search(closing) is not None
