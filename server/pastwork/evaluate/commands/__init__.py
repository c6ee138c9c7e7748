"""The commands of ``pastwork eval``."""
