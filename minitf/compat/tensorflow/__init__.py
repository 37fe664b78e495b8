"""`import tensorflow` means minitf: the alias, its table of modules, and `python -m minitf`."""
