"""The report of a run: one folder that a reader needs nothing else for."""
