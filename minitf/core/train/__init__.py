"""Training: the optimizer, its slots, three kinds of optimizers, and devices of variables.

loss --compute_gradients--> [(gradient, variable)] --apply_gradients--> one update a variable
"""
