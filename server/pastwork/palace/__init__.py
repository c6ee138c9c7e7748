"""7 ANSWER: the editor-neutral answers; plain data in, the structs of ``shapes.py`` out.

``Palace`` is the one entry; each answer is a module of its own. Nothing here knows a protocol, a
terminal or a client, and nothing heavy is imported before an answer needs it.
"""

from pastwork.palace.facade import Palace

__all__ = ["Palace"]
