"""``python -m pastwork``: the command line."""

from pastwork.cli.main import main

main()
