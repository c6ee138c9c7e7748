"""Stage 6, FIND: modes, filters and fusion over the lanes."""
