"""What one reads in a week: graphs, operations, gradients, variables, sessions, and a cluster.

    cluster  train                        tasks in processes of their own; from a loss to an update
    runtime  gradients  variables         plans and steps; graph from graph; values that stay
    ops                                   what can be computed
    kernels                               the arithmetic behind it
    graph                                 types, shapes, operations, tensors

A package imports from those below it. Nothing here imports from `library`, `fast` or `compat`.
"""
