"""Callbacks: what is told of the progress of `fit`, `evaluate` and `predict`.

base.py       `Callback`, the list of them, and those that `fit` itself uses
callbacks.py  what watches a value: stopping early, saving the best model; what writes the values
"""
