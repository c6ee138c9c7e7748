"""English words that tell nothing of what is looked for."""

from __future__ import annotations

from pastwork.index.tokens import words

_LISTED = """
a about above after again against all am an and any are as at be because been before being below between both but by
can could d did do does doing down during each few for from further had has have having he her here hers herself him
himself his how i if in into is it its itself just ll m me more most my myself no nor not now of off on once only or
other our ours ourselves out over own re s same she should so some such t than that the their theirs them themselves
then there these they this those through to too under until up ve very was we were what when where which while who
whom why will with would you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_LISTED.split())


def without(text: str) -> str:
    """The text's other words, as a reference figure was measured; the text itself where it has none."""
    kept = [word for word in words(text) if word.lower() not in STOP_WORDS]
    return " ".join(kept) or text
