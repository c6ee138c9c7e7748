"""Stage 8, SERVE: the only folder that knows the language server protocol."""
