"""One module a command: its options, one call into the answers, what a person reads."""
