"""Losses: `losses.py` has them, `util.py` the collections in which a graph keeps them."""
