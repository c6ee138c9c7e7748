"""Stage 3, KEEP: the one SQLite file, the only truth; schema, the only writer, readers."""
