"""From an ordered list of nodes to a compiled Python program."""
