"""Training: optimizers, the global step, and where variables go on a cluster.

Stands on variables, transforms and ops. It builds graphs; running them is the session's part.
"""
