"""Stage 5, PLACE: edits and today's text -> which lines and symbols came from which exchange."""
