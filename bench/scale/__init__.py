"""How time and memory grow with the history."""
