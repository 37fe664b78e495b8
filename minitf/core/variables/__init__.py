"""Variables: tensors that keep their values from one step to the next.

Stands on graph and ops. `variables` makes them, `variable_scope` shares them by name, and
`initializers` choose their first values.
"""
