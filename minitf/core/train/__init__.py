"""Training as one reads it: the optimizer, its slots, three of its kinds, and where variables go.

loss --compute_gradients--> [(gradient, variable)] --apply_gradients--> one update a variable
"""
