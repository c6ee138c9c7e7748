"""The same answers for a terminal: ``pastwork``.

``main.py`` finds the command and turns errors into exit codes; ``commands/`` holds one module a
command, imported when it runs; ``people.py`` and ``tables.py`` print what a person reads.
"""
