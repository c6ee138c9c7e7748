"""SHELL: a child process that owns a ``Palace`` and answers a server's heavier questions over a pipe."""
