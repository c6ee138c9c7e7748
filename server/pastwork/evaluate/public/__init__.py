"""Public sets that a user downloads: one module a set, each gives ``Talks``."""
