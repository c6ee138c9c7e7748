"""The filters of ``search``, ``rooms`` and ``context``: the same options, understood once."""
