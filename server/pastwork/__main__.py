"""``python -m pastwork``: the same as the command ``pastwork``."""

from pastwork.entry import main

main()
