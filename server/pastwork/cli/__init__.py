"""The same answers for a terminal."""
