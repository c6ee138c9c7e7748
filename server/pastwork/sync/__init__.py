"""SHELL: decides what changed among the transcripts and runs READ, DISTIL, KEEP and INDEX on it."""
