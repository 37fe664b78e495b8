"""What can be computed: one declaration an op, with its kernel, shape function and gradient."""
