"""Callbacks: what is told of the progress of `fit`, `evaluate` and `predict`.

base.py      `Callback`, the list of them, and those that `fit` itself uses
watching.py  what watches a value: stopping early, saving the best model, lowering the rate
writing.py   what writes the values to a file or a server; TensorBoard
"""
