"""pastwork: memory of past coding-agent work, inside the editor."""

__version__ = "0.1.0"
