"""Variables: tensors that keep their values from one step to the next.

`variables` makes them, `variable_scope` shares them by name, `initializers` has their first values.
"""
