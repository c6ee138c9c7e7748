"""5 PLACE: edits and today's text in, lines and symbols with the exchange that wrote them out.

Pure but for ``git.py`` and what stands on it (``blame.py``, ``renames.py``, ``worktrees.py``), which
run in the background only.
"""
